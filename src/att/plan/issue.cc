// Instructions that cannot be issued: loads, stores and LDS accesses into a full pipeline, matrix
// instructions whose operands are not ready, padding in place of that.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "att/plan/patterns.h"
#include "att/registers.h"
#include "att/saturating.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kBurst = 8;          // Loads in a row that make a burst.
constexpr std::int64_t kBusyLds = 8;       // Stall of one access beyond taking turns
constexpr std::int64_t kConflictLds = 16;  // … that bank conflicts may explain
constexpr std::int64_t kNopShare = 3;

/// Math of one iteration, or one wave, that could stand where the rows stall.
std::int64_t coverable(const PlanFacts& facts, const std::vector<std::uint32_t>& rows,
                       std::int64_t lost) {
  if (rows.empty()) return 0;
  const PlanScope& scope = facts.scope_of(rows.front());
  return std::min(lost, saturating_multiply(scope.times, scope.cover_of_one()));
}

std::int64_t hits_of(const PlanFacts& facts, const std::vector<std::uint32_t>& rows) {
  std::int64_t hits = 0;
  for (const std::uint32_t row : rows) hits = saturating_add(hits, facts.row(row).hits);
  return hits;
}

/// Rows of one kind, by loop and source line.
template <typename Is>
std::map<std::pair<std::uint32_t, std::string_view>, std::vector<std::uint32_t>> grouped(
    const PlanFacts& facts, Is is) {
  std::map<std::pair<std::uint32_t, std::string_view>, std::vector<std::uint32_t>> groups;
  for (std::uint32_t k = 0; k < facts.class_of.size(); ++k) {
    if (facts.unclaimed(k) > 0 && is(k)) {
      groups[{facts.loop_of(k), facts.source_of(k)}].push_back(k);
    }
  }
  return groups;
}

bool is_load(StallClass c) {
  return c == StallClass::vmem_load || c == StallClass::vmem_load_lds;
}

/// Loads with no matrix and fewer than two vector instructions between, in one loop.
std::vector<std::vector<std::uint32_t>> runs_of_loads(const PlanFacts& facts) {
  std::vector<std::vector<std::uint32_t>> runs;
  std::vector<std::uint32_t> run;
  int between = 0;
  const auto close = [&] {
    if (run.size() >= kBurst) runs.push_back(run);
    run.clear();
  };
  for (std::uint32_t k = 0; k < facts.class_of.size(); ++k) {
    const StallClass c = facts.class_of[k];
    if (facts.row(k).hits <= 0) continue;
    if (!run.empty() && (facts.loop_of(k) != facts.loop_of(run.back()) ||
                         facts.row(k).kernel != facts.row(run.back()).kernel)) {
      close();
    }
    if (is_load(c)) {
      if (between >= 2) close();
      run.push_back(k);
      between = 0;
    } else if (c == StallClass::matrix) {
      close();
    } else if (c == StallClass::valu || c == StallClass::trans || c == StallClass::acc) {
      ++between;
    }
  }
  close();
  return runs;
}

/// Loads or stores that cannot be issued: math can be put between, where there is some; else only
/// fewer of them help.
PlanCandidate memory_candidate(PlanFacts& facts, const PatternWords& words,
                               const std::vector<std::uint32_t>& rows) {
  PlanCandidate c = candidate_of_rows(facts, words, rows);
  if (!is_worth_saying(facts, c)) return c;
  const std::int64_t covered = coverable(facts, rows, c.lost);
  c.gain = factor_of(covered, words.factor);
  const auto bytes = narrow_bytes(facts, rows, 4);
  const std::string wider =
      bytes ? fmt::format("most of these move at most {} {} a lane, of 16 that one instruction can",
                          *bytes, *bytes == 1 ? "byte" : "bytes")
            : "";
  if (covered < c.lost / 10) {  // There is next to no math to put between.
    c.item.fix = bytes ? "Move the same bytes with fewer instructions, where neighbouring elements "
                         "lie side by side: " +
                             wider
                       : "Move fewer bytes: the kernel has next to no math to hide them behind";
  } else if (bytes) {
    c.item.fix += "; or move neighbouring elements together: " + wider;
  }
  return c;
}

/// Whether an operand of `later` overlaps the result of `earlier`, both matrix instructions.
bool depends(const Instruction& later, const Instruction& earlier) {
  const auto result = operands_of(earlier.text);
  const auto sources = operands_of(later.text);
  if (result.empty()) return false;
  return std::ranges::any_of(sources.begin() + (sources.empty() ? 0 : 1), sources.end(),
                             [&](std::string_view s) { return overlaps(s, result.front()); });
}

}  // namespace

