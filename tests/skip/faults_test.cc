// Damaged, hostile and empty captures: what is wrong is said, and no number is made of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "jaxtrace/readers.h"
#include "skip/conservation.h"
#include "skip/skip_stats.h"
#include "support/capture.h"
#include "support/program.h"
#include "support/rows.h"
#include "support/world.h"
#include "support/write_xplane.h"

namespace jaxtrace {
namespace {

using rows::us;
using synth::DeviceEvent;
using synth::DeviceLine;
using world::kUs;
using world::World;

Trace read(const synth::Recording& recording) {
  return read_bytes(synth::xspace_bytes(recording));
}

/// A capture of two hosts.
Trace read_both(const std::string& one, const std::string& other) {
  const ScratchDir directory;
  write_file(directory.path() / "host0.xplane.pb", one);
  write_file(directory.path() / "host1.xplane.pb", other);
  return read_capture(directory.path());
}

SkipStats stats_of(const Trace& trace) {
  SkipStats stats = skip_stats(trace);
  expect_conserved(trace, stats);
  return stats;
}

bool any(const SkipStats& stats, CheckState state) {
  return std::ranges::any_of(stats.checks,
                             [&](const CheckResult& check) { return check.state == state; });
}

/// A steady program: GPU-bound, seven steps.
World steady() {
  return {.seed = 3, .steps = 7, .copies = 1, .copy = 40 * kUs};
}

TEST(SkipStatsFaults, ADurationOfHoursIsInNoSum) {
  synth::Recording recording = world::run(steady()).recording;
  const SkipStats whole = stats_of(read(recording));
  auto& events = recording.devices[0].lines[0].events;
  events[100].duration_ps = std::int64_t{5} * 3'600'000'000 * kUs;
  const Trace trace = read(recording);
  const SkipStats stats = stats_of(trace);
  ASSERT_TRUE(whole.steps.median && stats.steps.median);
  EXPECT_LT(stats.devices[0].capture.window.length(), whole.devices[0].capture.window.length() * 2);
  EXPECT_TRUE(any(stats, CheckState::warn) || any(stats, CheckState::fatal));
  EXPECT_EQ(std::ranges::count(stats.works.damaged, true), 1);
  // Its row keeps what the file says.
  EXPECT_EQ(
      std::ranges::count(trace.events.duration, Picoseconds(std::int64_t{5} * 3'600'000'000 * kUs)),
      1);
}

TEST(SkipStatsFaults, EventsThatEndBeforeTheyBeginAreInNoSum) {
  synth::Recording recording = world::run(steady()).recording;
  recording.devices[0].lines[0].events[50].duration_ps = -7 * kUs;
  const SkipStats stats = stats_of(read(recording));
  EXPECT_EQ(std::ranges::count(stats.works.damaged, true), 1);
  EXPECT_TRUE(any(stats, CheckState::warn) || any(stats, CheckState::fatal));
}

TEST(SkipStatsFaults, EventsWithoutLengthAreCountedAndJoined) {
  synth::Recording recording = world::run(steady()).recording;
  const SkipStats whole = stats_of(read(recording));
  for (DeviceEvent& event : recording.devices[0].lines[0].events) {
    if (event.step == 3) event.duration_ps = 0;
  }
  const SkipStats stats = stats_of(read(recording));
  EXPECT_EQ(stats.timelines[0].events, whole.timelines[0].events);
  EXPECT_EQ(std::ranges::count(stats.works.join, Join::strong),
            std::ranges::count(whole.works.join, Join::strong));
  EXPECT_EQ(stats.devices[0].capture_latency.kernels, whole.devices[0].capture_latency.kernels);
}

TEST(SkipStatsFaults, CopiesRecordedAsKernelsAreCopies) {
  World world = steady();
  world.style = synth::Style::rocm;
  const Trace rocm = read(world::run(world).recording);
  const SkipStats as_kernels = stats_of(rocm);
  world.style = synth::Style::cuda;
  const SkipStats as_copies = stats_of(read(world::run(world).recording));
  EXPECT_EQ(as_kernels.devices[0].capture.exposed_copy(),
            as_copies.devices[0].capture.exposed_copy());
  EXPECT_GT(as_copies.devices[0].capture.exposed_copy().count(), 0);
}

TEST(SkipStatsFaults, AnEmptyRecordingIsNoIdleGpu) {
  synth::Recording recording = world::run(steady()).recording;
  for (DeviceLine& line : recording.devices[0].lines) line.events.clear();
  const SkipStats stats = stats_of(read(recording));
  EXPECT_EQ(stats.verdict.decision.bound, Bound::inconclusive);
  EXPECT_NE(stats.verdict.why_inconclusive.find("record"), std::string::npos)
      << stats.verdict.why_inconclusive;
  EXPECT_TRUE(stats.what_ifs.empty());
}

TEST(SkipStatsFaults, GpusThatWereLaunchedOnAndAreAbsentForbidAVerdict) {
  World world = steady();
  world.devices = 4;
  synth::Recording recording = world::run(world).recording;
  for (std::size_t d = 1; d < 4; ++d) {
    for (DeviceLine& line : recording.devices[d].lines) line.events.clear();
  }
  const SkipStats stats = stats_of(read(recording));
  EXPECT_TRUE(any(stats, CheckState::fatal));
  EXPECT_EQ(stats.verdict.decision.bound, Bound::inconclusive);
}

TEST(SkipStatsFaults, HalfOfTheRecordsLostIsSaid) {
  synth::Recording recording = world::run(steady()).recording;
  auto& events = recording.devices[0].lines[0].events;
  std::size_t row = 0;
  std::erase_if(events, [&](const DeviceEvent&) { return row++ % 2 == 1; });
  const SkipStats stats = stats_of(read(recording));
  EXPECT_TRUE(any(stats, CheckState::fatal) || any(stats, CheckState::warn));
  EXPECT_NE(stats.verdict.confidence, Confidence::high);
  EXPECT_GT(stats.works.calls_without_work, 100u);
}

TEST(SkipStatsFaults, OneKernelPerGraphLaunchIsALoss) {
  World world = steady();
  world.style = synth::Style::rocm;
  world.graph = true;
  synth::Recording recording = world::run(world).recording;
  std::uint64_t call = 0;
  for (DeviceLine& line : recording.devices[0].lines) {
    std::erase_if(line.events, [&](const DeviceEvent& event) {
      const bool again = event.correlation == call;
      call = event.correlation;
      return again;
    });
  }
  const SkipStats stats = stats_of(read(recording));
  EXPECT_EQ(stats.verdict.decision.bound, Bound::inconclusive);
  EXPECT_TRUE(any(stats, CheckState::fatal));
}

TEST(SkipStatsFaults, WithoutCallsThereIsABudgetAndNoTalkOfTheHost) {
  synth::Recording recording = world::run(steady()).recording;
  recording.host_lines.clear();
  const SkipStats stats = stats_of(read(recording));
  EXPECT_GT(stats.devices[0].capture.busy().count(), 0);
  EXPECT_EQ(stats.devices[0].capture_latency.used, 0u);
  EXPECT_NE(stats.verdict.decision.bound, Bound::host);
  EXPECT_EQ(stats.verdict.decision.bound == Bound::inconclusive ||
                stats.verdict.confidence == Confidence::low,
            true);
}

TEST(SkipStatsFaults, ASkewedClockIsCountedAndNothingIsDropped) {
  synth::Recording recording = world::run(steady()).recording;
  for (DeviceLine& line : recording.devices[0].lines) {
    for (DeviceEvent& event : line.events) event.start_ps -= 400 * kUs;
  }
  const SkipStats stats = stats_of(read(recording));
  const LatencyStats& latency = stats.devices[0].capture_latency;
  EXPECT_GT(latency.clamped + latency.dropped, 0u);
  EXPECT_EQ(latency.events, stats.timelines[0].events);
  EXPECT_TRUE(any(stats, CheckState::warn));
  EXPECT_NE(stats.verdict.confidence, Confidence::high);
}

/// Two hosts whose planes, ids and programs have the same numbers.
TEST(SkipStatsFaults, TwoHostsWithTheSameIdsStayApart) {
  const std::string one = synth::xspace_bytes(world::run(steady()).recording);
  World other = steady();
  other.kernel = 45 * kUs;
  const Trace both = read_both(one, synth::xspace_bytes(world::run(other).recording));
  const SkipStats stats = stats_of(both);
  const SkipStats alone = stats_of(read_bytes(one));
  ASSERT_EQ(stats.devices.size(), 2u);
  EXPECT_EQ(stats.devices[0].capture.busy(), alone.devices[0].capture.busy());
  EXPECT_EQ(stats.devices[0].capture_latency.tklqt, alone.devices[0].capture_latency.tklqt);
  EXPECT_EQ(stats.devices[0].capture_idle.host(), alone.devices[0].capture_idle.host());
  EXPECT_EQ(std::ranges::count(stats.works.join, Join::ambiguous), 0);
}

TEST(SkipStatsFaults, KernelsWithoutAnyLengthGiveNoVerdict) {
  synth::Recording recording = world::run(steady()).recording;
  for (DeviceLine& line : recording.devices[0].lines) {
    for (DeviceEvent& event : line.events) event.duration_ps = 0;
  }
  const SkipStats stats = stats_of(read(recording));
  EXPECT_EQ(stats.verdict.decision.bound, Bound::inconclusive) << in_words(stats.verdict.decision);
  EXPECT_FALSE(stats.verdict.why_inconclusive.empty());
}

/// A kernel whose launch was lost has no module, and is still the kernel that the others ran.
TEST(SkipStatsFaults, AKernelThatLostItsModuleIsNoOtherWork) {
  const auto same_work = [](const std::string& lost) {
    const SkipStats stats = skip_stats(
        rows::trace_of("repeat 4 every 100\n"
                       "C gpu0 s1 [0,40) name loop_add_fusion module jit_f launch [-9,-8)\n"
                       "C gpu1 s2 [0,40) name loop_add_fusion module jit_f launch [-7,-6)\n"
                       "end\n"
                       "C gpu0 s1 [400,440) name loop_add_fusion module jit_f launch [391,392)\n"
                       "M gpu0 s1 [450,451) name MemcpyH2D\n" +
                       lost));
    const auto check = std::ranges::find(stats.checks, "same-work", &CheckResult::id);
    return check == stats.checks.end() ? CheckState::not_applicable : check->state;
  };
  EXPECT_EQ(same_work("C gpu1 s2 [400,440) name loop_add_fusion\n"), CheckState::pass);
  EXPECT_EQ(same_work("C gpu1 s2 [400,440) name loop_exp_fusion\n"), CheckState::warn);
}

TEST(SkipStatsFaults, AFewNanosecondsOfOverlapAreNormal) {
  synth::Recording recording = world::run(steady()).recording;
  for (DeviceEvent& event : recording.devices[0].lines[0].events) event.duration_ps += 1'050'000;
  const SkipStats stats = stats_of(read(recording));
  EXPECT_EQ(std::ranges::count(stats.works.damaged, true), 0);
  EXPECT_EQ(stats.verdict.decision.bound, Bound::gpu) << in_words(stats.verdict.decision);
}

TEST(SkipStatsFaults, NamesOfAnySortAreNoProblem) {
  synth::Recording recording = world::run(steady()).recording;
  const std::string names[] = {"a,b\"c\nd|e", "=1+1", "\xff\xfe\x80", std::string(10'000, 'x'), ""};
  std::size_t row = 0;
  for (DeviceEvent& event : recording.devices[0].lines[0].events) {
    event.kernel = recording.strings.intern(names[row++ % 5]);
  }
  stats_of(read(recording));
}

}  // namespace
}  // namespace jaxtrace
