// skip-stats on worlds whose bottleneck is known: it names the cause, says how long a step would be
// without it, and its sums are those of brute force.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "skip/skip_stats.h"
#include "support/capture.h"
#include "support/world_random.h"
#include "support/world_truth.h"
#include "support/write_xplane.h"

namespace jaxtrace {
namespace {

using world::Cause;
using world::Injected;
using world::World;

constexpr std::uint64_t kWorlds = 216;

struct Told {
  Injected injected;
  world::History history;
  Trace trace;
  SkipStats stats;
};

Told told(std::uint64_t seed) {
  Told out{.injected = world::random_world(seed), .history = {}, .trace = {}, .stats = {}};
  out.history = world::run(out.injected.world);
  out.trace = read_bytes(synth::xspace_bytes(out.history.recording));
  out.stats = skip_stats(out.trace);
  return out;
}

/// The loss that a cause shows as.
Loss loss_of(Cause cause) {
  switch (cause) {
    case Cause::input:
      return Loss::input;
    case Cause::compile:
      return Loss::compile;
    case Cause::communication:
    case Cause::straggler:
      return Loss::comm;
    case Cause::memcpy:
      return Loss::memcpy;
    case Cause::device_wait:
      return Loss::device_wait;
    default:
      return Loss::host;
  }
}

bool names(const Verdict& verdict, Cause cause) {
  const Decision& decision = verdict.decision;
  if (cause == Cause::nothing) return decision.bound == Bound::gpu;
  const Loss loss = loss_of(cause);
  const bool named =
      decision.bound == bound_of(loss) ||
      (decision.bound == Bound::mixed && (decision.first == loss || decision.second == loss));
  return named && (cause == Cause::straggler) == verdict.straggler;
}

/// The estimate that speaks of a cause; empty if none does.
std::string estimate_of(Cause cause) {
  switch (loss_of(cause)) {
    case Loss::input:
      return "W2 input";
    case Loss::compile:
      return "W2 compile";
    case Loss::comm:
      return cause == Cause::straggler ? "W3 balance" : "W3";
    case Loss::memcpy:
      return "W4";
    case Loss::host:
      return cause == Cause::nothing ? "" : "W1";
    default:
      return "";
  }
}

/// The same world without what the estimate takes away.
World without(const Injected& injected) {
  return loss_of(injected.cause) == Loss::host ? world::without_host(injected.world)
                                               : world::without(injected.world, injected.cause);
}

/// How many of those asked were right; the others in words.
struct Score {
  int asked = 0, right = 0;
  std::string wrong;

  void add(bool is_right, std::uint64_t seed, Cause cause, const std::string& what) {
    ++asked;
    right += is_right ? 1 : 0;
    if (!is_right) wrong += fmt::format("world {}, {}: {}\n", seed, world::name_of(cause), what);
  }
};

/// Estimates assume that nothing else changes.  Where streams compute at once that is not so: what
/// a launch kept apart, or a collective, runs at once when it is gone.
TEST(SkipStatsOnWorlds, NamesTheCauseAndTheStepWithoutIt) {
  Score verdicts, estimates;
  for (std::uint64_t seed = 0; seed < kWorlds; ++seed) {
    const Told world = told(seed);
    const auto& [of, cause] = world.injected;
    const auto period = static_cast<double>(world::period(world.history));
    const double share =
        1 - static_cast<double>(world::period(world::run(world::without(of, cause)))) / period;
    if (cause == Cause::nothing || share >= 0.2) {
      verdicts.add(names(world.stats.verdict, cause), seed, cause,
                   fmt::format("{:.2f} of the step, and told: {}{} {}", share,
                               in_words(world.stats.verdict.decision),
                               world.stats.verdict.straggler ? " (straggler)" : "",
                               world.stats.verdict.why_inconclusive));
    }
    const std::string id = estimate_of(cause);
    if (id.empty()) continue;
    const auto found = std::ranges::find(world.stats.what_ifs, id, &WhatIf::id);
    const double told =
        found == world.stats.what_ifs.end() ? period : static_cast<double>(found->step.count());
    const auto truth = static_cast<double>(world::period(world::run(without(world.injected))));
    estimates.add(std::abs(told / truth - 1) <= 0.1, seed, cause,
                  fmt::format("{:.2f} of the true step", told / truth));
  }
  EXPECT_GE(verdicts.asked, 150);
  EXPECT_GE(verdicts.right, 0.95 * verdicts.asked) << verdicts.wrong;
  EXPECT_GE(estimates.asked, 150);
  EXPECT_GE(estimates.right, 0.95 * estimates.asked) << estimates.wrong;
}

std::int64_t part(const IdleSplit& idle, IdlePart which) {
  return idle.of(which).count();
}

/// The budget and the parts of its idle time are what brute force finds.
void expect_true(const Told& world, std::size_t device, const Budget& budget,
                 const IdleSplit& idle) {
  const world::Truth truth =
      world::truth_of(world.history,
                      world.stats.timelines[device].device == DeviceId::none
                          ? 0
                          : static_cast<int>(world.stats.timelines[device].device),
                      budget.window.begin.count(), budget.window.end.count());
  EXPECT_EQ(budget.compute().count(), truth.compute);
  EXPECT_EQ(budget.exposed_collective().count(), truth.collective);
  EXPECT_EQ(budget.exposed_copy().count(), truth.copy);
  EXPECT_EQ(budget.idle.count(), truth.idle);
  EXPECT_EQ(part(idle, IdlePart::host_late), truth.host_late);
  EXPECT_EQ(part(idle, IdlePart::launch_path), truth.launch_path);
  EXPECT_EQ(part(idle, IdlePart::graph_internal), truth.in_graph);
  EXPECT_EQ(part(idle, IdlePart::queued_short) + part(idle, IdlePart::queued_long), truth.queued);
  EXPECT_EQ(part(idle, IdlePart::tail), truth.tail);
  EXPECT_EQ(part(idle, IdlePart::unknown), 0);
}

TEST(SkipStatsOnWorlds, DividesTimeAsBruteForceDoes) {
  for (std::uint64_t seed = 0; seed < 2 * std::size(world::kCauses); ++seed) {
    const Told world = told(seed);
    for (std::size_t device = 0; device < world.stats.devices.size(); ++device) {
      SCOPED_TRACE("world " + std::to_string(seed) + ", device " + std::to_string(device));
      const DeviceStats& of = world.stats.devices[device];
      ASSERT_GT(of.steady.window.length().count(), 0);
      expect_true(world, device, of.steady, of.steady_idle);
      expect_true(world, device, of.capture, of.capture_idle);
    }
  }
}

}  // namespace
}  // namespace jaxtrace
