// One run written twice, as xplane file and as JSON, is one Trace but for what JSON loses.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "jaxtrace/error.h"
#include "jaxtrace/readers.h"
#include "proto/xplane.pb.h"
#include "readers/gpu_capture.h"
#include "readers/inflate.h"
#include "support/capture.h"
#include "support/mutate.h"
#include "support/program.h"
#include "support/simulate.h"
#include "support/small_program.h"
#include "support/trace_json.h"
#include "support/write_xplane.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

/// Everything but findings, which differ by "read-from-json" at least.
std::string render_rows(const Trace& trace) {
  const std::string all = render(trace);
  return all.substr(0, all.find("finding "));
}

Trace read_json(const std::string& text) {
  const ScratchDir directory;
  write_file(directory.path() / "host0.trace.json.gz", gzipped(text));
  return read_trace_json(directory.path() / "host0.trace.json.gz");
}

/// A few steps of a program with loops, graphs, branches and library calls.
pb::XSpace simulated(synth::Style style, std::uint64_t seed) {
  using namespace synth;
  const Program program = small_program(
      "jit_step",
      {graph({fusion("a"), fusion("a.1", "a"), copy("copy.3"), gemm("gemm.4")}),
       loop("while.5", 3, {fusion("b")}), custom("custom-call.8", "my_ffi"),
       async("all-gather-start.1", {collective("all-gather.1", "all-gather")}, {fusion("h")})});
  Recording recording = simulate({program}, {.style = style,
                                             .devices = 3,
                                             .seed = seed,
                                             .command_buffer_events = true,
                                             .thunk_events = true});
  drop_events(recording, 0.05, seed);
  add_derived_lines(recording);
  return space_of_bytes(xspace_bytes(recording));
}

TEST(TraceJsonPairs, OfTheGenerator) {
  for (const synth::Style style :
       {synth::Style::cuda, synth::Style::rocm, synth::Style::roctracer}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const pb::XSpace space = simulated(style, seed);
      const Trace json = read_json(trace_json_of(space));
      EXPECT_GT(json.device_events, 100U);
      EXPECT_EQ(render_rows(json), render_rows(read_space(without_lost(space))));
    }
  }
}

TEST(TraceJsonPairs, TheOrderOfEventsDoesNotMatter) {
  const std::string text = trace_json_of(simulated(synth::Style::cuda, 1));
  const std::string expected = render(read_json(text));
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    EXPECT_EQ(render(read_json(shuffled_events(text, seed))), expected);
  }
}

TEST(TraceJsonPairs, ALaterRunIsTheSameRunLater) {
  const pb::XSpace space = simulated(synth::Style::rocm, 2);
  constexpr std::int64_t kLaterNs = 3'600'000'000'000;
  const Trace now = read_json(trace_json_of(space));
  const Trace later = read_json(trace_json_of(shifted(space, kLaterNs)));
  ASSERT_EQ(now.events.size(), later.events.size());
  for (std::size_t i = 0; i < now.events.size(); ++i) {
    EXPECT_EQ((later.events.begin[i] - now.events.begin[i]).count(), kLaterNs * 1000);
    EXPECT_EQ(later.events.duration[i], now.events.duration[i]);
  }
}

/// What a device event is in both files.
std::string describe(const Trace& trace, const Lane& lane, std::size_t event, bool with_details) {
  const Annotation& said = annotation(trace, event);
  const auto text = [&](StringId id) { return std::string(trace.strings[id]); };
  const Device& device = trace.devices[static_cast<std::size_t>(lane.device)];
  std::string all =
      text(device.plane) + " " + text(lane.name) + " " +
      std::to_string(trace.events.begin[event].count()) + "+" +
      std::to_string(trace.events.duration[event].count()) + " " + text(trace.events.name[event]) +
      " " + std::to_string(trace.events.correlation[event]) + " " + text(said.hlo_op) + " " +
      text(said.hlo_module) + " " + text(said.op_name) + " " + std::to_string(said.graph_id);
  if (!trace.events.graph_node.empty()) {
    all += " " + std::to_string(trace.events.graph_node[event]);
  }
  if (with_details) all += " " + text(details(trace, event).text);
  return all;
}

