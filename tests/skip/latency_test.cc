// From the launch call to the kernel.
#include "skip/latency.h"

#include <gtest/gtest.h>

#include "skip/analysed.h"
#include "skip/skip_stats.h"

namespace jaxtrace {
namespace {

using rows::us;

const char* const kBasic = R"(H python [0,60) PjitFunction(f)
                              C s1 [10,20) launch [2,6)
                              C s1 [20,35) launch [7,11)
                              C s1 [40,50) launch [12,15))";

/// Latencies in microseconds; -1 where there is none.
std::vector<double> latencies(const Analysed& a) {
  std::vector<double> out;
  for (std::size_t i = 0; i < a.trace.device_events; ++i) {
    const Latency of = latency(a.trace, a.works, i);
    out.push_back(of.value ? static_cast<double>(of.value->count()) / 1e6 : -1);
  }
  return out;
}

TEST(Latencies, CountFromTheBeginOfTheCall) {
  const Analysed a(kBasic);
  EXPECT_EQ(latencies(a), (std::vector<double>{8, 13, 28}));
  const LatencyStats stats = latency_stats(a.scope(), 0, false);
  EXPECT_EQ(stats.tklqt, us(49));
  EXPECT_EQ(stats.used, 3u);
  EXPECT_EQ(stats.kernels, 3u);
  EXPECT_EQ(stats.kernel_time, us(35));
  EXPECT_EQ(stats.queued, 2u);
  EXPECT_EQ(stats.used, 3u);
  EXPECT_EQ(stats.least_latency, us(8));
  EXPECT_EQ(stats.launches, 3u);

  const std::vector<KernelRow> kernels = kernel_rows(a.scope(), 0, false);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].queue_time.total, us(4 + 9 + 25));
  EXPECT_EQ(kernels[0].queue_time.count, 3u);
  EXPECT_EQ(kernels[0].api_time.total, us(4 + 4 + 3));
  EXPECT_EQ(kernels[0].total_time.total, us(18 + 28 + 38));
  EXPECT_EQ(kernels[0].total_time.median, us(28));
}

TEST(Latencies, AStepLastsFromItsFirstParentToItsLastEnd) {
  // Of other names, so that they are not three steps of one kernel.
  const Analysed a(R"(H python [0,60) PjitFunction(f)
                      C s1 [10,20) name a launch [2,6)
                      C s1 [20,35) name b launch [7,11)
                      C s1 [40,50) name c launch [12,15))");
  const StepLatency step = skip_stats(a.trace).devices[0].latencies.at(0);
  EXPECT_EQ(step.il, us(50));
  EXPECT_EQ(step.idle_paper, us(15));
  EXPECT_EQ(step.idle_union, us(15));
  const Budget budget = a.budget(window(10, 50));
  EXPECT_EQ(budget.busy(), us(35));
  EXPECT_EQ(budget.idle, us(5));
}

TEST(Latencies, ThePapersIdleIsNegativeWhereStreamsRunAtOnce) {
  const Analysed a(R"(H python [0,5) PjitFunction(f)
                      C s1 [0,10) launch [0,1)
                      C s2 [5,15) launch [1,2))");
  const StepLatency step = skip_stats(a.trace).devices[0].latencies.at(0);
  EXPECT_EQ(step.il, us(15));
  EXPECT_EQ(step.idle_paper, us(-5));
  EXPECT_EQ(step.idle_union, us(0));
}

TEST(Latencies, OfAGraphOnlyTheFirstEventHasOne) {
  const Analysed a(R"(C s1 [10,12) launch [0,5) id 9 api cuGraphLaunch graph 3
                      C s1 [12,15) id 9 graph 3
                      C s1 [16,20) id 9 graph 3)");
  EXPECT_EQ(latencies(a), (std::vector<double>{10, -1, -1}));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(a.works.fan_out[i], 3u);
    EXPECT_EQ(a.works.graph_index[i], i);
    EXPECT_EQ(a.works.launch_kind[i], LaunchKind::graph);
  }
  const LatencyStats stats = latency_stats(a.scope(), 0, false);
  EXPECT_EQ(stats.launches, 1u);
  EXPECT_EQ(stats.graph_launches, 1u);
  EXPECT_EQ(stats.kernels, 3u);
  EXPECT_EQ(stats.tklqt, us(10));
  EXPECT_EQ(stats.tklqt_naive, us(38));
  EXPECT_EQ(stats.kernel_time, us(9));
}

