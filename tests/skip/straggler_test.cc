// Which GPU the others wait for.
#include "skip/straggler.h"

#include <gtest/gtest.h>

#include <string>

#include "skip/skip_stats.h"
#include "support/rows.h"

namespace jaxtrace {
namespace {

using rows::us;

/// Steps of two GPUs, 200 apart: `slow` computes 90, the other 60; then both reduce until 100.
std::string steps(int count, int slow, bool collectives = true) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    const double t = i * 200;
    const auto times = [&](double begin, double end) {
      return "[" + std::to_string(t + begin) + "," + std::to_string(t + end) + ")";
    };
    out += "H python " + times(-50, 40) + " PjitFunction(f)\n";
    for (int gpu = 0; gpu < 2; ++gpu) {
      const std::string on = "gpu" + std::to_string(gpu) + " s" + std::to_string(gpu + 1) + " ";
      const double ready = gpu == slow ? 90 : 60;
      out += "C " + on + times(0, ready) + " op fusion.1 launch " + times(-10, -9) + "\n";
      if (collectives) {
        out +=
            "X " + on + times(ready, 100) + " op all-reduce-start.2 launch " + times(-8, -7) + "\n";
      }
    }
  }
  return out;
}

TEST(Stragglers, ArriveLastAtTheCollective) {
  const SkipStats stats = skip_stats(rows::trace_of(steps(6, 1)));
  ASSERT_TRUE(stats.stragglers.device.has_value());
  EXPECT_EQ(*stats.stragglers.device, 1u);
  EXPECT_DOUBLE_EQ(stats.stragglers.persistence, 1);
  ASSERT_FALSE(stats.stragglers.steps.empty());
  const auto kept = static_cast<std::int64_t>(stats.stragglers.steps.size());
  for (const StepStraggler& step : stats.stragglers.steps) {
    EXPECT_EQ(step.device, 1u);
    EXPECT_EQ(step.caused, us(30));
    EXPECT_EQ(step.collectives, 1u);
  }
  EXPECT_EQ(stats.stragglers.wait[0], kept * us(30));
  EXPECT_EQ(stats.stragglers.transfer[0], kept * us(10));
  EXPECT_EQ(stats.stragglers.wait[1], us(0));
  EXPECT_EQ(stats.stragglers.transfer[1], kept * us(10));
}

TEST(Stragglers, AreLateAtTheEndToo) {
  // After the collective GPU 1 computes for 30 more than GPU 0, and the host waits for both.
  const SkipStats stats = skip_stats(rows::trace_of(R"(
      repeat 6 every 200
        H python [-50,40) PjitFunction(f)
        C gpu0 s1 [0,60) op fusion.1 launch [-10,-9)
        X gpu0 s1 [60,100) op all-reduce-start.2 launch [-8,-7)
        C gpu0 s1 [100,120) op fusion.3 launch [-6,-5)
        C gpu1 s2 [0,90) op fusion.1 launch [-10,-9)
        X gpu1 s2 [90,100) op all-reduce-start.2 launch [-8,-7)
        C gpu1 s2 [100,150) op fusion.3 launch [-6,-5)
      end)"));
  ASSERT_FALSE(stats.stragglers.steps.empty());
  EXPECT_EQ(stats.stragglers.steps[0].device, 1u);
  EXPECT_EQ(stats.stragglers.steps[0].lead, us(30 + 30));
}

TEST(Stragglers, WithoutCollectivesEndLast) {
  const SkipStats stats = skip_stats(rows::trace_of(steps(6, 0, false)));
  ASSERT_TRUE(stats.stragglers.device.has_value());
  EXPECT_EQ(*stats.stragglers.device, 0u);
}

TEST(Stragglers, AreNoneWhereAllAreAlike) {
  const SkipStats stats = skip_stats(rows::trace_of(steps(6, 7, false)));
  EXPECT_FALSE(stats.stragglers.device.has_value());
}

}  // namespace
}  // namespace jaxtrace
