// What graph launches left open: direct launches that lost their annotation, graphs that nothing
// places.  Each execution is aligned as a whole, with everything known as fixed points.
#include <algorithm>
#include <map>
#include <tuple>

#include "attribution/durations.h"
#include "attribution/solve.h"

namespace jaxtrace {
namespace {

/// The slots of known pieces, so that a name can be judged between its neighbours.
std::size_t sharers_between(const Bench& bench, const std::vector<Explained>& explained,
                            std::span<const std::uint32_t> events, std::size_t k) {
  const std::size_t everywhere = bench.suspects.sharers(bench.trace.events.name[events[k]]);
  if (everywhere <= 1 || explained[k].slot == kNoSlot) return everywhere;
  const auto known = [&](std::size_t j) {
    return bench.out.label[events[j]] != kNone && explained[j].slot != kNoSlot;
  };
  std::size_t before = k, after = k;
  while (before > 0 && k - before < 64 && !known(before)) --before;
  while (after + 1 < events.size() && after - k < 64 && !known(after)) ++after;
  if (!known(before) || !known(after)) return everywhere;
  const std::uint32_t from = explained[before].slot, to = explained[after].slot;
  if (from >= to) return everywhere;
  const auto& slots = bench.suspects.schedule().slots;
  const std::string& name = slots[explained[k].slot].kernel_name;
  if (name.empty()) return 0;
  std::size_t sharing = 0;
  for (std::uint32_t s = from + 1; s < to; ++s) sharing += slots[s].kernel_name == name;
  return sharing;
}

/// Kernels that no monotone explanation holds, since their correlation id is another call's, since
/// concurrency displaced them or since the HLO has no schedule.  Their names still tell: they take
/// the slot of their name that nothing else took and that is nearest to what ran just before them.
void settle_by_name(const Bench& bench, std::span<const std::uint32_t> events,
                    std::vector<Explained>& explained) {
  const auto lost = [&](std::size_t k) {
    return explained[k].slot == kNoSlot && bench.out.label[events[k]] == kNone;
  };
  std::vector<std::size_t> by_time(events.size());
  for (std::size_t k = 0; k < events.size(); ++k) by_time[k] = k;
  if (std::ranges::none_of(by_time, lost)) return;
  const auto begin = [&](std::size_t k) {
    return std::pair(bench.trace.events.begin[events[k]], k);
  };
  std::ranges::sort(by_time, {}, begin);
  std::vector<std::uint32_t> taken;
  for (const Explained& x : explained) {
    if (x.slot != kNoSlot) taken.push_back(x.slot);
  }
  std::ranges::sort(taken);
  std::uint32_t near = 0;
  for (const std::size_t k : by_time) {
    if (!lost(k)) {
      if (explained[k].slot != kNoSlot) near = explained[k].slot;
      continue;
    }
    const Events& e = bench.trace.events;
    std::tuple best(true, ~std::uint32_t{0}, kNoSlot);  // taken, distance, slot
    for (const Candidate& c : bench.suspects.of(e.name[events[k]], e.details[events[k]])) {
      if (c.cost > 5 || bench.suspects.schedule().slots[c.slot].work != hlo::Work::own_kernel) {
        continue;
      }
      const std::uint32_t distance = c.slot > near ? c.slot - near : near - c.slot;
      best =
          std::min(best, std::tuple(std::ranges::binary_search(taken, c.slot), distance, c.slot));
    }
    const std::uint32_t slot = std::get<2>(best);
    if (slot == kNoSlot) continue;
    explained[k] = {.slot = slot, .round = explained[k].round, .margin = 0, .tied = 1};
    taken.insert(std::ranges::lower_bound(taken, slot), slot);
    near = slot;
  }
}

struct Solved {
  std::vector<std::uint32_t> rows;    ///< Per event: its label.
  std::vector<std::uint32_t> rounds;  ///< Per event: execution, if the flow is cyclic.
};

Solved solve(Bench& bench, std::span<const std::uint32_t> events, const Flow& flow) {
  std::vector<Piece> pieces = pieces_of(bench, events);
  Alignment alignment = align(flow, pieces, {}, bench.suspects.instructions());
  if (undecided(alignment)) {
    Durations durations;
    durations.learn(bench.trace, events, alignment, 20);
    Timed timed(bench.trace, events, std::move(pieces), durations);
    alignment = align(flow, timed.pieces(), {}, bench.suspects.instructions());
  }
  settle_by_name(bench, events, alignment.pieces);
  Solved solved;
  for (std::size_t k = 0; k < events.size(); ++k) {
    solved.rounds.push_back(alignment.pieces[k].round);
    if (bench.out.label[events[k]] != kNone) {
      solved.rows.push_back(bench.out.label[events[k]]);
      continue;
    }
    const std::size_t sharers = sharers_between(bench, alignment.pieces, events, k);
    Label label = label_of(bench, alignment.pieces[k], bench.trace.events.name[events[k]], sharers,
                           Rule::schedule);
    if (label.rule == Rule::unique_name &&
        bench.suspects.sharers(bench.trace.events.name[events[k]]) > 1) {
      label.rule = Rule::window_name;
    }
    solved.rows.push_back(bench.labels.row(label));
  }
  return solved;
}

/// Executions of work that is all known, where no host event tells them apart: one ends where the
/// schedule goes back to an earlier slot outside of every loop.
void count_executions(Bench& bench, const Flow& flow, std::span<const std::uint32_t> events) {
  const auto& e = bench.trace.events;
  std::uint32_t execution = 0;
  std::uint32_t before = 0;  // slot of the event before
  std::uint64_t launch = 0;  // its correlation id
  for (std::size_t k = 0; k < events.size(); ++k) {
    const std::uint32_t i = events[k];
    const auto& slots = bench.suspects.of(bench.out.labels[bench.out.label[i]].instruction);
    if (!slots.empty()) {
      const std::uint32_t slot = slots.front().slot;
      const bool again = slot == before && e.correlation[i] != launch;
      if (k > 0 && (slot < before || again)) {
        const auto& around = flow.loops(before);
        const bool looped = !around.empty() && slot >= around.front().first;
        if (!looped) ++execution;
      }
      before = slot;
      launch = e.correlation[i];
    }
    bench.out.execution[i] = execution;
  }
}

}  // namespace

void solve_executions(Bench& bench) {
  std::map<Fingerprint, Solved> known;
  const Flow once(bench.suspects.schedule(), bench.suspects.miss(), false);
  const Flow again(bench.suspects.schedule(), bench.suspects.miss(), true);
  for (Group* group : bench.groups) {
    for (std::size_t x = 0; x < group->executions.size(); ++x) {
      const std::size_t first = group->executions[x];
      const std::size_t last =
          x + 1 < group->executions.size() ? group->executions[x + 1] : group->events.size();
      const auto events =
          std::span<const std::uint32_t>(group->events).subspan(first, last - first);
      const bool open =
          std::ranges::any_of(events, [&](std::uint32_t i) { return bench.out.label[i] == kNone; });
      if (!open) {
        if (!group->executions_known) count_executions(bench, once, events);
        continue;
      }

      const auto [at, added] = known.try_emplace(fingerprint(bench, events));
      if (added) at->second = solve(bench, events, group->executions_known ? once : again);
      for (std::size_t k = 0; k < events.size(); ++k) {
        bench.out.label[events[k]] = at->second.rows[k];
        if (!group->executions_known) bench.out.execution[events[k]] = at->second.rounds[k];
      }
    }
  }
}

}  // namespace jaxtrace
