// How fast a big capture is read, and in how much memory, beside protobuf's own way to read it.
//
//   JAXTRACE_BENCH_MB=1024 jaxtrace_bench     (default 512; the file goes to the temporary folder)
//
// read_capture does all that the program needs: names, annotations, launch dimensions, order.  The
// other only parses and adds up durations, and is what one gets for three lines of code.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "jaxtrace/readers.h"
#include "proto/xplane.pb.h"
#include "support/program.h"
#include "support/random.h"
#include "support/wire_out.h"

namespace jaxtrace {
namespace {

using synth::put_bytes;
using synth::put_number;

constexpr std::int64_t kOps = 400;    // Instructions of the program; a kernel each.
constexpr std::int64_t kStreams = 4;  // On each of
constexpr std::int64_t kDevices = 8;  // the devices.
constexpr std::int64_t kThreads = 8;
constexpr std::int64_t kFirstText = 100;  // Stat metadata from here on are texts.

std::string stat(std::int64_t key, std::uint32_t field, std::int64_t value) {
  std::string out;
  put_number(out, 1, key);
  put_number(out, field, value);
  return out;
}

std::string text_stat(std::int64_t key, std::string_view value) {
  std::string out;
  put_number(out, 1, key);
  put_bytes(out, 5, value);
  return out;
}

std::string metadata_entry(std::int64_t key, std::string_view name) {
  std::string value;
  put_number(value, 1, key);
  put_bytes(value, 2, name);
  std::string entry;
  put_number(entry, 1, key);
  put_bytes(entry, 2, value);
  return entry;
}

/// A kernel with the eight stats that CUDA kernels of XLA have.
std::string kernel(std::int64_t op, std::int64_t begin, std::int64_t duration, std::int64_t call) {
  std::string out;
  put_number(out, 1, op + 1);
  put_number(out, 2, begin);
  put_number(out, 3, duration);
  put_bytes(out, 4, stat(1, 3, call));                         // correlation_id
  put_bytes(out, 4, text_stat(2, "$$1"));                      // context_id
  put_bytes(out, 4, stat(3, 7, kFirstText + op % 37));         // kernel_details
  put_bytes(out, 4, stat(4, 7, kFirstText + 98));              // tf_op
  put_bytes(out, 4, stat(5, 7, kFirstText + 99));              // hlo_module
  put_bytes(out, 4, stat(6, 4, 17));                           // program_id
  put_bytes(out, 4, stat(7, 7, kFirstText + 100 + op));        // hlo_op
  put_bytes(out, 4, stat(8, 7, kFirstText + 1000 + op % 90));  // name
  return out;
}

std::string call_event(std::int64_t op, std::int64_t begin, std::int64_t duration,
                       std::int64_t call) {
  std::string out;
  put_number(out, 1, op + 1);
  put_number(out, 2, begin);
  put_number(out, 3, duration);
  put_bytes(out, 4, stat(1, 3, call));
  put_bytes(out, 4, stat(9, 3, call % kDevices));  // device_id
  return out;
}

void put_names(std::string& plane) {
  for (std::int64_t op = 0; op < kOps; ++op) {
    put_bytes(plane, 4, metadata_entry(op + 1, "loop_add_multiply_fusion_" + std::to_string(op)));
  }
  const char* const names[] = {"correlation_id", "context_id", "kernel_details",
                               "tf_op",          "hlo_module", "program_id",
                               "hlo_op",         "name",       "device_id"};
  std::int64_t key = 0;
  for (const char* name : names) put_bytes(plane, 5, metadata_entry(++key, name));
  const auto text = [&](std::int64_t id, const std::string& value) {
    put_bytes(plane, 5, metadata_entry(kFirstText + id, value));
  };
  for (std::int64_t i = 0; i < 37; ++i) {
    text(i, "regs:32 static_shared:0 dynamic_shared:0 grid:" + std::to_string(i) +
                ",1,1 block:256,1,1 occ_pct:100");
  }
  text(98, "XlaModule:");
  text(99, "jit_train_step");
  for (std::int64_t i = 0; i < kOps; ++i) {
    text(100 + i, "loop_add_multiply_fusion." + std::to_string(i));
  }
  for (std::int64_t i = 0; i < 90; ++i) {
    text(1000 + i, "jvp(main)/layer/dot_general_" + std::to_string(i));
  }
}

using Event = std::string (*)(std::int64_t, std::int64_t, std::int64_t, std::int64_t);

std::string line(std::int64_t id, const std::string& name, std::int64_t events, Event event,
                 std::int64_t& call) {
  std::string out;
  put_number(out, 1, id);
  put_bytes(out, 2, name);
  put_number(out, 3, 911061);
  synth::Random random(static_cast<std::uint64_t>(id), "durations");
  std::int64_t begin = 0;
  for (std::int64_t i = 0; i < events; ++i) {
    const std::int64_t duration = random.between(1000, 90000) * 1000;
    put_bytes(out, 4, event(i % kOps, begin, duration, call++));
    begin += duration + random.between(0, 2000) * 1000;
  }
  return out;
}

/// Writes a capture of about `size` bytes, one line at a time.
void write_capture(const std::filesystem::path& path, std::int64_t size) {
  // A kernel and its call take about 105 bytes together.
  const std::int64_t a_stream = size / 105 / (kStreams * kDevices);
  const std::int64_t a_thread = a_stream * kStreams * kDevices / kThreads;
  std::ofstream out(path, std::ios::binary);
  std::int64_t call = 1;
  const auto put_plane = [&](const std::string& name, std::int64_t lines, const char* line_name,
                             std::int64_t events, Event event) {
    std::string plane;
    put_bytes(plane, 2, name);
    for (std::int64_t i = 0; i < lines; ++i) {
      put_bytes(plane, 3, line(i + 10, line_name + std::to_string(i + 10), events, event, call));
    }
    put_names(plane);
    std::string header;
    synth::put_varint(header, 10);
    synth::put_varint(header, plane.size());
    out << header << plane;
  };
  for (std::int64_t device = 0; device < kDevices; ++device) {
    put_plane("/device:GPU:" + std::to_string(device), kStreams, "Stream #", a_stream, kernel);
  }
  call = 1;
  put_plane("/host:CPU", kThreads, "Host Threads/", a_thread, call_event);
}

/// One file for all benchmarks of a run.
const std::filesystem::path& capture() {
  static const ScratchDir directory;
  static const std::filesystem::path path = [] {
    const char* const megabytes = std::getenv("JAXTRACE_BENCH_MB");
    const std::int64_t size = megabytes == nullptr ? 512 : std::atoll(megabytes);
    write_capture(directory.path() / "host.xplane.pb", size * 1'000'000);
    return directory.path() / "host.xplane.pb";
  }();
  return path;
}

/// Peak memory of `work` in bytes, in a process of its own, over what a process takes that does
/// nothing.
template <typename Work>
std::int64_t peak_memory(Work work) {
  const auto run = [](auto&& body) {
    const pid_t child = ::fork();
    if (child == 0) {
      body();
      ::_exit(0);
    }
    int status = 0;
    struct rusage usage {};
    ::wait4(child, &status, 0, &usage);
    return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
  };
  const std::int64_t idle = run([] {});
  return run(work) - idle;
}

void count_bytes(benchmark::State& state, std::int64_t events) {
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(capture()));
  state.SetBytesProcessed(state.iterations() * size);
  state.counters["events"] = static_cast<double>(events);
}

void read_with_jaxtrace(benchmark::State& state) {
  const std::filesystem::path path = capture();
  const std::int64_t peak = peak_memory([&] { benchmark::DoNotOptimize(read_capture(path)); });
  std::int64_t events = 0;
  for (auto _ : state) {
    const Trace trace = read_capture(path);
    events = static_cast<std::int64_t>(trace.events.size());
  }
  count_bytes(state, events);
  state.counters["peak_bytes_per_event"] = static_cast<double>(peak) / static_cast<double>(events);
}

void read_with_protobuf(benchmark::State& state) {
  const std::filesystem::path path = capture();
  std::int64_t events = 0;
  const auto read = [&] {
    pb::XSpace space;
    std::ifstream in(path, std::ios::binary);
    if (!space.ParseFromIstream(&in)) std::abort();
    std::int64_t total = 0;
    events = 0;
    for (const pb::XPlane& plane : space.planes()) {
      for (const pb::XLine& a_line : plane.lines()) {
        for (const pb::XEvent& event : a_line.events()) {
          total += event.duration_ps();
          ++events;
        }
      }
    }
    benchmark::DoNotOptimize(total);
  };
  const std::int64_t peak = peak_memory(read);
  for (auto _ : state) read();
  count_bytes(state, events);
  state.counters["peak_bytes_per_event"] = static_cast<double>(peak) / static_cast<double>(events);
}

BENCHMARK(read_with_jaxtrace)->Unit(benchmark::kMillisecond)->MinTime(3);
BENCHMARK(read_with_protobuf)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace jaxtrace
