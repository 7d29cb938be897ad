// What is about waves rather than instructions: registers that spill, barriers between waves.
#include <algorithm>
#include <string>

#include "att/plan/patterns.h"
#include "att/saturating.h"

namespace jaxtrace {
namespace {

constexpr std::int64_t kBarrierShare = 10;  // Percent of the waves' time

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
      candidate_of_rows(facts,
                        {"accum-spill",
                         "values are parked in accumulation registers and fetched back, as vector "
                         "registers run out",
                         "Use fewer registers at a time: smaller tiles, or shorter lives of values",
                         "hard", kRemoving},
                        moves);
  finish(facts, c);
  c.gain = c.item.latency_cycles;
  c.item.evidence = worst_rows(facts, moves);
  c.item.assumption = "the moves can be avoided without losing a wave";
  keep(facts, std::move(c), found);
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
  keep(facts, std::move(c), found);
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
  keep(facts, candidate_of_rows(facts, words, rows), found);
}

}  // namespace jaxtrace