void find_loads(PlanFacts& facts, std::vector<PlanCandidate>& found) {
  for (const auto& rows : runs_of_loads(facts)) {
    std::int64_t stall = 0, latency = 0;
    for (const std::uint32_t row : rows) {
      stall = saturating_add(stall, facts.row(row).stall_cycles);
      latency = saturating_add(latency, facts.row(row).latency_cycles);
    }
    if (5 * static_cast<double>(stall) < 4 * static_cast<double>(latency)) continue;
    PlanCandidate c = memory_candidate(
        facts,
        {"vmem-burst",
         "many loads are issued in a row with no math between, and the memory pipeline is full",
         "Spread the loads over the math, or load the next tile during this one's math", "medium",
         kPrefetching},
        rows);
    c.item.evidence =
        fmt::format("{} loads from instruction {} to {}; {}", rows.size(),
                    facts.row(rows.front()).line, facts.row(rows.back()).line, c.item.evidence);
    keep(facts, std::move(c), found);
  }
  const auto is_any_load = [&](std::uint32_t k) { return is_load(facts.class_of[k]); };
  for (const auto& [key, rows] : grouped(facts, is_any_load)) {
    keep(facts,
         memory_candidate(
             facts,
             {"vmem-issue",
              "loads cannot be issued: the memory pipeline is still busy with earlier ones",
              "Spread the loads over the math", "medium", kPrefetching},
             rows),
         found);
  }
  const auto is_store = [&](std::uint32_t k) {
    return facts.class_of[k] == StallClass::vmem_store;
  };
  for (const auto& [key, rows] : grouped(facts, is_store)) {
    keep(facts,
         memory_candidate(facts,
                          {"store-issue", "stores cannot be issued: the memory pipeline is full",
                           "Spread the stores over the math", "medium", kRestructuring},
                          rows),
         found);
  }
}

void find_busy_units(PlanFacts& facts, std::vector<PlanCandidate>& found) {
  const auto is_busy = [&](std::uint32_t k) {
    const Instruction& i = facts.row(k);
    return facts.class_of[k] == StallClass::lds && i.hits > 0 &&
           i.stall_cycles / i.hits >= kBusyLds;
  };
  // The LDS is one: a loop and what is around it fill it alike.
  std::map<std::string_view, std::vector<std::uint32_t>> busy;
  for (std::uint32_t k = 0; k < facts.class_of.size(); ++k) {
    if (facts.unclaimed(k) > 0 && is_busy(k)) busy[facts.source_of(k)].push_back(k);
  }
  for (const auto& [source, rows] : busy) {
    PlanCandidate c = candidate_of_rows(
        facts,
        {"lds-busy", "LDS accesses cannot be issued: the LDS is still busy with earlier ones",
         "Spread the LDS accesses over the math", "medium", kRestructuring},
        rows);
    if (const auto bytes = narrow_bytes(facts, rows, 8)) {
      c.item.fix += fmt::format(
          "; or use fewer and wider ones: most move at most {} bytes a lane, "
          "of 16 that one can (b128)",
          *bytes);
    }
    if (c.item.stall_cycles / std::max<std::int64_t>(1, hits_of(facts, rows)) > kConflictLds) {
      c.item.fix += "; banks may conflict (counter SQ_LDS_BANK_CONFLICT): pad or swizzle the tile";
    }
    keep(facts, std::move(c), found);
  }

  // A wave may find the pipe busy with the matrix instruction of each other wave of its SIMD; only
  // what is beyond that is due to its own order.
  const auto waves = static_cast<std::int64_t>(std::ceil(facts.waves_of_simd.value_or(0) - 0.01));
  std::vector<std::uint32_t> early, matrix;
  for (std::uint32_t k = 0; k < facts.class_of.size() && waves > 0; ++k) {
    if (facts.class_of[k] != StallClass::matrix) continue;
    const Instruction& i = facts.row(k);
    const std::int64_t cycles = facts.matrix_cycles_of[k];
    matrix.push_back(k);
    if (cycles == 0 || i.hits <= 0 || i.stall_cycles / i.hits <= waves * cycles - 4) continue;
    const std::size_t before = matrix.size() - 1, reach = std::min<std::size_t>(before, 4);
    for (std::size_t b = before - reach; b < before; ++b) {
      if (facts.row(matrix[b]).kernel == i.kernel && depends(i, facts.row(matrix[b]))) {
        early.push_back(k);
        break;
      }
    }
  }
  if (!early.empty()) {
    keep(facts,
         candidate_of_rows(facts,
                           {"mfma-dep", "matrix instructions need the result of one just before",
                            "Work on more independent accumulators in turn, so that a result is "
                            "needed only after its "
                            "pipeline is through",
                            "medium", kReordering},
                           early),
         found);
  }

  std::vector<std::uint32_t> nops;
  std::int64_t stall = 0;
  for (std::uint32_t k = 0; k < facts.class_of.size(); ++k) {
    if (mnemonic_of(facts.row(k).text) != "s_nop") continue;
    nops.push_back(k);
    stall = saturating_add(stall, facts.row(k).stall_cycles);
  }
  if (!facts.is_share(stall, kNopShare)) return;
  PlanCandidate c = candidate_of_rows(
      facts,
      {"nop", "the compiler pads dependent instructions with s_nop",
       "Put independent instructions between the dependent ones", "easy", kReordering},
      nops);
  c.gain = factor_of(coverable(facts, nops, c.lost), kReordering);
  keep(facts, std::move(c), found);
}

}  // namespace jaxtrace
