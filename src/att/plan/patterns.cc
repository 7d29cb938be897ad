// What the patterns share.
#include "att/plan/patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "att/saturating.h"

namespace jaxtrace {

std::int64_t factor_of(std::int64_t cycles, std::int64_t percent) {
  return cycles / 100 * percent + cycles % 100 * percent / 100;
}

PlanCandidate begin_candidate(const PatternWords& words) {
  PlanCandidate c;
  c.item.pattern = words.id;
  c.item.cause = words.cause;
  c.item.fix = words.fix;
  c.item.effort = words.effort;
  return c;
}

bool is_worth_saying(const PlanFacts& facts, const PlanCandidate& candidate) {
  return facts.is_share(candidate.gain, kLeastGain) || facts.is_share(candidate.lost, kHighStall);
}

void keep(const PlanFacts& facts, PlanCandidate candidate, std::vector<PlanCandidate>& found) {
  if (is_worth_saying(facts, candidate)) found.push_back(std::move(candidate));
}

void add_row(const PlanFacts& facts, PlanCandidate& candidate, std::uint32_t row,
             std::int64_t stall) {
  PlanItem& item = candidate.item;
  item.rows.push_back(row);
  item.stall_cycles = saturating_add(item.stall_cycles, stall);
  candidate.lost = saturating_add(candidate.lost, facts.lost(row, stall));
}

void finish(const PlanFacts& facts, PlanCandidate& candidate) {
  PlanItem& item = candidate.item;
  std::ranges::sort(item.rows);
  item.rows.erase(std::unique(item.rows.begin(), item.rows.end()), item.rows.end());
  item.latency_cycles = 0;
  std::array<std::int64_t, kStallClasses> classes{};
  std::map<std::string_view, std::int64_t> sources;
  for (const std::uint32_t row : item.rows) {
    const std::int64_t stall = facts.row(row).stall_cycles;
    item.latency_cycles = saturating_add(item.latency_cycles, facts.row(row).latency_cycles);
    std::int64_t& of_class = classes.at(static_cast<std::size_t>(facts.class_of[row]));
    of_class = saturating_add(of_class, stall);
    std::int64_t& of_source = sources[facts.source_of(row)];
    of_source = saturating_add(of_source, stall);
  }
  const auto most = std::ranges::max_element(classes) - classes.begin();
  item.stall_class = name_of(static_cast<StallClass>(most));
  std::int64_t most_stall = -1;
  for (const auto& [source, stall] : sources) {
    if (source.empty() || stall <= most_stall) continue;
    item.source = source;
    most_stall = stall;
  }
}

std::int64_t bytes_of_lane(std::string_view mnemonic) {
  // Longer names first: "dwordx4" is no "dword".
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 19> kWidths = {{
      {"dwordx4", 16}, {"dwordx3", 12}, {"dwordx2", 8}, {"dword", 4}, {"short", 2},
      {"byte", 1},     {"_b128", 16},   {"_b96", 12},   {"_b64", 8},  {"_b32", 4},
      {"_b16", 2},     {"_b8", 1},      {"_u16", 2},    {"_i16", 2},  {"_u8", 1},
      {"_i8", 1},      {"_d16", 2},     {"_xyzw", 16},  {"_x", 4},
  }};
  for (const auto& [name, bytes] : kWidths) {
    if (mnemonic.find(name) != std::string_view::npos) return bytes;
  }
  return 0;
}

std::string named(const PlanFacts& facts, std::uint32_t row) {
  const Instruction& i = facts.row(row);
  std::string_view text = code_of(i.text);
  if (!text.starts_with("s_wait")) text = mnemonic_of(i.text);
  return fmt::format("instruction {} ({})", i.line, text);
}

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

std::optional<std::int64_t> narrow_bytes(const PlanFacts& facts,
                                         const std::vector<std::uint32_t>& rows,
                                         std::int64_t most) {
  std::int64_t narrow = 0, bytes = 0;
  for (const std::uint32_t row : rows) {
    const std::int64_t of_row = bytes_of_lane(mnemonic_of(facts.row(row).text));
    if (of_row == 0 || of_row > most) continue;
    ++narrow;
    bytes = std::max(bytes, of_row);
  }
  if (2 * narrow <= static_cast<std::int64_t>(rows.size())) return {};
  return bytes;
}

PlanCandidate candidate_of_rows(PlanFacts& facts, const PatternWords& words,
                                const std::vector<std::uint32_t>& rows) {
  PlanCandidate c = begin_candidate(words);
  for (const std::uint32_t row : rows) {
    const std::int64_t stall = facts.claim(row, facts.unclaimed(row));
    if (stall > 0) add_row(facts, c, row, stall);
  }
  c.gain = factor_of(c.lost, words.factor);
  if (!is_worth_saying(facts, c)) return c;
  finish(facts, c);
  c.item.evidence = worst_rows(facts, c.item.rows);
  c.item.assumption = "waves are alike; " + facts.how_lost();
  return c;
}

}  // namespace jaxtrace