TEST(Latencies, TheTimeUnderGraphsIsPartOfTheKernels) {
  const Analysed a(R"(M s1 [10,12) launch [0,5) id 9 api cuGraphLaunch graph 3
                      C s1 [12,15) id 9 graph 3
                      C s1 [16,20) launch [6,7))");
  const LatencyStats stats = latency_stats(a.scope(), 0, false);
  EXPECT_EQ(stats.graph_events, 2u);
  EXPECT_EQ(stats.kernel_time, us(7));
  EXPECT_EQ(stats.graph_kernel_time, us(3)) << "the copy is no kernel";
}

TEST(Latencies, ClocksThatDifferALittleAreClampedAndAlotDropped) {
  const Analysed a(R"(C s1 [6,7) launch [0,1)
                      C s1 [18,19) launch [20,21)
                      C s1 [25,26) launch [50,51))");
  const LatencyStats stats = latency_stats(a.scope(), 0, false);
  EXPECT_EQ(stats.tklqt, us(6));
  EXPECT_EQ(stats.used, 2u);
  EXPECT_EQ(stats.clamped, 1u);
  EXPECT_EQ(stats.dropped, 1u);
  EXPECT_EQ(stats.worst_skew, us(-25));
  EXPECT_EQ(latency(a.trace, a.works, 2).skew, Skew::dropped);
}

TEST(Latencies, TheCutOfSkewIsTenMicroseconds) {
  const Analysed a(R"(C s1 [10,11) launch [20,21)
                      C s1 [30.000001,31) launch [40,41))");
  EXPECT_EQ(latency(a.trace, a.works, 0).skew, Skew::dropped);
  EXPECT_EQ(latency(a.trace, a.works, 1).skew, Skew::clamped);
}

TEST(Latencies, OfCallsThatLaunchNothingAreNotUsed) {
  const Analysed a(R"(C s1 [10,11) launch [0,1) id 1 api hipLaunchKernel
                      C s1 [20,21) launch [2,3) id 2 api hipLaunchKernel
                      C s1 [30,31) launch [4,5) id 3 api hipStreamWaitEvent
                      C s1 [40,41) id 4)");
  const LatencyStats stats = latency_stats(a.scope(), 0, false);
  EXPECT_EQ(stats.used, 2u);
  EXPECT_EQ(stats.tklqt, us(10 + 18));
  EXPECT_EQ(stats.unjoined, 2u);
}

TEST(Latencies, KernelsAreCountedAndSummedWhateverTheirLength) {
  const Analysed overlapping(R"(C s1 [0,10)
                                C s1 [8,12))");
  EXPECT_EQ(latency_stats(overlapping.scope(), 0, false).kernel_time, us(14));
  const Analysed empty(R"(C s1 [0,0)
                          C s1 [0,10))");
  const LatencyStats stats = latency_stats(empty.scope(), 0, false);
  EXPECT_EQ(stats.kernels, 2u);
  EXPECT_EQ(stats.kernel_time, us(10));
}

TEST(Latencies, TheMeanQueueLengthIsLittlesLaw) {
  const Analysed a(kBasic);
  const auto queue = queue_length(a.trace, a.works, a.lane("Stream #1"));
  ASSERT_TRUE(queue.has_value());
  EXPECT_EQ(queue->most, 2u);
  EXPECT_EQ(queue->window.length(), us(38));
  EXPECT_NEAR(queue->mean, 49.0 / 38, 1e-9);
}

TEST(Latencies, TheDeviceAndTheDispatchShareTheTime) {
  const SkipStats stats = skip_stats(rows::trace_of(kBasic));
  ASSERT_TRUE(stats.dispatch.hdbi_proxy().has_value());
  EXPECT_NEAR(*stats.dispatch.hdbi_proxy(), 35.0 / 95, 1e-9);
}

}  // namespace
}  // namespace jaxtrace
