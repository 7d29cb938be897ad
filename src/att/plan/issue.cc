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

/// Math of one iteration, or one wave, that could stand where the rows stall.
std::int64_t coverable(const PlanFacts& facts, const std::vector<std::uint32_t>& rows,
                       std::int64_t lost) {
  if (rows.empty()) return 0;
  const PlanScope& scope = facts.scope_of(rows.front());
  return std::min(lost, saturating_multiply(scope.times, scope.cover_of_one()));
}

PlanCandidate candidate_of(PlanFacts& facts, const PatternWords& words,
                           const std::vector<std::uint32_t>& rows) {
  PlanCandidate c = begin_candidate(words);
  for (const std::uint32_t row : rows) {
    const std::int64_t stall = facts.claim(row, facts.unclaimed(row));
    if (stall > 0) add_row(facts, c, row, stall);
  }
  finish(facts, c);
  c.item.evidence = worst_rows(facts, c.item.rows);
  c.item.assumption = "waves are alike; " + facts.how_lost();
  c.gain = factor_of(c.lost, words.factor);
  return c;
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

/// Whether an operand of `later` overlaps the result of `earlier`, both matrix instructions.
bool depends(const Instruction& later, const Instruction& earlier) {
  const auto result = operands_of(earlier.text);
  const auto sources = operands_of(later.text);
  if (result.empty()) return false;
  return std::ranges::any_of(sources.begin() + (sources.empty() ? 0 : 1), sources.end(),
                             [&](std::string_view s) { return overlaps(s, result.front()); });
}

/// Accumulation registers that no matrix instruction uses, only moves to and from them.
void find_parked(PlanFacts& facts, std::vector<PlanCandidate>& found) {
  std::vector<std::uint32_t> moves;
  bool reads = false, writes = false;
  for (std::uint32_t k = 0; k < facts.class_of.size(); ++k) {
    const std::string_view text = facts.row(k).text;
    if (facts.class_of[k] == StallClass::matrix) {
      const auto operands = operands_of(text);
      if (std::ranges::any_of(operands, [](std::string_view o) { return o.starts_with("a"); })) {
        return;
      }
    }
    if (facts.class_of[k] != StallClass::acc || facts.row(k).hits <= 0) continue;
    moves.push_back(k);
    reads = reads || text.find("_read") != std::string_view::npos;
    writes = writes || text.find("_write") != std::string_view::npos;
  }
  if (!reads || !writes) return;
  PlanCandidate c =
      candidate_of(facts,
                   {"accum-spill",
                    "values are parked in accumulation registers and fetched back, as vector "
                    "registers run out",
                    "Use fewer registers at a time: smaller tiles, or shorter lives of values",
                    "hard", kRemoving},
                   moves);
  c.gain = c.item.latency_cycles;
  c.item.assumption = "the moves can be avoided without losing a wave";
  found.push_back(std::move(c));
}

}  // namespace

void find_spills(PlanFacts& facts, std::vector<PlanCandidate>& found) {
  const PatternWords words = {
      "spill", "registers are spilled to memory (scratch), and loaded back",
      "Use fewer registers at a time: smaller tiles, shorter lives of values, or a "
      "launch bound that allows more registers a wave",
      "hard", kRemoving};
  PlanCandidate c = begin_candidate(words);
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
  for (std::uint32_t k = 0; k < facts.class_of.size(); ++k) {
    if (facts.row(k).hits <= 0 || !is_scratch(k)) continue;
    add_row(facts, c, k, facts.claim(k, facts.unclaimed(k)));
    c.gain = saturating_add(c.gain, facts.row(k).latency_cycles);
  }
  find_parked(facts, found);
  if (c.item.rows.empty()) return;
  for (const WaitView& view : facts.waits) {
    if (view.operation == kNoOperation || !is_scratch(view.operation)) continue;
    const std::int64_t stall = facts.claim(view.wait, view.stall_cycles);
    add_row(facts, c, view.wait, stall);
    c.gain = saturating_add(c.gain, facts.lost(view.wait, stall));
  }
  finish(facts, c);
  c.item.evidence = worst_rows(facts, c.item.rows);
  c.item.assumption = "the spills can be avoided without losing a wave";
  found.push_back(std::move(c));
}

void find_barriers(PlanFacts& facts, std::vector<PlanCandidate>& found) {
  std::vector<std::uint32_t> rows;
  bool takes_turns = false;
  std::int64_t all = 0;
  for (std::uint32_t k = 0; k < facts.class_of.size(); ++k) {
    takes_turns =
        takes_turns || (facts.row(k).hits > 0 && mnemonic_of(facts.row(k).text) == "s_setprio");
    if (facts.class_of[k] != StallClass::barrier) continue;
    rows.push_back(k);
    all = saturating_add(all, facts.row(k).stall_cycles);
  }
  if (!facts.is_share(all, kBarrierShare)) return;
  PatternWords words = {
      "barrier", "waves wait at barriers for the slowest of their workgroup",
      "Give the waves equal work between barriers, drop barriers that nothing needs, or "
      "split them into signal and wait",
      "hard", kRestructuring};
  if (takes_turns) {
    words.cause =
        "waves wait at barriers for each other; the s_setprio around the math suggests that halves "
        "of the workgroup take turns, and then one waits for as long as the other's phase is "
        "longer";
    words.fix =
        "Balance the phases, so that the half that loads takes as long as the half that computes, "
        "and drop barriers that nothing needs";
  }
  found.push_back(candidate_of(facts, words, rows));
}

void find_loads(PlanFacts& facts, std::vector<PlanCandidate>& found) {
  const PatternWords burst = {
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
    PlanCandidate c = candidate_of(facts, burst, rows);
    c.gain = factor_of(coverable(facts, rows, c.lost), burst.factor);
    c.item.fix += width_note(facts, rows, 4);
    c.item.evidence =
        fmt::format("{} loads from instruction {} to {}; {}", rows.size(),
                    facts.row(rows.front()).line, facts.row(rows.back()).line, c.item.evidence);
    found.push_back(std::move(c));
  }
  const auto rest = [&](const PatternWords& words, auto is) {
    for (const auto& [key, rows] : grouped(facts, is)) {
      PlanCandidate c = candidate_of(facts, words, rows);
      c.gain = factor_of(coverable(facts, rows, c.lost), words.factor);
      c.item.fix += width_note(facts, rows, 4);
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

void find_busy_units(PlanFacts& facts, std::vector<PlanCandidate>& found) {
  const auto is_lds = [&](std::uint32_t k) { return facts.class_of[k] == StallClass::lds; };
  for (const auto& [key, rows] : grouped(facts, is_lds)) {
    PlanCandidate c = candidate_of(
        facts,
        {"lds-busy", "LDS accesses cannot be issued: the LDS is still busy with earlier ones",
         "Use fewer and wider accesses (b128), and spread them over the math", "medium",
         kRestructuring},
        rows);
    const std::int64_t each = c.item.stall_cycles / std::max<std::int64_t>(1, hits_of(facts, rows));
    if (each > kBusyLds) {
      c.item.fix += "; banks may conflict (counter SQ_LDS_BANK_CONFLICT): pad or swizzle the tile";
    }
    found.push_back(std::move(c));
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
  PlanCandidate c =
      candidate_of(facts,
                   {"nop", "the compiler pads dependent instructions with s_nop",
                    "Put independent instructions between the dependent ones", "easy", kReordering},
                   nops);
  c.gain = factor_of(coverable(facts, nops, c.lost), kReordering);
  found.push_back(std::move(c));
}

}  // namespace jaxtrace
