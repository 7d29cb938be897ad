// What to change, on worlds whose bottleneck is known: the cause leads the list, its estimate is
// the simulator's, and no cause is counted twice.
#include "investigation/changes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/capture.h"
#include "support/world_random.h"
#include "support/write_xplane.h"

namespace jaxtrace {
namespace {

using world::Cause;

struct Advised {
  world::Injected injected;
  world::History history;
  Trace trace;
  SkipStats skip;
  Attribution attribution;
  Ops ops;
  Sums sums;
  Changes changes;
};

Advised advised(std::uint64_t seed) {
  Advised out{.injected = world::random_world(seed),
              .history = {},
              .trace = {},
              .skip = {},
              .attribution = {},
              .ops = {},
              .sums = {},
              .changes = {}};
  out.history = world::run(out.injected.world);
  out.trace = read_bytes(synth::xspace_bytes(out.history.recording));
  out.skip = skip_stats(out.trace);
  out.attribution = attribute(out.trace);
  out.ops = find_ops(out.trace, out.attribution);
  out.sums = add_up(out.trace, out.attribution, out.ops, counted_labels(out.attribution, {}));
  const Scope scope{out.trace, out.skip.works, out.skip.timelines, out.skip.steps};
  const AlignedCollectives aligned =
      align_collectives(out.trace, out.skip.works, out.skip.timelines, out.skip.steps);
  if (!out.skip.steps.median) return out;
  const CriticalPath path =
      critical_path(scope, aligned, *out.skip.steps.median, out.skip.verdict.device);
  HostNames names(out.trace);
  Blamer blamer(out.trace, out.skip.works, names);
  out.changes = find_changes({out.trace, out.skip, out.attribution, out.ops, out.sums}, path,
                             path_causes(path, blamer, names), Roofline{});
  return out;
}

/// Ids that speak of a cause: the first loss on the list should be one of them.
bool speaks_of(const std::string& id, Cause cause) {
  switch (cause) {
    case Cause::communication:
      return id == "W3" || id == "W3 balance";
    case Cause::straggler:
      return id == "W3" || id == "W3 balance";
    case Cause::memcpy:
      return id == "W4";
    case Cause::device_wait:
      return id == "device waits";
    default:
      return id == "W1" || id.starts_with("W2") || id == "W5";
  }
}

const Proposal* first_loss(const Changes& changes) {
  const auto loss = std::ranges::find_if(
      changes.causes, [](const Proposal& change) { return change.id != "compute"; });
  return loss == changes.causes.end() ? nullptr : &*loss;
}

TEST(ChangesOnWorlds, TheCauseThatWasPutInLeadsTheLosses) {
  int asked = 0, right = 0;
  std::string wrong;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const world::Injected injected = world::random_world(seed);
    if (injected.cause == Cause::nothing) continue;
    const world::World without = world::without(injected.world, injected.cause);
    if (world::share(injected.world, without) < 0.2) continue;
    const Advised all = advised(seed);
    const Proposal* const loss = first_loss(all.changes);
    ++asked;
    if (loss != nullptr && speaks_of(loss->id, injected.cause)) {
      ++right;
    } else {
      wrong += fmt::format("world {}, {}: {}\n", seed, world::name_of(injected.cause),
                           loss == nullptr ? all.changes.why_none : loss->id);
    }
  }
  EXPECT_GE(asked, 60);
  EXPECT_GE(right, 0.95 * asked) << wrong;
}

TEST(ChangesOnWorlds, PartsStayWithinTheirWholeAndTheStepAboveCompute) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Advised all = advised(seed);
    if (!all.changes.why_none.empty()) continue;
    Picoseconds disjoint{0}, of_host{0}, host{0};
    for (const Proposal& change : all.changes.causes) {
      if (change.path_share) {
        EXPECT_GE(*change.path_share, 0) << seed << change.id;
        EXPECT_LE(*change.path_share, 1) << seed << change.id;
      }
      if (change.id == "W1") host = change.path.value_or(Picoseconds{0});
      if (change.id.starts_with("W2")) of_host += change.path.value_or(Picoseconds{0});
      if (change.part_of.empty()) disjoint += change.path.value_or(Picoseconds{0});
      if (!change.step || change.id == "W3 balance") continue;
      const Picoseconds compute =
          all.skip.devices[all.skip.verdict.device].steps[*all.skip.steps.median].compute;
      EXPECT_GE(*change.step, compute) << seed << change.id;
      EXPECT_LE(*change.step, all.changes.step) << seed << change.id;
    }
    EXPECT_LE(disjoint, all.changes.window) << seed;
    EXPECT_LE(of_host, host) << seed;
  }
}

TEST(Changes, WithoutAMedianStepThereIsNoEstimateAndTheReasonIsSaid) {
  const Trace trace;
  const SkipStats skip = skip_stats(trace);
  const Attribution attribution = attribute(trace);
  const Ops ops = find_ops(trace, attribution);
  const Sums sums = add_up(trace, attribution, ops, counted_labels(attribution, {}));
  const Changes changes =
      find_changes({trace, skip, attribution, ops, sums}, CriticalPath{}, {}, Roofline{});
  EXPECT_TRUE(changes.causes.empty());
  EXPECT_FALSE(changes.why_none.empty());
}

}  // namespace
}  // namespace jaxtrace
