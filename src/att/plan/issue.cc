// Instructions that stall themselves: loads, stores and LDS accesses that cannot be issued, results
// needed too soon, padding, barriers, spills.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>

#include "att/plan/patterns.h"
#include "att/registers.h"
#include "att/saturating.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kBurst = 8;           // Loads in a row that make a burst.
constexpr std::int64_t kBusyLds = 16;       // Stall of one access that shows that the LDS is busy.
constexpr std::int64_t kBarrierShare = 10;  // Percent of the waves' time
constexpr std::int64_t kNopShare = 3;

/// The rows of a class with the most stall, in words: "instruction 493 (s_barrier): 680.7 cycles,
/// 24 times".
std::string worst_rows(const PlanFacts& facts, std::vector<std::uint32_t> rows) {
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [&](std::uint32_t k) { return facts.row(k).stall_cycles; });
  std::string text;
  const std::size_t shown = std::min<std::size_t>(rows.size(), 3);
  for (std::size_t k = 0; k < shown; ++k) {
    const Instruction& i = facts.row(rows[k]);
    text += fmt::format("{}{} stalls {} cycles, {} times", k == 0 ? "" : "; ",
                        named(facts, rows[k]), average(i.stall_cycles, i.hits), i.hits);
  }
  if (rows.size() > shown) text += fmt::format("; {} more", rows.size() - shown);
  return text;
}

/// Math of one iteration, or one wave, that could stand where the rows stall.
std::int64_t coverable(const PlanFacts& facts, const std::vector<std::uint32_t>& rows,
                       std::int64_t lost) {
  if (rows.empty()) return 0;
  const Scope& scope = facts.scope_of(rows.front());
  return std::min(lost, saturating_multiply(scope.times, scope.cover_of_one()));
}

struct Words {
  std::string_view id, cause, fix, effort;
  std::int64_t factor;
};

