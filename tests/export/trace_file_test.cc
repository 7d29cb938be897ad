// What a trace file says of captures small enough to read.
#include "export/trace_file.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "export/written_trace.h"
#include "jaxtrace/readers.h"
#include "jaxtrace/trace_builder.h"
#include "support/capture.h"
#include "support/program.h"
#include "support/rows.h"
#include "support/simulate.h"
#include "support/small_program.h"
#include "support/write_xplane.h"

namespace jaxtrace {
namespace {

using Texts = std::vector<std::string>;

Texts names(const std::vector<const ViewedEvent*>& slices) {
  Texts out;
  for (const ViewedEvent* slice : slices) out.push_back(slice->name);
  return out;
}

/// "name [begin,end)" in microseconds of the rows' clock.
Texts spans(const std::vector<const ViewedEvent*>& slices) {
  Texts out;
  for (const ViewedEvent* slice : slices) {
    const auto us = [](std::int64_t ps) { return std::to_string(ps / 1'000'000 - 10'000); };
    out.push_back(slice->name + " [" + us(slice->begin) + ',' + us(slice->begin + slice->duration) +
                  ')');
  }
  return out;
}

constexpr const char* kTwoSteps = R"(
repeat 4 every 100
H python [0,40) step=# train
H python [2,38) PjitFunction(f)
C s1 [10,20) name fusion_1 op fusion.1 module jit_f launch [4,6)
C s1 [20,30) name gemm_a op dot.2 module jit_f launch [7,8)
C s1 [32,36) name gemm_b op dot.2 module jit_f launch [9,10)
C s1 [40,50) name fusion_1 op fusion.1 module jit_f launch [11,12)
end
)";

TEST(TraceFile, StreamsAndThreadsAreAsInTheCapture) {
  const Trace trace = rows::trace_of(kTwoSteps);
  const Written written(trace);
  EXPECT_EQ(faults_of(written.view), Texts{});
  EXPECT_EQ(written.view.slices("Stream").size(), 16U);
  EXPECT_EQ(written.counts.device_events, 16U);
  EXPECT_EQ(spans(written.view.slices("Stream"))[1], "gemm_a [20,30)");
  EXPECT_EQ(written.counts.arrows, 16U);
  EXPECT_EQ(written.counts.moved_kernels, 0U);
}

TEST(TraceFile, KernelsOfAnInstructionAreOneSliceUntilOneComesAgain) {
  const Trace trace = rows::trace_of(R"(
H python [0,90) jit_f:XLA~GPU~module
C s1 [10,20) name gemm_a op dot.2 module jit_f launch [4,6)
C s1 [22,30) name gemm_b op dot.2 module jit_f launch [7,8)
C s1 [32,36) name gemm_a op dot.2 module jit_f launch [9,10)
C s1 [40,50) name gemm_b op dot.3 module jit_f launch [11,12)
)");
  const Written written(trace);
  EXPECT_EQ(spans(written.view.slices("XLA Ops")),
            (Texts{"dot.2 [10,30)", "dot.2 [32,36)", "dot.3 [40,50)"}));
}

TEST(TraceFile, StepsAreThoseOfSkipStats) {
  const Trace trace = rows::trace_of(kTwoSteps);
  const Written written(trace);
  EXPECT_EQ(spans(written.view.slices("Steps")), (Texts{"train 0 [10,110)", "train 1 [110,210)",
                                                        "train 2 [210,310)", "train 3 [310,350)"}));
}

TEST(TraceFile, AChoiceOfStepsLeavesOutTheOthersWork) {
  const Trace trace = rows::trace_of(kTwoSteps);
  const Written written(trace, {.steps = StepRange{1, 3}, .device = {}});
  EXPECT_EQ(faults_of(written.view), Texts{});
  EXPECT_EQ(names(written.view.slices("Steps")), (Texts{"train 1", "train 2"}));
  EXPECT_EQ(written.view.slices("Stream").size(), 8U);
  EXPECT_EQ(spans(written.view.slices("Stream"))[0], "fusion_1 [110,120)");
  const Texts host = spans(written.view.slices("python"));
  EXPECT_TRUE(std::ranges::find(host, "train [100,140)") != host.end());
  EXPECT_TRUE(std::ranges::find(host, "train [0,40)") == host.end());
  EXPECT_TRUE(Written(trace, {.steps = StepRange{9, {}}, .device = {}}).selection.empty());
}

TEST(TraceFile, AChoiceOfAGpuLeavesOutTheOthersAndTheThreadsThatFeedThem) {
  const Trace trace = rows::trace_of(R"(
H python [0,90) f
H feeder~1 [0,90) g
H feeder~2 [0,90) g
C gpu0 s1 [10,20) name a on feeder~1 launch [4,6)
C gpu1 s1 [10,20) name b on feeder~2 launch [4,6)
)");
  const Written written(trace, {.steps = {}, .device = 1});
  EXPECT_EQ(names(written.view.slices("Stream")), Texts{"b"});
  EXPECT_EQ(names(written.view.slices("feeder 1")), Texts{});
  EXPECT_FALSE(written.view.slices("feeder 2").empty());
  EXPECT_EQ(names(written.view.slices("python")), Texts{"f"});
  EXPECT_TRUE(Written(trace, {.steps = {}, .device = 7}).selection.empty());
}

TEST(TraceFile, OverlapsOnAStreamGetAFurtherRowWithTheirTimes) {
  const Trace trace = rows::trace_of(R"(
C s1 [10,20) name a op a.1 module jit_f
C s1 [19.9,30) name b op b.1 module jit_f
C s1 [25,40) name c op c.1 module jit_f
)");
  const Written written(trace);
  EXPECT_EQ(faults_of(written.view), Texts{});
  EXPECT_EQ(written.counts.moved_kernels, 1U);
  EXPECT_EQ(written.view.slices("Stream").size(), 3U);
  // A tenth of a microsecond is the clock's, and cut; five are not.
  const auto ops = written.view.slices("XLA Ops");
  EXPECT_EQ(names(ops), (Texts{"a.1", "b.1", "c.1"}));
  EXPECT_EQ(ops[0]->duration, 9'900'000);
  EXPECT_EQ(ops[0]->thread, ops[1]->thread);
  EXPECT_NE(ops[1]->thread, ops[2]->thread);
  EXPECT_EQ(written.counts.cut.count, 1U);
  EXPECT_EQ(written.counts.cut.longest.count(), 100'000);
}

TEST(TraceFile, StreamsSideBySideHaveLanesOfTheirOwn) {
  const Trace trace = rows::trace_of(R"(
C s1 [10,50) name a op a.1 module jit_f
C s2 [20,60) name b op b.1 module jit_f
)");
  const Written written(trace);
  EXPECT_EQ(names(written.view.slices("XLA Ops - from #1")), Texts{"a.1"});
  EXPECT_EQ(names(written.view.slices("XLA Ops - from #2")), Texts{"b.1"});
}

TEST(TraceFile, AnArrowLeadsFromAGraphsLaunchToItsFirstKernel) {
  const Trace trace = rows::trace_of(R"(
H python [0,90) jit_f:XLA~GPU~module
C s1 [10,20) name a api cuGraphLaunch launch [4,6) id 7
C s1 [22,30) name b id 7
C s1 [32,36) name c id 7
)");
  const Written written(trace);
  EXPECT_EQ(written.counts.arrows, 1U);
  EXPECT_EQ(faults_of(written.view), Texts{});
}

TEST(TraceFile, AKernelBeforeItsLaunchHasNoArrow) {
  const Trace trace = rows::trace_of("C s1 [10,20) name a launch [15,16)\n");
  const Written written(trace);
  EXPECT_EQ(written.counts.arrows, 0U);
  EXPECT_EQ(written.counts.backwards, 1U);
}

TEST(TraceFile, CollectivesAreMarked) {
  const Trace trace =
      rows::trace_of("X s1 [10,20) name ncclDevKernel_AllReduce_Sum_f32_RING_LL op all-reduce.1\n");
  const Written written(trace);
  const ViewedEvent& kernel = *written.view.slices("Stream").at(0);
  EXPECT_EQ(kernel.cat, "collective");
  EXPECT_EQ(kernel.args.at("collective"), "all-reduce");
}

TEST(TraceFile, AnInstructionSaysWhatIsKnownOfIt) {
  using namespace synth;
  const Recording recording =
      simulate({small_program("jit_step", {fusion("a"), fusion("b"), gemm("gemm.4")})},
               {.steps = 3, .seed = 1});
  const Trace trace = read_bytes(xspace_bytes(recording));
  const Written written(trace);
  EXPECT_EQ(faults_of(written.view), Texts{});
  EXPECT_EQ(written.view.slices("XLA Modules").size(), 3U);
  EXPECT_EQ(written.view.slices("XLA Modules")[0]->name, "jit_step(17)");
  for (const ViewedEvent* op : written.view.slices("XLA Ops")) {
    EXPECT_EQ(op->args.at("match"), op->cat);
    EXPECT_EQ(op->args.at("instruction"), op->name);
    EXPECT_EQ(op->args.at("confidence"), "1");
  }
}

TEST(TraceFile, NothingBeginsBeforeZero) {
  TraceBuilder builder;
  const HostId host = builder.add_host("h", "h.xplane.pb");
  Device row;
  row.host = host;
  row.plane = builder.intern("/device:GPU:0");
  const DeviceId device = builder.add_device(row);
  builder.begin_lane({.host = host,
                      .kind = LaneKind::stream,
                      .device = device,
                      .name = builder.intern("Stream #1")});
  builder.add_event(
      {.begin = Picoseconds{-1500}, .duration = Picoseconds{1000}, .name = builder.intern("a")});
  const Trace trace = std::move(builder).finish();
  const Written written(trace);
  EXPECT_EQ(written.counts.shift.count(), 1'000'000);
  EXPECT_EQ(written.view.slices("Stream").at(0)->begin, 998'500);
}

TEST(TraceFile, HostsMeetByTheTimeOfDay) {
  const auto host = [](const char* start) {
    return std::string(R"(planes { name: "/device:GPU:0" lines { id: 1 name: "Stream #1"
      timestamp_ns: 100 events { metadata_id: 1 duration_ps: 5000 } }
      event_metadata { key: 1 value { id: 1 name: "k" } } }
      planes { name: "Task Environment" stats { metadata_id: 1 uint64_value: )") +
           start + R"( } stat_metadata { key: 1 value { id: 1 name: "profile_start_time" } } })";
  };
  const ScratchDir directory;
  write_file(directory.path() / "a.xplane.pb", bytes_of(host("1700000000000000000")));
  write_file(directory.path() / "b.xplane.pb", bytes_of(host("1700000000000002000")));
  const Trace trace = read_capture(directory.path());
  const Written written(trace);
  const auto kernels = written.view.slices("Stream");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(written.view.process_of(*kernels[0]), "a /device:GPU:0");
  EXPECT_EQ(written.view.process_of(*kernels[1]), "b /device:GPU:0");
  EXPECT_EQ(kernels[1]->begin - kernels[0]->begin, 2'000'000);
}

}  // namespace
}  // namespace jaxtrace
