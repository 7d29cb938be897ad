// Patterns to a ranked plan.
#include "att/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "att/plan/patterns.h"
#include "att/saturating.h"

namespace jaxtrace {
namespace {

// Percent of the waves' time.
constexpr std::int64_t kHighGain = 10, kMediumGain = 4;

void find_top_class(const PlanFacts& facts, const WaitAnalysis& waits, Plan& plan) {
  std::array<std::int64_t, kStallClasses> stall{};
  const auto add = [&](StallClass c, std::int64_t cycles) {
    std::int64_t& sum = stall.at(static_cast<std::size_t>(c));
    sum = saturating_add(sum, cycles);
  };
  for (std::uint32_t k = 0; k < facts.class_of.size(); ++k) {
    add(facts.class_of[k], facts.row(k).stall_cycles);
  }
  if (waits.dynamic) {
    for (const WaitView& view : facts.waits) {
      if (facts.class_of[view.wait] != StallClass::mixed_wait || view.mixed) continue;
      add(StallClass::mixed_wait, -view.stall_cycles);
      add(stall_class_of(view.counter), view.stall_cycles);
    }
  }
  const auto most = std::ranges::max_element(stall);
  if (*most <= 0) return;
  plan.top_class = name_of(static_cast<StallClass>(most - stall.begin()));
  plan.top_class_cycles = *most;
}

/// No schedule gains more than the time in which the matrix unit is idle.
std::int64_t most_to_gain(const PlanFacts& facts) {
  return static_cast<std::int64_t>(static_cast<double>(facts.wave_cycles) *
                                   (1 - facts.matrix_busy.value_or(0)));
}

Priority priority_of(const PlanFacts& facts, const PlanCandidate& candidate) {
  if (facts.is_share(candidate.gain, kHighGain) || facts.is_share(candidate.lost, kHighStall)) {
    return Priority::high;
  }
  return facts.is_share(candidate.gain, kMediumGain) ? Priority::medium : Priority::low;
}

/// 1 - Π(1 - gain), in cycles.
std::int64_t combined(const Plan& plan) {
  double left = 1;
  for (const PlanItem& item : plan.items) {
    left *= 1 - static_cast<double>(item.gain_cycles.value_or(0)) /
                    static_cast<double>(plan.wave_cycles);
  }
  return static_cast<std::int64_t>((1 - left) * static_cast<double>(plan.wave_cycles));
}

}  // namespace

std::string_view name_of(Priority priority) {
  switch (priority) {
    case Priority::high:
      return "HIGH";
    case Priority::medium:
      return "MED";
    case Priority::low:
      return "LOW";
  }
  return "";
}

Plan make_plan(const ThreadTrace& trace, const Loops& loops, const WaitAnalysis& waits,
               const OccupancyReport& occupancy, const HiddenStall* hidden) {
  PlanFacts facts(trace, loops, waits, occupancy, hidden);
  Plan plan;
  plan.wave_cycles = facts.wave_cycles;
  plan.latency_cycles = facts.latency_cycles;
  plan.stall_cycles = facts.stall_cycles;
  plan.artefacts = facts.artefacts;
  if (plan.wave_cycles <= 0) return plan;
  find_top_class(facts, waits, plan);

  std::vector<PlanCandidate> found;
  find_spills(facts, found);
  find_waits(facts, found);
  find_barriers(facts, found);
  find_loads(facts, found);
  find_busy_units(facts, found);
  find_low_occupancy(facts, found);

  plan.notes = notes_on(facts);
  for (PlanCandidate& candidate : found) {
    PlanItem& item = candidate.item;
    candidate.gain = std::min(candidate.gain, most_to_gain(facts));
    if (facts.is_share(candidate.gain, kLeastGain)) {
      item.gain_cycles = candidate.gain;
    } else if (facts.is_share(candidate.lost, kHighStall)) {
      item.assumption =
          "the kernel has nothing to overlap it with, and whether memory could be "
          "faster, only counters tell (`jaxtrace pmc-l2`)";
    } else {
      continue;
    }
    item.priority = priority_of(facts, candidate);
    plan.items.push_back(std::move(item));
  }
  std::ranges::stable_sort(plan.items, {}, [](const PlanItem& item) {
    return std::tuple(item.priority, -item.gain_cycles.value_or(0),
                      item.rows.empty() ? kNoOperation : item.rows.front(), item.pattern);
  });
  plan.combined_gain_cycles = std::min(combined(plan), most_to_gain(facts));
  if (plan.items.empty()) {
    plan.notes.emplace_back("No known pattern promises as much as 1 % of the waves' time");
  }
  return plan;
}

}  // namespace jaxtrace