std::vector<std::string> device_events(const Trace& trace, bool with_details) {
  std::vector<std::string> events;
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      events.push_back(describe(trace, lane, i, with_details));
    }
  }
  return events;
}

/// The numbers of host events, in their order; `_r` never comes into JSON.
std::vector<std::string> numbers(const Trace& trace) {
  std::vector<std::string> all;
  for (const EventStat& stat : trace.stats) {
    const std::string key(trace.strings[stat.key]);
    if (key == "_r") continue;
    all.push_back(std::string(trace.strings[trace.events.name[stat.event]]) + " " + key + "=" +
                  std::to_string(stat.value));
  }
  return all;
}

class RealTraceJson : public testing::Test {
 protected:
  void SetUp() override {
    if (real_captures().empty()) GTEST_SKIP() << "left out: JAXTRACE_CAPTURES is not set";
  }
};

TEST_F(RealTraceJson, OfXlaOnCuda) {
  for (const char* run : {"2025_02_05_11_05_24", "2025_02_05_11_07_48"}) {
    const fs::path folder = real_captures() / "xla-cuda" / run;
    const Trace xplane = read_capture(folder);
    const Trace json = read_trace_json(folder / "cyclops.trace.json.gz");
    EXPECT_EQ(json.device_events, 2U);
    // The profiler left kernel_details out of its JSON up to jax 0.5.
    EXPECT_EQ(device_events(json, false), device_events(xplane, false));
    EXPECT_EQ(trace_jsons(folder), std::vector{folder / "cyclops.trace.json.gz"});
    // Another writer's JSON of these bytes is what ours is.
    const Trace ours =
        read_json(trace_json_of(space_of_bytes(read_file(folder / "cyclops.xplane.pb"))));
    EXPECT_EQ(device_events(json, false), device_events(ours, false));
    EXPECT_EQ(json.events.size(), ours.events.size());
  }
}

TEST_F(RealTraceJson, OfProgramsWithGraphs) {
  const fs::path goldens = real_captures().parent_path() / "goldens/graph-captures";
  std::size_t compared = 0;
  for (const fs::directory_entry& capture : fs::directory_iterator(goldens)) {
    const auto bytes = inflate(read_file(capture.path() / "host0.xplane.pb.gz"));
    ASSERT_TRUE(bytes.has_value());
    const Trace xplane = read_bytes(*bytes);
    const Trace json = read_trace_json(capture.path() / "host0.trace.json.gz");
    EXPECT_EQ(device_events(json, true), device_events(xplane, true)) << capture.path();
    EXPECT_EQ(json.events.size(), xplane.events.size());
    EXPECT_EQ(numbers(json), numbers(xplane)) << capture.path();
    compared += json.device_events;
  }
  EXPECT_EQ(compared, 15022U);
}

TEST_F(RealTraceJson, OfOthersIsRefusedByName) {
  const auto refusal = [](const fs::path& path) {
    try {
      read_capture(path, {"", {}, true});
    } catch (const InputError& error) {
      EXPECT_EQ(error.code(), ExitCode::input_unfit);
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  std::size_t pytorch = 0;
  for (const fs::directory_entry& file :
       fs::directory_iterator(real_captures() / "other/pytorch")) {
    EXPECT_NE(refusal(file.path()).find("is a PyTorch trace"), std::string::npos) << file.path();
    ++pytorch;
  }
  EXPECT_EQ(pytorch, 4U);
  const fs::path others = real_captures() / "other";
  EXPECT_NE(refusal(others / "tpu/2026_01_11_21_26_41-t1v-n-9eb622fc-w-0.trace.json.gz")
                .find("is a TPU capture: no GPU process, only /device:TPU:0"),
            std::string::npos);
  EXPECT_NE(refusal(others / "xla-cpu/fv-az1373-146.trace.json.gz")
                .find("is a CPU capture: no GPU process, only /host:CPU"),
            std::string::npos);
  EXPECT_NE(refusal(real_captures() / "att/pc-sampling/code.json").find("no array traceEvents"),
            std::string::npos);
}

}  // namespace
}  // namespace jaxtrace
