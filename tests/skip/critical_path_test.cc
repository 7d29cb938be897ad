// The chain of work and waiting that a step's length consists of.
#include "skip/critical_path.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "skip/analysed.h"
#include "support/rows.h"

namespace jaxtrace {
namespace {

using rows::us;

struct Walked : Analysed {
  using Analysed::Analysed;

  CriticalPath path(std::size_t step = 0, std::size_t device = 0) const {
    return critical_path(scope(), align_collectives(trace, works, timelines, steps), step, device);
  }
};

/// "compute GPU1 [0,90) transfer GPU1 [90,100)", in microseconds of the rows.
std::string in_words(const CriticalPath& path) {
  std::string out;
  for (const PathSegment& segment : path.segments) {
    const auto at = [](Picoseconds time) {
      return std::to_string((time - rows::at(0)).count() / 1'000'000);
    };
    out += (out.empty() ? "" : " ") + std::string(name_of(segment.kind)) + " GPU" +
           std::to_string(segment.device) + " [" + at(segment.window.begin) + "," +
           at(segment.window.end) + ")";
  }
  return out;
}

TEST(CriticalPath, GoesThroughTheStraggler) {
  const Walked world(R"(
      C gpu0 s1 [0,60) op fusion.1
      X gpu0 s1 [60,100) op all-reduce.2
      C gpu1 s2 [0,90) op fusion.1
      X gpu1 s2 [90,100) op all-reduce.2)");
  const CriticalPath path = world.path();
  EXPECT_EQ(in_words(path), "compute GPU1 [0,90) transfer GPU0 [90,100)");
  EXPECT_EQ(path.of(PathKind::compute), us(90));
  EXPECT_EQ(path.of(PathKind::transfer), us(10));
  EXPECT_EQ(path.window.length(), us(100));
  EXPECT_EQ(path.handovers, 1u);
  EXPECT_EQ(path.guesses, 0u);
  EXPECT_EQ(path.on_device[1], us(90));
}

TEST(CriticalPath, DividesTheHostsPartFromTheWayOfTheLaunch) {
  const Walked world(R"(
      C s1 [0,20) name a launch [-5,-3)
      C s1 [50,60) name b launch [40,42)
      C s1 [63,70) name c launch [44,46))");
  const CriticalPath path = world.path();
  EXPECT_EQ(in_words(path),
            "compute GPU0 [0,20) host_late GPU0 [20,40) launch_path GPU0 [40,50) "
            "compute GPU0 [50,60) queued_short GPU0 [60,63) compute GPU0 [63,70)");
  EXPECT_EQ(path.host(), us(30));
  const std::size_t thread = path.segments[1].thread;
  ASSERT_LT(thread, world.trace.lanes.size());
  EXPECT_EQ(world.trace.strings[world.trace.lanes[thread].name], "python");
  EXPECT_EQ(path.segments[0].thread, kNoEvent);
}

TEST(CriticalPath, NamesWhatTheHostDidMeanwhile) {
  const Walked world(R"(
      H python [10,60) PjitFunction(f)
      H python [20,35) DevicePut
      C s1 [0,20) launch [-5,-3)
      C s1 [50,60) launch [40,42))");
  HostNames names(world.trace);
  Blamer blamer(world.trace, world.works, names);
  const std::vector<PathCause> causes = path_causes(world.path(), blamer, names);
  ASSERT_EQ(causes.size(), 2u);
  EXPECT_EQ(causes[0].event, "DevicePut");
  EXPECT_EQ(causes[0].cls, HostClass::input);
  EXPECT_EQ(causes[0].time, us(15));
  EXPECT_EQ(causes[1].time, us(5));
}

TEST(CriticalPath, ReachesToTheBeginOfTheNextStep) {
  const Walked world(R"(
      repeat 5 every 100
        H python [-20,70) PjitFunction(f)
        C s1 [0,40) launch [-10,-9)
        C s1 [40,60) launch [-8,-7)
      end)");
  ASSERT_EQ(world.steps.rule, StepRule::function);
  const CriticalPath path = world.path(2);
  EXPECT_EQ(path.window.length(), us(100));
  EXPECT_EQ(in_words(path),
            "compute GPU0 [200,240) compute GPU0 [240,260) host_late GPU0 [260,290) "
            "launch_path GPU0 [290,300)");
  // Nothing follows the last step.
  EXPECT_EQ(world.path(4).window.length(), us(60));
}

TEST(CriticalPath, CountsWhatItTookForADependencyBetweenStreams) {
  const Walked world(R"(
      C s1 [0,50) launch [-9,-8)
      X s2 [52,80) op all-reduce.1 launch [-7,-6)
      C s1 [82,90) launch [-5,-4))");
  const CriticalPath path = world.path();
  EXPECT_EQ(in_words(path),
            "compute GPU0 [0,50) queued_short GPU0 [50,52) collective GPU0 [52,80) "
            "queued_short GPU0 [80,82) compute GPU0 [82,90)");
  EXPECT_EQ(path.guesses, 2u);
}

TEST(CriticalPath, StaysOnAStreamThatIsServedInTime) {
  const Walked world(R"(
      C s1 [0,50) launch [-9,-8)
      C s2 [10,51) launch [-7,-6)
      C s1 [53,90) launch [-5,-4))");
  EXPECT_EQ(in_words(world.path()),
            "compute GPU0 [0,50) queued_short GPU0 [50,53) compute GPU0 [53,90)");
  EXPECT_EQ(world.path().guesses, 0u);
}

TEST(CriticalPath, TakesACollisionOfNeighboursForNone) {
  const Walked world("C s1 [0,50.2) launch [-9,-8)\nC s1 [50,90) launch [-5,-4)");
  EXPECT_EQ(in_words(world.path()), "compute GPU0 [0,50) compute GPU0 [50,90)");
}

TEST(CriticalPath, KnowsWhereAGraphWaitsForItself) {
  const Walked world(R"(
      C s1 [0,20) id 7 graph 3 launch [-9,-8) api cuGraphLaunch
      C s1 [30,50) id 7 graph 3)");
  EXPECT_EQ(in_words(world.path()),
            "compute GPU0 [0,20) graph_internal GPU0 [20,30) compute GPU0 [30,50)");
}

TEST(CriticalPath, SaysWhatIsNotKnown) {
  const Walked world("C s1 [0,20) name a\nC s1 [40,50) name b id 9\nC s1 [45,45) name c id 10");
  EXPECT_EQ(in_words(world.path()),
            "compute GPU0 [0,20) unknown GPU0 [20,40) compute GPU0 [40,50)");
}

TEST(CriticalPath, FollowsAWaitThatTheStepsEndCutsOff) {
  // GPU 0 begins its next step before GPU 1 has come to the collective of its first.
  const Walked world(R"(
      repeat 4 every 100
        H python [-30,-20) PjitFunction(f)
        C gpu0 s1 [0,60) launch [-29,-28)
        X gpu0 s3 [60,130) op all-reduce.1 launch [-27,-26)
        C gpu1 s2 [10,120) launch [-25,-24)
        X gpu1 s4 [120,130) op all-reduce.1 launch [-23,-22)
      end)");
  const CriticalPath path = world.path(1, 0);
  EXPECT_EQ(path.window.length(), us(100));
  EXPECT_EQ(path.segments.back().kind, PathKind::compute);
  EXPECT_EQ(path.segments.back().device, 1u);
}

TEST(CriticalPath, IsEmptyWithoutWork) {
  const Walked world("H python [0,60) PjitFunction(f)\nC s1 [5,5) launch [1,2)");
  const CriticalPath path = world.path();
  EXPECT_TRUE(path.segments.empty());
  EXPECT_EQ(path.window.length(), us(0));
  EXPECT_EQ(world.path(7).window.length(), us(0));
}

}  // namespace
}  // namespace jaxtrace
