// How fast rows of kernels.csv are written: bytes a second into a stream that keeps none.
#include <benchmark/benchmark.h>

#include <ostream>
#include <streambuf>

#include "report/csv_writer.h"

namespace jaxtrace {
namespace {

class Sink : public std::streambuf {
 public:
  std::int64_t bytes = 0;

 protected:
  std::streamsize xsputn(const char* /*text*/, std::streamsize count) override {
    bytes += count;
    return count;
  }
};

void write_kernel_rows(benchmark::State& state) {
  Sink sink;
  std::ostream out(&sink);
  CsvWriter csv(out);
  std::int64_t row = 0;
  for (auto _ : state) {
    csv.cell("host0");
    csv.cell("GPU:0");
    csv.cell("Stream #16(MemcpyD2D,Compute)");  // Quoted: the slowest cell of a real row.
    csv.cell(1'234'567'890'000 + row * 12'345);
    csv.cell(std::int64_t{12'345});
    csv.cell("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm>(Params)");
    csv.cell("kernel");
    csv.cell(++row);
    csv.cell(std::int64_t{17});
    csv.cell("jit_train_step");
    csv.cell("loop_multiply_fusion.3");
    csv.thousandths(950);
    csv.cell("jit(train_step)/jvp(transformer)/layer_3/attention/dot_general");
    csv.cell("/home/user/model/attention.py");
    csv.cell(77);
    csv.cell();
    csv.end_row();
  }
  csv.flush();
  state.SetBytesProcessed(sink.bytes);
}
BENCHMARK(write_kernel_rows);

}  // namespace
}  // namespace jaxtrace