Candidate candidate_of(PlanFacts& facts, const Words& words,
                       const std::vector<std::uint32_t>& rows) {
  Candidate c;
  c.item.pattern = words.id;
  c.item.cause = words.cause;
  c.item.fix = words.fix;
  c.item.effort = words.effort;
  for (const std::uint32_t row : rows) {
    const std::int64_t stall = facts.claim(row, facts.unclaimed(row));
    if (stall > 0) add_row(facts, c, row, stall);
  }
  finish(facts, c);
  c.item.evidence = worst_rows(facts, c.item.rows);
  c.item.assumption = "waves are alike; " + facts.how_lost();
  c.item.gain_cycles = c.lost / 100 * words.factor;
  return c;
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

std::string width_note(const PlanFacts& facts, const std::vector<std::uint32_t>& rows) {
  std::int64_t narrow = 0, bytes = 16;
  for (const std::uint32_t row : rows) {
    const std::int64_t of_row = bytes_of_lane(mnemonic_of(facts.row(row).text));
    if (of_row == 0 || of_row > 4) continue;
    ++narrow;
    bytes = std::min(bytes, of_row);
  }
  if (2 * narrow < static_cast<std::int64_t>(rows.size())) return "";
  return fmt::format(
      "; first see whether neighbouring elements can be moved together: most of "
      "these move only {} {} a lane, and one instruction can move 16",
      bytes, bytes == 1 ? "byte" : "bytes");
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

void find_spills(PlanFacts& facts, std::vector<Candidate>& found) {
  const Words words = {
      "spill", "registers are spilled to memory (scratch), and loaded back",
      "Use fewer registers at a time: smaller tiles, shorter lives of values, or a "
      "launch bound that allows more registers a wave",
      "hard", kRemoving};
  Candidate c;
  c.item.pattern = words.id;
  c.item.cause = words.cause;
  c.item.fix = words.fix;
  c.item.effort = words.effort;
  bool stack = false;
  for (const OccupancyReport::Variant& v : facts.occupancy.variants) {
    stack = stack || (v.resources != nullptr && v.resources->scratch_bytes.value_or(0) > 0);
  }
  const auto is_scratch = [&](std::uint32_t k) {
    if (facts.class_of[k] == StallClass::scratch) return true;
    const std::string& text =
        facts.row(k).text;  // Before gfx940: "buffer_load_dword v1, off, s[0:3]"
    return stack && text.starts_with("buffer_") && text.find("off, s[0:3]") != std::string::npos;
  };
  std::int64_t gain = 0;
  for (std::uint32_t k = 0; k < facts.class_of.size(); ++k) {
    if (facts.row(k).hits <= 0 || !is_scratch(k)) continue;
    add_row(facts, c, k, facts.claim(k, facts.unclaimed(k)));
    gain = saturating_add(gain, facts.row(k).latency_cycles);
  }
  if (c.item.rows.empty()) return;
  for (const WaitView& view : facts.waits) {
    if (view.operation == kNoOperation || !is_scratch(view.operation)) continue;
    const std::int64_t stall = facts.claim(view.wait, view.stall_cycles);
    add_row(facts, c, view.wait, stall);
    gain = saturating_add(gain, facts.lost(view.wait, stall));
  }
  finish(facts, c);
  c.item.gain_cycles = gain;
  c.item.evidence = worst_rows(facts, c.item.rows);
  c.item.assumption = "the spills can be avoided without losing a wave";
  found.push_back(std::move(c));
}

void find_barriers(PlanFacts& facts, std::vector<Candidate>& found) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> groups;
  std::map<std::uint32_t, bool> raises_priority;
  std::int64_t all = 0;
  for (std::uint32_t k = 0; k < facts.class_of.size(); ++k) {
    const std::uint32_t loop = facts.loop_of(k);
    if (mnemonic_of(facts.row(k).text) == "s_setprio") raises_priority[loop] = true;
    if (facts.class_of[k] != StallClass::barrier) continue;
    groups[loop].push_back(k);
    all = saturating_add(all, facts.row(k).stall_cycles);
  }
  if (!facts.is_share(all, kBarrierShare)) return;
  for (const auto& [loop, rows] : groups) {
    Words words = {"barrier", "waves wait at barriers for the slowest of their workgroup",
                   "Give the waves equal work between barriers, drop barriers that nothing needs, "
                   "or split them into signal and wait",
                   "hard", kRestructuring};
    if (raises_priority[loop]) {
      words.cause =
          "waves wait at barriers for each other; with s_setprio around the math, halves of the "
          "workgroup seem to take turns, and then the wait is as long as the other half's phase";
      words.fix =
          "Balance the phases: the half that loads should take as long as the half that computes";
    }
    found.push_back(candidate_of(facts, words, rows));
  }
}

void find_loads(PlanFacts& facts, std::vector<Candidate>& found) {
  const Words burst = {
      "vmem-burst",
      "many loads are issued in a row with no math between, and the memory "
      "pipeline is full",
      "Spread the loads over the math, or load the next tile during this one's math", "medium",
      kPrefetching};
  for (const auto& rows : runs_of_loads(facts)) {
    std::int64_t stall = 0, latency = 0;
    for (const std::uint32_t row : rows) {
      stall = saturating_add(stall, facts.row(row).stall_cycles);
      latency = saturating_add(latency, facts.row(row).latency_cycles);
    }
    if (5 * static_cast<double>(stall) < 4 * static_cast<double>(latency)) continue;
    Candidate c = candidate_of(facts, burst, rows);
    c.item.gain_cycles = coverable(facts, rows, c.lost) / 100 * burst.factor;
    c.item.fix += width_note(facts, rows);
    c.item.evidence =
        fmt::format("{} loads from {} to {}; {}", rows.size(), facts.row(rows.front()).line,
                    facts.row(rows.back()).line, c.item.evidence);
    found.push_back(std::move(c));
  }
  const auto rest = [&](const Words& words, auto is) {
    for (const auto& [key, rows] : grouped(facts, is)) {
      Candidate c = candidate_of(facts, words, rows);
      c.item.gain_cycles = coverable(facts, rows, c.lost) / 100 * words.factor;
      c.item.fix += width_note(facts, rows);
      found.push_back(std::move(c));
    }
  };
  rest({"vmem-issue", "loads cannot be issued: the memory pipeline is still busy with earlier ones",
        "Spread the loads over the math, or move fewer bytes", "medium", kPrefetching},
       [&](std::uint32_t k) { return is_load(facts.class_of[k]); });
  rest({"store-issue", "stores cannot be issued: the memory pipeline is full",
        "Write whole cache lines with wide stores, and spread them over the math", "medium",
        kRestructuring},
       [&](std::uint32_t k) { return facts.class_of[k] == StallClass::vmem_store; });
}

void find_busy_units(PlanFacts& facts, std::vector<Candidate>& found) {
  const auto busy_lds = [&](std::uint32_t k) {
    const Instruction& i = facts.row(k);
    return facts.class_of[k] == StallClass::lds && i.hits > 0 && i.stall_cycles / i.hits > kBusyLds;
  };
  for (const auto& [key, rows] : grouped(facts, busy_lds)) {
    found.push_back(candidate_of(
        facts,
        {"lds-busy", "LDS accesses cannot be issued: it is out of bandwidth, or banks conflict",
         "Use the widest accesses (b128); where banks conflict (counter SQ_LDS_BANK_CONFLICT), pad "
         "or swizzle the tile",
         "medium", kRestructuring},
        rows));
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
    found.push_back(candidate_of(
        facts,
        {"mfma-dep", "matrix instructions need the result of one just before",
         "Work on more independent accumulators in turn, so that a result is needed only after its "
         "pipeline is through",
         "medium", kReordering},
        early));
  }

  std::vector<std::uint32_t> nops;
  std::int64_t stall = 0;
  for (std::uint32_t k = 0; k < facts.class_of.size(); ++k) {
    if (mnemonic_of(facts.row(k).text) != "s_nop") continue;
    nops.push_back(k);
    stall = saturating_add(stall, facts.row(k).stall_cycles);
  }
  if (!facts.is_share(stall, kNopShare)) return;
  Candidate c =
      candidate_of(facts,
                   {"nop", "the compiler pads dependent instructions with s_nop",
                    "Put independent instructions between the dependent ones", "easy", kReordering},
                   nops);
  c.item.gain_cycles = coverable(facts, nops, c.lost) / 100 * kReordering;
  found.push_back(std::move(c));
}

}  // namespace jaxtrace
