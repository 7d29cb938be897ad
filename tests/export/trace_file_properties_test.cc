// What must hold of a trace file, whatever the capture: it nests, arrows are tied, everything is in
// it with its times, and our own reader of trace JSON gives the same work back.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "export/written_trace.h"
#include "jaxtrace/readers.h"
#include "jaxtrace/trace_builder.h"
#include "support/capture.h"
#include "support/mutate.h"
#include "support/program.h"
#include "support/random.h"
#include "support/simulate.h"
#include "support/small_program.h"
#include "support/world_random.h"
#include "support/write_xplane.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

/// Device events by plane, begin, duration, name, correlation, hlo_op; in any order, any clock.
using Work = std::multiset<
    std::tuple<std::string, std::int64_t, std::int64_t, std::string, std::uint64_t, std::string>>;

Work work_of(const Trace& trace, Picoseconds later) {
  Work work;
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    const Device& device = trace.devices[static_cast<std::size_t>(lane.device)];
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      const Annotation& said =
          trace.annotations[static_cast<std::size_t>(trace.events.annotation[i])];
      work.emplace(trace.strings[device.plane], (trace.events.begin[i] + later).count(),
                   trace.events.duration[i].count(), trace.strings[trace.events.name[i]],
                   trace.events.correlation[i], trace.strings[said.hlo_op]);
    }
  }
  return work;
}

void expect_read_back(const Trace& trace, const Written& written) {
  const ScratchDir directory;
  write_file(directory.path() / "host0.trace.json", written.json);
  const Trace json = read_trace_json(directory.path() / "host0.trace.json");
  EXPECT_TRUE(work_of(json, Picoseconds{0}) == work_of(trace, written.counts.shift));
}

/// Every kernel that has an instruction is counted in one slice of it.
void expect_instructions(const Trace& trace, const Written& written) {
  std::map<std::string, std::int64_t> drawn, known;
  for (const ViewedEvent* op : written.view.slices("XLA Ops")) {
    drawn[op->name] += std::stoll(op->args.at("kernels"));
  }
  const Ops ops = find_ops(trace, written.attribution);
  for (std::size_t i = 0; i < trace.device_events; ++i) {
    const std::uint32_t op = ops.of_label[written.attribution.label[i]];
    if (op != kNone && written.works.timed[i]) ++known[ops.rows[op].name];
  }
  EXPECT_EQ(drawn, known);
}

void expect_good(const Trace& trace) {
  const Written written(trace);
  EXPECT_EQ(faults_of(written.view), std::vector<std::string>{});
  EXPECT_EQ(written.view.slices("Stream").size(), written.counts.device_events);
  EXPECT_EQ(written.counts.damaged + written.counts.left_out, 0U);
  EXPECT_EQ(written.counts.device_events, trace.device_events);
  EXPECT_EQ(written.counts.host_events, trace.events.size() - trace.device_events);
  expect_read_back(trace, written);
  expect_instructions(trace, written);
}

TEST(TraceFileProperties, OfWorlds) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE("world " + std::to_string(seed));
    const synth::Recording recording = world::run(world::random_world(seed).world).recording;
    expect_good(read_bytes(synth::xspace_bytes(recording)));
  }
}

synth::Recording session(synth::Style style, std::uint64_t seed) {
  using namespace synth;
  const Program program = small_program(
      "jit_step",
      {graph({fusion("a"), fusion("a.1", "a"), copy("copy.3"), gemm("gemm.4")}),
       loop("while.5", 3, {fusion("b")}), custom("custom-call.8", "my_ffi"),
       async("all-gather-start.1", {collective("all-gather.1", "all-gather")}, {fusion("h")})});
  return simulate({program}, {.style = style,
                              .devices = 3,
                              .seed = seed,
                              .command_buffer_events = true,
                              .thunk_events = true});
}

TEST(TraceFileProperties, OfSessions) {
  for (const synth::Style style :
       {synth::Style::cuda, synth::Style::rocm, synth::Style::roctracer}) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      SCOPED_TRACE(seed);
      synth::Recording recording = session(style, seed);
      if (seed > 1) drop_events(recording, 0.05, seed);
      expect_good(read_bytes(synth::xspace_bytes(recording)));
    }
  }
}

TEST(TraceFileProperties, AChoiceIsAPartOfTheWhole) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE("world " + std::to_string(seed));
    const synth::Recording recording = world::run(world::random_world(seed).world).recording;
    const Trace trace = read_bytes(synth::xspace_bytes(recording));
    const Written whole(trace);
    std::uint64_t sum = 0;
    for (const Device& device : trace.devices) {
      const Written part(trace, {.steps = {}, .device = device.ordinal});
      EXPECT_EQ(faults_of(part.view), std::vector<std::string>{});
      sum += part.counts.device_events;
    }
    EXPECT_EQ(sum, whole.counts.device_events);
    const Written some(trace, {.steps = StepRange{1, 3}, .device = {}});
    EXPECT_EQ(faults_of(some.view), std::vector<std::string>{});
    std::uint64_t dealt = 0;
    for (std::size_t i = 0; i < trace.device_events; ++i) {
      const std::uint32_t step = some.steps.step_of[i];
      if (step == kNoStep) continue;
      const std::int64_t number = some.steps.steps[step].number;
      if (number == 1 || number == 2) ++dealt;
    }
    EXPECT_GE(some.counts.device_events, dealt);
    EXPECT_LT(some.counts.device_events, whole.counts.device_events);
    EXPECT_LE(some.counts.host_events, whole.counts.host_events);
  }
}

