// skip-stats on captures that people published, beside what was counted in them by other means.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "skip/conservation.h"
#include "skip/skip_stats.h"
#include "support/capture.h"
#include "support/program.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

/// Nanoseconds, as these files have them.
constexpr Picoseconds ns(std::int64_t time) {
  return Picoseconds(time * 1000);
}

class SkipStatsRealCaptures : public testing::Test {
 protected:
  void SetUp() override {
    if (real_captures().empty()) GTEST_SKIP() << "left out: JAXTRACE_CAPTURES is not set";
  }

  /// The xplane file of a folder.
  static Trace read(const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(real_captures() / folder)) {
      if (entry.path().string().ends_with(".xplane.pb")) {
        return read_bytes(read_file(entry.path()));
      }
    }
    ADD_FAILURE() << folder << " has no capture";
    return {};
  }

  static std::size_t joined(const Works& works, Join join) {
    return static_cast<std::size_t>(std::ranges::count(works.join, join));
  }
};

/// The device of the timelines that has work.
std::size_t busiest(const SkipStats& stats) {
  const auto found = std::ranges::max_element(stats.timelines, {}, &DeviceTimeline::events);
  return static_cast<std::size_t>(found - stats.timelines.begin());
}

TEST_F(SkipStatsRealCaptures, FusedAttentionOnOneGpu) {
  const Trace trace = read("jax-rocm/te-attention-mi355x");
  const SkipStats stats = skip_stats(trace);
  const std::size_t device = busiest(stats);
  EXPECT_EQ(trace.device_events, 150u);
  EXPECT_EQ(joined(stats.works, Join::strong), 150u);
  EXPECT_EQ(std::ranges::count_if(stats.timelines, [](const auto& t) { return t.events != 0; }), 1);

  const Budget& capture = stats.devices[device].capture;
  EXPECT_EQ(capture.window.length(), ns(12'956'751));
  EXPECT_EQ(capture.busy(), ns(12'133'127));
  EXPECT_EQ(capture.idle, ns(823'624));
  Picoseconds sum{0};
  for (std::size_t i = 0; i < trace.device_events; ++i) sum += trace.events.duration[i];
  EXPECT_EQ(sum, ns(12'133'585));
  EXPECT_EQ(stats.devices[device].capture_latency.tklqt, ns(128'349'742));
  EXPECT_EQ(stats.devices[device].capture_latency.clamped, 0u);

  EXPECT_EQ(stats.steps.rule, StepRule::function);
  ASSERT_EQ(stats.steps.steps.size(), 5u);
  const std::int64_t calls[] = {1'473'100, 946'000, 916'400, 891'500, 915'600};
  const std::int64_t latencies[] = {3'136'571, 2'500'830, 2'458'203, 2'417'885, 2'406'957};
  for (std::size_t i = 0; i < 5; ++i) {
    const Step& step = stats.steps.steps[i];
    EXPECT_EQ(step.devices[device].events, 30u);
    ASSERT_TRUE(step.host.has_value());
    EXPECT_NEAR(static_cast<double>(step.host->length().count()),
                static_cast<double>(calls[i]) * 1e3, 0.1e6);
    EXPECT_EQ(stats.devices[device].latencies.at(i).il, ns(latencies[i])) << i;
  }
  EXPECT_EQ(stats.verdict.decision.bound, Bound::gpu) << in_words(stats.verdict.decision);
  EXPECT_EQ(stats.verdict.device, device);

  // All is on one stream, so nothing but the budget can be on the critical path.  Where a copy and
  // a kernel collide by nanoseconds, the budget gives them to the kernel, the path to the later
  // one.
  const Scope scope{trace, stats.works, stats.timelines, stats.steps};
  const AlignedCollectives aligned =
      align_collectives(trace, stats.works, stats.timelines, stats.steps);
  for (std::size_t i = 0; i < 5; ++i) {
    const StepParts& parts = stats.devices[device].steps[i];
    const CriticalPath path = critical_path(scope, aligned, i, device);
    EXPECT_EQ(path.of(PathKind::compute) + path.of(PathKind::copy), parts.compute + parts.copy)
        << i;
    EXPECT_EQ(path.host(), parts.idle.host()) << i;
    EXPECT_EQ(path.guesses, 0u) << i;
  }
}

TEST_F(SkipStatsRealCaptures, AConvolutionOnEightGpus) {
  const Trace trace = read("jax-rocm/conv-mi300x-jax08");
  const SkipStats stats = skip_stats(trace);
  ASSERT_EQ(stats.timelines.size(), 8u);
  for (std::size_t d = 0; d < 8; ++d) EXPECT_EQ(stats.timelines[d].events, d == 0 ? 60u : 25u);
  EXPECT_EQ(joined(stats.works, Join::strong), 231u);
  EXPECT_EQ(joined(stats.works, Join::weak), 4u);
  EXPECT_EQ(joined(stats.works, Join::none), 0u);
  Picoseconds least = Picoseconds::max();
  for (const DeviceStats& device : stats.devices) {
    EXPECT_EQ(device.capture_latency.clamped + device.capture_latency.dropped, 0u);
    least = std::min(least, device.capture_latency.least_latency.value_or(least));
  }
  EXPECT_NEAR(static_cast<double>(least.count()), 11.8e6, 0.05e6);
  // Copies are only on the first GPU, which is no difference in the work of the program; nor are
  // the two kernels whose launches are missing.
  const auto same_work = std::ranges::find(stats.checks, "same-work", &CheckResult::id);
  ASSERT_NE(same_work, stats.checks.end());
  EXPECT_EQ(same_work->state, CheckState::pass) << same_work->found;
  const auto join = std::ranges::find(stats.checks, "join", &CheckResult::id);
  ASSERT_NE(join, stats.checks.end());
  EXPECT_EQ(join->state, CheckState::warn) << join->found;
}

TEST_F(SkipStatsRealCaptures, ARecordingOfOneGpuOfEightIsNoBasis) {
  const SkipStats stats = skip_stats(read("jax-rocm/conv-mi300x-legacy"));
  EXPECT_EQ(stats.verdict.decision.bound, Bound::inconclusive);
  EXPECT_FALSE(stats.verdict.why_inconclusive.empty());
  EXPECT_TRUE(std::ranges::any_of(stats.checks, [](const CheckResult& check) {
    return check.state == CheckState::fatal && !check.affects.empty();
  }));
}

TEST_F(SkipStatsRealCaptures, TimeIsConservedInAllOfThem) {
  std::size_t read = 0;
  for (const auto& entry : fs::recursive_directory_iterator(real_captures())) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".xplane.pb") || path.find("/other/") != std::string::npos) continue;
    SCOPED_TRACE(entry.path().filename().string());
    const Trace trace = read_bytes(read_file(entry.path()));
    expect_conserved(trace, skip_stats(trace));
    ++read;
  }
  EXPECT_GE(read, 6u);
}

}  // namespace
}  // namespace jaxtrace
