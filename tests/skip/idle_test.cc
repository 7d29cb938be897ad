// Why a device was idle.
#include "skip/idle.h"

#include <gtest/gtest.h>

#include <vector>

#include "skip/analysed.h"

namespace jaxtrace {
namespace {

using rows::us;

/// The parts of every gap, and all together.
struct Idle {
  std::vector<IdleSplit> gaps;
  IdleSplit all;
  Picoseconds idle{0};
};

Idle idle_of(const Analysed& a, Window window) {
  Idle out;
  SweepHooks hooks;
  hooks.gap = [&](const Gap& gap) {
    out.gaps.push_back(split_gap(a.trace, a.works, gap));
    for (std::size_t i = 0; i < kIdleParts; ++i) out.all.parts[i] += out.gaps.back().parts[i];
  };
  out.idle = sweep(a.trace, a.works, a.timelines[0].order, window, hooks).idle;
  return out;
}

Picoseconds sum(const IdleSplit& split) {
  Picoseconds total{0};
  for (const Picoseconds part : split.parts) total += part;
  return total;
}

TEST(Idle, IsTheHostsUntilItAsksAndThenTheLaunchs) {
  const Analysed a(R"(C s1 [100,110) launch [90,91)
                      C s1 [130,140) launch [120,121)
                      C s1 [141,150) launch [125,126)
                      C s1 [170,180) launch [126,127))");
  const Idle idle = idle_of(a, window(100, 180));
  EXPECT_EQ(idle.idle, us(41));
  EXPECT_EQ(idle.all.of(IdlePart::host_late), us(10));
  EXPECT_EQ(idle.all.of(IdlePart::launch_path), us(10));
  EXPECT_EQ(idle.all.of(IdlePart::queued_short), us(1));
  EXPECT_EQ(idle.all.of(IdlePart::queued_long), us(20));
  EXPECT_EQ(sum(idle.all), idle.idle);

  EXPECT_EQ(hta_gap(a.trace, a.works, 1, rows::at(110)), HtaGap::host_wait);
  EXPECT_EQ(hta_gap(a.trace, a.works, 2, rows::at(140)), HtaGap::other);
  EXPECT_EQ(hta_gap(a.trace, a.works, 3, rows::at(150)), HtaGap::other);
}

TEST(Idle, InsideAGraphIsTheGraphs) {
  const Analysed a(R"(C s1 [10,12) launch [0,5) id 9 api cuGraphLaunch graph 3
                      C s1 [12,15) id 9 graph 3
                      C s1 [36,40) id 9 graph 3)");
  const Idle idle = idle_of(a, window(10, 40));
  ASSERT_EQ(idle.gaps.size(), 1u);
  EXPECT_EQ(idle.all.of(IdlePart::graph_internal), us(21));
  EXPECT_EQ(sum(idle.all), us(21));
}

TEST(Idle, WithoutALaunchIsUnknownAndAfterTheLastEventTail) {
  const Analysed a(R"(C s1 [0,10)
                      C s1 [30,40))");
  const Idle idle = idle_of(a, window(0, 50));
  EXPECT_EQ(idle.all.of(IdlePart::unknown), us(20));
  EXPECT_EQ(idle.all.of(IdlePart::tail), us(10));
  EXPECT_EQ(sum(idle.all), idle.idle);
}

TEST(Idle, AtTheEndOfTheWindowIsExplainedByWhatComesAfterIt) {
  const Analysed a(R"(C s1 [0,10) launch [-5,-4)
                      C s1 [60,70) launch [30,31))");
  const Idle idle = idle_of(a, window(0, 50));
  EXPECT_EQ(idle.all.of(IdlePart::host_late), us(20));
  EXPECT_EQ(idle.all.of(IdlePart::launch_path), us(20));
  EXPECT_EQ(idle.all.of(IdlePart::tail), us(0));
}

TEST(Idle, WithALaunchAfterTheKernelIsAllTheHosts) {
  const Analysed a(R"(C s1 [0,10) launch [-5,-4)
                      C s1 [20,30) launch [25,26))");
  const Idle idle = idle_of(a, window(0, 30));
  EXPECT_EQ(idle.all.of(IdlePart::host_late), us(10));
  EXPECT_EQ(sum(idle.all), us(10));
}

TEST(Idle, TheShortGapIsAnOption) {
  const Analysed a(R"(C s1 [0,10) launch [-5,-4)
                      C s1 [15,30) launch [-3,-2))");
  SweepHooks hooks;
  Gap found;
  hooks.gap = [&](const Gap& gap) { found = gap; };
  sweep(a.trace, a.works, a.timelines[0].order, window(0, 30), hooks);
  EXPECT_EQ(split_gap(a.trace, a.works, found).of(IdlePart::queued_short), us(5));
  EXPECT_EQ(split_gap(a.trace, a.works, found, us(4.999999)).of(IdlePart::queued_long), us(5));
}

}  // namespace
}  // namespace jaxtrace
