// The worlds themselves: they keep the rules of hosts and GPUs, and a cause costs what it says.
#include "support/world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "support/capture.h"
#include "support/world_random.h"
#include "support/write_xplane.h"

namespace jaxtrace::world {
namespace {

constexpr std::uint64_t kWorlds = 36;  // three of each cause

using Work = DeviceOp::Work;

TEST(Worlds, StreamsNeverOverlapThemselvesAndLaunchesComeFirst) {
  for (std::uint64_t seed = 0; seed < kWorlds; ++seed) {
    const History ran = run(random_world(seed).world);
    std::map<std::pair<int, int>, Ps> ends;
    for (const DeviceOp& op : ran.ops) {
      Ps& end = ends[{op.device, op.stream}];
      ASSERT_GE(op.begin, end) << "world " << seed;
      ASSERT_GE(op.end, op.begin);
      ASSERT_GT(op.begin, op.asked);
      end = op.end;
    }
  }
}

TEST(Worlds, CollectivesEndTogetherOnceAllHaveArrived) {
  World world{.devices = 4, .collectives = 3, .transfer = 50 * kUs, .slow_device = 2};
  world.slow_percent = 30;
  world.jitter_percent = 0;
  std::map<std::pair<int, int>, std::vector<DeviceOp>> collectives;
  for (const DeviceOp& op : run(world).ops) {
    if (op.work == Work::collective) collectives[{op.step, op.place}].push_back(op);
  }
  ASSERT_EQ(collectives.size(), static_cast<std::size_t>(world.steps * 3));
  for (const auto& [place, ops] : collectives) {
    ASSERT_EQ(ops.size(), 4u);
    const auto last = std::ranges::max_element(ops, {}, &DeviceOp::begin);
    EXPECT_EQ(last->device, 2);
    for (const DeviceOp& op : ops) EXPECT_EQ(op.end, last->begin + 50 * kUs);
  }
}

TEST(Worlds, WithoutACauseTheyAreNeverSlower) {
  for (std::uint64_t seed = 0; seed < kWorlds; ++seed) {
    auto [world, cause] = random_world(seed);
    world.jitter_percent = 0;
    const Ps with = period(run(world));
    for (const Cause other : kCauses) {
      EXPECT_LE(period(run(without(world, other))), with) << seed << " " << name_of(other);
    }
    EXPECT_LE(period(run(without_host(world))), with) << seed;
    if (cause == Cause::nothing) continue;
    EXPECT_GT(share(world, without(world, cause)), 0.04) << seed << " " << name_of(cause);
  }
}

TEST(Worlds, AreBusyWhereNothingHoldsThemBack) {
  for (std::uint64_t seed = 0; seed < kWorlds; seed += std::size(kCauses)) {
    const auto [world, cause] = random_world(seed);
    ASSERT_EQ(cause, Cause::nothing);
    // The compute stream alone; what runs beside it can only add.
    std::map<int, Ps> busy;
    for (const DeviceOp& op : run(world).ops) {
      if (op.step > 0 && op.step + 1 < world.steps && op.stream == 0) {
        busy[op.device] += op.end - op.begin;
      }
    }
    const Ps window = period(run(world)) * (world.steps - 2);
    for (const auto& [device, time] : busy) EXPECT_GT(time, window * 3 / 4) << seed;
  }
}

TEST(Worlds, AreTheSameForTheSameSeed) {
  const Injected world = random_world(7);
  EXPECT_EQ(synth::xspace_bytes(run(world.world).recording),
            synth::xspace_bytes(run(random_world(7).world).recording));
  EXPECT_NE(synth::xspace_bytes(run(world.world).recording),
            synth::xspace_bytes(run(random_world(8).world).recording));
}

/// Within each host lane, events lie inside one another or apart.
void expect_nested(const Trace& trace) {
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::host) continue;
    std::vector<Picoseconds> ends;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      const Picoseconds begin = trace.events.begin[i], end = begin + trace.events.duration[i];
      while (!ends.empty() && ends.back() <= begin) ends.pop_back();
      if (!ends.empty()) {
        ASSERT_LE(end, ends.back()) << trace.strings[trace.events.name[i]];
      }
      ends.push_back(end);
    }
  }
}

TEST(Worlds, AreReadBackWhole) {
  for (std::uint64_t seed = 0; seed < kWorlds; ++seed) {
    const auto [world, cause] = random_world(seed);
    const History ran = run(world);
    const Trace trace = read_bytes(synth::xspace_bytes(ran.recording));
    ASSERT_EQ(trace.device_events, ran.ops.size()) << seed;
    EXPECT_EQ(trace.devices.size(), static_cast<std::size_t>(world.devices));
    expect_nested(trace);
    std::multiset<std::tuple<std::int64_t, std::int64_t>> told, read;
    for (const DeviceOp& op : ran.ops) told.emplace(op.begin, op.end - op.begin);
    for (std::size_t i = 0; i < trace.device_events; ++i) {
      read.emplace(trace.events.begin[i].count(), trace.events.duration[i].count());
      EXPECT_NE(trace.events.correlation[i], 0u);
    }
    EXPECT_EQ(told, read) << seed;
  }
}

TEST(Worlds, AGraphIsOneCallAStepAndDevice) {
  World world{.devices = 2, .steps = 4, .graph = true};
  std::map<std::uint32_t, int> members;
  for (const DeviceOp& op : run(world).ops) ++members[op.call];
  EXPECT_EQ(members.size(), 8u);
  for (const auto& [call, count] : members) EXPECT_EQ(count, world.kernels) << call;
}

}  // namespace
}  // namespace jaxtrace::world
