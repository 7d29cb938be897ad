// How fast a big trace JSON is read, and in how much memory, beside inflating it and doing nothing.
//
//   JAXTRACE_BENCH_EVENTS=1000000 jaxtrace_bench --benchmark_filter=trace_json     (default
//   5,000,000)
//
// The file has what fills real ones: frames of the Python tracer, launches, and kernels with the
// args that CUDA kernels of XLA have, in the order and with the compression of the profiler.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "jaxtrace/readers.h"
#include "support/program.h"
#include "support/random.h"

namespace jaxtrace {
namespace {

constexpr std::int64_t kDevices = 8;
constexpr std::int64_t kOps = 400;

/// A gzip file that is written piece by piece.
class GzipOut {
 public:
  explicit GzipOut(const std::filesystem::path& path) : file_(::gzopen(path.c_str(), "wb6")) {
    if (file_ == nullptr) throw std::runtime_error("cannot write " + path.string());
  }
  ~GzipOut() { ::gzclose(file_); }
  GzipOut(const GzipOut&) = delete;
  GzipOut& operator=(const GzipOut&) = delete;

  void put(const std::string& text) {
    ::gzwrite(file_, text.data(), static_cast<unsigned>(text.size()));
  }

 private:
  gzFile file_;
};

std::string begin_of(std::int64_t process, std::int64_t thread, std::int64_t begin_ns,
                     std::int64_t duration_ns) {
  return fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{:.17g},"dur":{:.17g},)", process, thread,
                     static_cast<double>(begin_ns) / 1000, static_cast<double>(duration_ns) / 1000);
}

std::string kernel(std::int64_t op, std::int64_t device, std::int64_t begin, std::int64_t duration,
                   std::int64_t call) {
  return begin_of(device + 1, 16, begin, duration) +
         fmt::format(
             R"("name":"loop_add_multiply_fusion_{0}","args":{{"context_id":"$$1",)"
             R"("correlation_id":"{1}","hlo_module":"jit_train_step",)"
             R"("hlo_op":"loop_add_multiply_fusion.{0}","kernel_details":"regs:32 )"
             R"(static_shared:0 dynamic_shared:0 grid:{2},1,1 block:256,1,1 occ_pct:100",)"
             R"("name":"jit(train_step)/jvp(main)/layer/dot_general_{3}","tf_op":"XlaModule:"}}}},)",
             op, call, op % 37 + 1, op % 90);
}

std::string launch(std::int64_t op, std::int64_t begin, std::int64_t call) {
  return begin_of(701, 3'836'656'465, begin, 3000) +
         fmt::format(R"("name":"loop_add_multiply_fusion_{}","args":{{"correlation_id":"{}",)"
                     R"("device_id":"{}"}}}},)",
                     op, call, call % kDevices);
}

std::string frame(std::int64_t op, std::int64_t begin, std::int64_t duration) {
  return begin_of(701, 290'211'987, begin, duration) +
         fmt::format(R"("name":"$array.py:{} _check_{}"}},)", op % 900, op % 120);
}

void put_names(GzipOut& out) {
  const auto name = [&](std::int64_t process, const std::string& member, const std::string& name) {
    out.put(
        fmt::format(R"({{"ph":"M","pid":{},{}"args":{{"name":"{}"}}}},)", process, member, name));
  };
  for (std::int64_t device = 0; device < kDevices; ++device) {
    name(device + 1, R"("name":"process_name",)", fmt::format("/device:GPU:{}", device));
    name(device + 1, R"("tid":16,"name":"thread_name",)", "Stream #16(Compute)");
  }
  name(701, R"("name":"process_name",)", "/host:CPU");
  name(701, R"("tid":3836656465,"name":"thread_name",)", "py_xla_execute/-458310831");
  name(701, R"("tid":290211987,"name":"thread_name",)", "python");
}

/// Two events in five are kernels, one is a launch, two are frames of Python.
void write_trace(const std::filesystem::path& path, std::int64_t events) {
  GzipOut out(path);
  synth::Random random(1, "durations");
  out.put(R"({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[)");
  put_names(out);
  const std::int64_t kernels = events * 2 / 5 / kDevices;
  for (std::int64_t device = 0; device < kDevices; ++device) {
    std::int64_t begin = 911'061'000;
    for (std::int64_t i = 0; i < kernels; ++i) {
      const std::int64_t duration = random.between(1000, 90'000);
      out.put(kernel(i % kOps, device, begin, duration, device * kernels + i + 1));
      begin += duration + random.between(0, 2000);
    }
  }
  for (std::int64_t i = 0; i < events / 5; ++i) {
    out.put(launch(i % kOps, 911'060'000 + i * 5000, i + 1));
  }
  for (std::int64_t i = 0; i < events * 2 / 5; ++i) {
    out.put(frame(i * 7919 % 10'007, 911'060'000 + i * 2500, random.between(100, 2400)));
  }
  out.put("{}]}");
}

/// One file for all benchmarks of a run.
const std::filesystem::path& trace() {
  static const ScratchDir directory;
  static const std::filesystem::path path = [] {
    const char* const events = std::getenv("JAXTRACE_BENCH_EVENTS");
    write_trace(directory.path() / "host.trace.json.gz",
                events == nullptr ? 5'000'000 : std::atoll(events));
    return directory.path() / "host.trace.json.gz";
  }();
  return path;
}

/// Peak memory of `work` in bytes, in a process of its own.
template <typename Work>
std::int64_t peak_memory(Work work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  struct rusage usage {};
  ::wait4(child, &status, 0, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

/// Bytes that the columns of a Trace take.
std::int64_t model_bytes(const Trace& read) {
  const std::size_t event = sizeof(Picoseconds) * 2 + sizeof(StringId) + sizeof(AnnotationId) +
                            sizeof(DetailsId) + sizeof(std::uint64_t);
  return static_cast<std::int64_t>(read.events.size() * event +
                                   read.events.graph_node.size() * sizeof(std::uint64_t) +
                                   read.stats.size() * sizeof(EventStat));
}

void trace_json_with_jaxtrace(benchmark::State& state) {
  const std::filesystem::path path = trace();
  const std::int64_t idle = peak_memory([] {});
  const std::int64_t peak = peak_memory([&] { benchmark::DoNotOptimize(read_trace_json(path)); });
  std::int64_t model = 0;
  for (auto _ : state) {
    const Trace read = read_trace_json(path);
    model = model_bytes(read);
    state.counters["events"] = static_cast<double>(read.events.size());
  }
  state.counters["model_MB"] = static_cast<double>(model) / 1e6;
  state.counters["beyond_model_MB"] = static_cast<double>(peak - idle - model) / 1e6;
}

/// The least that reading can take.
void trace_json_with_gzip(benchmark::State& state) {
  const std::string command = "gzip -dc '" + trace().string() + "' > /dev/null";
  for (auto _ : state) {
    if (std::system(command.c_str()) != 0) state.SkipWithError("gzip failed");
  }
}

BENCHMARK(trace_json_with_gzip)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(3);
BENCHMARK(trace_json_with_jaxtrace)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(3);

}  // namespace
}  // namespace jaxtrace