/// Events that begin and end anywhere, under names of any bytes, instructions as a tracer says.
Trace chaos(std::uint64_t seed) {
  synth::Random random(seed);
  TraceBuilder builder;
  const HostId host = builder.add_host("h", "h.xplane.pb");
  const auto any_name = [&] {
    std::string name;
    for (std::uint64_t i = random.below(6) + 1; i > 0; --i) {
      name += static_cast<char>(random.below(256));
    }
    return builder.intern(name);
  };
  for (int d = 0; d < 2; ++d) {
    const StringId plane = builder.intern("/device:GPU:" + std::to_string(d));
    Device row;
    row.host = host;
    row.plane = plane;
    row.ordinal = d;
    const DeviceId device = builder.add_device(row);
    for (int s = 0; s < 3; ++s) {
      const std::int64_t id = s == 2 ? 1'000'001 : 7;  // A stream with a number of ours; twins.
      builder.begin_lane({.host = host,
                          .kind = LaneKind::stream,
                          .device = device,
                          .name = builder.intern("Stream #" + std::to_string(s)),
                          .id = id});
      for (int i = 0; i < 60; ++i) {
        const auto op = static_cast<char>('a' + random.below(3));
        const AnnotationId said =
            builder.annotation({.hlo_op = builder.intern(std::string(1, op)),
                                .hlo_module = builder.intern("jit_f"),
                                .op_name = builder.intern("jit(f)/" + std::string(1, op) + "/mul"),
                                .prefix = {},
                                .tf_op = {},
                                .program_id = 1});
        builder.add_event(
            {.begin = Picoseconds{static_cast<std::int64_t>(random.below(40'000'000)) + 1},
             .duration = Picoseconds{static_cast<std::int64_t>(random.below(3'000'000))},
             .name = any_name(),
             .annotation = random.below(4) == 0 ? AnnotationId::none : said,
             .correlation = random.below(50)});
      }
    }
  }
  for (int t = 0; t < 3; ++t) {
    builder.begin_lane({.host = host,
                        .kind = LaneKind::host,
                        .name = builder.intern("thread"),
                        .id = t == 0 ? 5 : (std::int64_t{t} << 32U) + 5});
    for (int i = 0; i < 80; ++i) {
      builder.add_event(
          {.begin = Picoseconds{static_cast<std::int64_t>(random.below(40)) * 1'000'000},
           .duration = Picoseconds{static_cast<std::int64_t>(random.below(9)) * 1'000'000},
           .name = random.below(2) == 0 ? builder.intern("cuLaunchKernel") : any_name(),
           .correlation = random.below(50)});
    }
  }
  return std::move(builder).finish();
}

TEST(TraceFileProperties, OfChaos) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const Trace trace = chaos(seed);
    const Written written(trace);
    EXPECT_EQ(faults_of(written.view), std::vector<std::string>{});
    EXPECT_EQ(written.counts.device_events + written.counts.damaged, trace.device_events);
    EXPECT_EQ(written.counts.left_out, 0U);
    expect_instructions(trace, written);
    // The outermost scope is around all instructions, and what lies between them.
    std::int64_t inside = 0, around = 0;
    for (const ViewedEvent* op : written.view.slices("XLA Ops")) inside += op->duration;
    for (const ViewedEvent* scope : written.view.slices("Framework Name Scope")) {
      if (scope->name == "jit(f)") around += scope->duration;
    }
    EXPECT_GE(around, inside);
    EXPECT_GT(inside, 0);
  }
}

TEST(TraceFileProperties, ItIsTheSameEachTime) {
  const Trace trace = chaos(3);
  EXPECT_EQ(Written(trace).json, Written(trace).json);
}

TEST(TraceFileProperties, OfRealCaptures) {
  const fs::path captures = real_captures();
  if (captures.empty()) GTEST_SKIP() << "JAXTRACE_CAPTURES is not set";
  for (const char* name : {"jax-rocm/conv-mi300x-jax08", "jax-rocm/conv-mi300x-legacy",
                           "jax-rocm/te-attention-mi355x", "xla-cuda/2025_02_05_11_05_24",
                           "xla-cuda/2025_02_05_11_07_48", "tensorflow-cuda/GPU-multi-worker"}) {
    SCOPED_TRACE(name);
    const Trace trace = read_capture(captures / name);
    const Written written(trace);
    EXPECT_EQ(faults_of(written.view), std::vector<std::string>{});
    EXPECT_EQ(written.counts.device_events, trace.device_events);
    EXPECT_EQ(written.counts.host_events, trace.events.size() - trace.device_events);
    expect_read_back(trace, written);
    expect_instructions(trace, written);
  }
}

}  // namespace
}  // namespace jaxtrace
