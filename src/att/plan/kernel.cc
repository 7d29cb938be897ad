// The kernel as a whole: too few waves, too few workgroups, units that are busy already.
#include <fmt/format.h>

#include <algorithm>

#include "att/plan/patterns.h"
#include "att/saturating.h"

namespace jaxtrace {
namespace {

constexpr std::int64_t kFewWaves = 2;      // Of a SIMD
constexpr std::int64_t kMuchWaiting = 40;  // Percent of the waves' time
constexpr double kBusy = 0.8;

bool is_memory_wait(StallClass c) {
  switch (c) {
    case StallClass::vmem_load:
    case StallClass::vmem_load_lds:
    case StallClass::vmem_wait:
    case StallClass::lds:
    case StallClass::lds_wait:
    case StallClass::lds_smem_wait:
    case StallClass::smem_wait:
    case StallClass::mixed_wait:
      return true;
    default:
      return false;
  }
}

std::int64_t stall_of(const PlanFacts& facts, bool (*is)(StallClass)) {
  std::int64_t sum = 0;
  for (std::uint32_t k = 0; k < facts.class_of.size(); ++k) {
    if (is(facts.class_of[k])) sum = saturating_add(sum, facts.row(k).stall_cycles);
  }
  return sum;
}

std::string waves_text(std::int64_t waves_of_cu) {
  return fmt::format("{:g}", static_cast<double>(waves_of_cu) / static_cast<double>(kSimdsOfCu));
}

/// "VGPRs ≤ 168 and LDS ≤ 54272"; empty if no change of these gives another workgroup.
std::string for_one_more(const Occupancy& model) {
  std::string text;
  for (const Limit& limit : model.limits) {
    if (!limit.blocks_next) continue;
    if (!limit.next_most || limit.resource == Resource::wave_slots) return "";
    text += fmt::format("{}{} ≤ {} (now {})", text.empty() ? "" : " and ", name_of(limit.resource),
                        *limit.next_most, limit.allocated);
  }
  return text;
}

void note_math(const PlanFacts& facts, std::vector<std::string>& notes) {
  if (facts.matrix_busy && *facts.matrix_busy >= 0.1) {
    notes.push_back(fmt::format(
        "The matrix unit of a SIMD is busy about {:.0f} % of the time ({:.1f} waves a SIMD): no "
        "schedule can gain more than the rest",
        100 * *facts.matrix_busy, *facts.waves_of_simd));
  } else if (facts.math_busy && *facts.math_busy >= kBusy) {
    notes.push_back(fmt::format(
        "The vector ALU of a SIMD is busy about {:.0f} % of the time ({:.1f} waves a SIMD): only "
        "fewer or cheaper instructions help",
        100 * *facts.math_busy, *facts.waves_of_simd));
  }
}

/// Stall of matrix instructions that is no more than their own pipe takes.
void note_matrix_stall(const PlanFacts& facts, std::vector<std::string>& notes) {
  std::int64_t stall = 0, own = 0;
  for (std::uint32_t k = 0; k < facts.class_of.size(); ++k) {
    if (facts.class_of[k] != StallClass::matrix) continue;
    const Instruction& i = facts.row(k);
    const std::int64_t pipe =
        saturating_multiply(i.hits, std::max<std::int64_t>(0, facts.matrix_cycles_of[k] - 4));
    stall = saturating_add(stall, i.stall_cycles);
    own = saturating_add(own, std::min(i.stall_cycles, pipe));
  }
  if (stall == 0 || static_cast<double>(stall) < 0.1 * static_cast<double>(facts.stall_cycles) ||
      static_cast<double>(own) < 0.5 * static_cast<double>(stall)) {
    return;
  }
  notes.push_back(
      fmt::format("MFMA has {} of the stall, of which {} is the matrix unit working off the "
                  "instruction before: "
                  "no loss",
                  percent(stall, facts.stall_cycles), percent(own, stall)));
}

void note_memory(const PlanFacts& facts, std::vector<std::string>& notes) {
  std::int64_t stall = 0, latency = 0, waits = 0;
  for (std::uint32_t k = 0; k < facts.class_of.size(); ++k) {
    const StallClass c = facts.class_of[k];
    if (c == StallClass::vmem_load || c == StallClass::vmem_load_lds) {
      stall = saturating_add(stall, facts.row(k).stall_cycles);
      latency = saturating_add(latency, facts.row(k).latency_cycles);
    }
    if (c == StallClass::vmem_wait) waits = saturating_add(waits, facts.row(k).stall_cycles);
  }
  const auto all = static_cast<double>(facts.stall_cycles);
  const bool loads = static_cast<double>(stall) >= 0.3 * all &&
                     static_cast<double>(stall) >= 0.8 * static_cast<double>(latency);
  const std::int64_t both = saturating_add(stall, waits);
  if (all <= 0 || (!loads && static_cast<double>(both) < 0.5 * all)) return;
  notes.push_back(fmt::format(
      "Loads from memory and waits for them have {} of the stall: record L2 counters and see with "
      "`jaxtrace pmc-l2` whether memory itself is the limit",
      percent(both, facts.stall_cycles)));
}

void note_grid(const PlanFacts& facts, std::vector<std::string>& notes) {
  if (facts.occupancy.variants.size() != 1) return;
  const Occupancy& model = facts.occupancy.variants.front().model;
  if (!model.whole || !model.grid_workgroups || model.device_workgroups.value_or(0) <= 0) return;
  const std::int64_t grid = *model.grid_workgroups, device = *model.device_workgroups;
  if (grid < device) {
    notes.push_back(fmt::format(
        "The grid has {} workgroups and the GPU holds {} at once: it is too small to fill the GPU, "
        "whatever each wave does",
        grid, device));
    return;
  }
  const std::int64_t rounds = (grid + device - 1) / device, rest = grid % device;
  const double idle = rest == 0 ? 0
                                : static_cast<double>(device - rest) / static_cast<double>(device) /
                                      static_cast<double>(rounds);
  if (idle < 0.1) return;
  notes.push_back(
      fmt::format("The grid of {} workgroups takes {} rounds of {}, the last with {}: {:.0f} % of "
                  "the GPU's places stay empty; another tile size may fit better",
                  grid, rounds, device, rest, 100 * idle));
}

}  // namespace

void find_low_occupancy(PlanFacts& facts, std::vector<PlanCandidate>& found) {
  if (facts.occupancy.variants.empty()) return;
  const Occupancy& model = facts.occupancy.variants.front().model;
  for (const OccupancyReport::Variant& v : facts.occupancy.variants) {
    if (v.model.waves != model.waves || v.refuted) return;
  }
  if (model.waves == 0 || model.waves > kFewWaves * kSimdsOfCu) return;
  const auto& measured = facts.occupancy.measured;
  if (measured && measured->peak_of_cu < model.waves) return;  // The grid allows no more.
  const std::string needed = for_one_more(model);
  const std::int64_t stall = stall_of(facts, is_memory_wait);
  if (needed.empty() || !facts.is_share(stall, kMuchWaiting)) return;
  PlanCandidate c;
  PlanItem& item = c.item;
  item.pattern = "low-occupancy";
  item.stall_class = "memory";
  item.cause = fmt::format("only {} waves fit on a SIMD, too few to fill each other's waits",
                           waves_text(model.waves));
  item.fix = fmt::format("Fit one workgroup more on a CU: {}", needed);
  item.effort = "hard";
  for (std::uint32_t k = 0; k < facts.class_of.size(); ++k) {
    const std::int64_t of_row = is_memory_wait(facts.class_of[k]) ? facts.row(k).stall_cycles : 0;
    c.lost = saturating_add(c.lost, facts.lost(k, of_row));
    if (of_row > 0)
      item.latency_cycles = saturating_add(item.latency_cycles, facts.row(k).latency_cycles);
  }
  item.stall_cycles = stall;
  // One wave more has its share of the time to fill.
  const std::int64_t waves = std::max<std::int64_t>(1, model.waves / kSimdsOfCu);
  c.gain = factor_of(c.lost / (waves + 1), kRestructuring);
  item.evidence = fmt::format("loads, LDS accesses and waits for them stall {} of the waves' time",
                              percent(stall, facts.wave_cycles));
  item.assumption =
      "the same stall that the items above reduce; registers must not be spilled for it";
  keep(facts, std::move(c), found);
}

std::vector<std::string> notes_on(const PlanFacts& facts) {
  std::vector<std::string> notes;
  note_math(facts, notes);
  note_matrix_stall(facts, notes);
  note_memory(facts, notes);
  note_grid(facts, notes);
  return notes;
}

}  // namespace jaxtrace
