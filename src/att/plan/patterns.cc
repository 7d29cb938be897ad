// What the patterns share.
#include "att/plan/patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "att/saturating.h"

namespace jaxtrace {

void add_row(const PlanFacts& facts, Candidate& candidate, std::uint32_t row, std::int64_t stall) {
  PlanItem& item = candidate.item;
  if (std::ranges::find(item.rows, row) == item.rows.end()) {
    item.rows.push_back(row);
    item.latency_cycles = saturating_add(item.latency_cycles, facts.row(row).latency_cycles);
  }
  item.stall_cycles = saturating_add(item.stall_cycles, stall);
  candidate.lost = saturating_add(candidate.lost, facts.lost(row, stall));
}

void finish(const PlanFacts& facts, Candidate& candidate) {
  PlanItem& item = candidate.item;
  std::ranges::sort(item.rows);
  std::array<std::int64_t, kStallClasses> classes{};
  std::map<std::string_view, std::int64_t> sources;
  for (const std::uint32_t row : item.rows) {
    const std::int64_t stall = facts.row(row).stall_cycles;
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

}  // namespace jaxtrace
