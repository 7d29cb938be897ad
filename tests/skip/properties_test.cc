// What must hold of skip-stats on any capture: conservation, and that neither the clock's origin
// nor the order of a file's parts matters.
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <string>

#include "jaxtrace/error.h"
#include "skip/conservation.h"
#include "skip/skip_stats.h"
#include "support/capture.h"
#include "support/world_random.h"
#include "support/write_xplane.h"

namespace jaxtrace {
namespace {

constexpr std::uint64_t kWorlds = 2 * std::size(world::kCauses);

Trace read(const world::World& world, const synth::WriteOptions& options = {}) {
  return read_bytes(synth::xspace_bytes(world::run(world).recording, options));
}

/// All numbers of a device that do not tell when it was.
std::vector<std::int64_t> numbers(const SkipStats& stats) {
  std::vector<std::int64_t> out;
  const auto add = [&](Picoseconds time) { out.push_back(time.count()); };
  for (const DeviceStats& device : stats.devices) {
    for (const Budget* budget : {&device.steady, &device.capture}) {
      add(budget->window.length());
      add(budget->idle);
      for (const Picoseconds part : budget->exclusive) add(part);
      for (const Picoseconds part : budget->total) add(part);
    }
    for (const Picoseconds part : device.steady_idle.parts) add(part);
    for (const Picoseconds part : device.host_late) add(part);
    add(device.steady_latency.tklqt);
    add(device.capture_latency.tklqt);
    for (const StepParts& step : device.steps) add(step.step);
  }
  for (const WhatIf& what : stats.what_ifs) add(what.step);
  return out;
}

TEST(SkipStatsProperties, PartsSumToWholes) {
  for (std::uint64_t seed = 0; seed < kWorlds; ++seed) {
    SCOPED_TRACE("world " + std::to_string(seed));
    const Trace trace = read(world::random_world(seed).world);
    expect_conserved(trace, skip_stats(trace));
  }
}

TEST(SkipStatsProperties, AnotherOriginOfTheClockChangesNothing) {
  for (std::uint64_t seed = 0; seed < kWorlds; ++seed) {
    const world::World world = world::random_world(seed).world;
    const SkipStats now = skip_stats(read(world));
    const SkipStats later = skip_stats(read(world, {.shift_ns = 98'765'432}));
    EXPECT_EQ(numbers(now), numbers(later)) << seed;
    EXPECT_EQ(in_words(now.verdict.decision), in_words(later.verdict.decision)) << seed;
  }
}

TEST(SkipStatsProperties, TheOrderOfAFilesPartsChangesNothing) {
  for (std::uint64_t seed = 0; seed < kWorlds; ++seed) {
    const world::World world = world::random_world(seed).world;
    const SkipStats now = skip_stats(read(world));
    const SkipStats shuffled = skip_stats(read(world, {.shuffle = seed + 1}));
    EXPECT_EQ(numbers(now), numbers(shuffled)) << seed;
  }
}

TEST(SkipStatsProperties, PrefixesOfACaptureAreConservedToo) {
  const world::World world = world::random_world(5).world;
  const std::string bytes = synth::xspace_bytes(world::run(world).recording);
  for (std::size_t parts = 1; parts < 12; ++parts) {
    SCOPED_TRACE(parts);
    try {
      const Trace trace = read_bytes(bytes.substr(0, bytes.size() * parts / 12));
      expect_conserved(trace, skip_stats(trace));
    } catch (const InputError&) {
      // Nothing could be read of it, which is an answer as well.
    }
  }
}

}  // namespace
}  // namespace jaxtrace
