// Cells of the tables of skip-stats: absent stays absent.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "commands/skip_stats/tables.h"

namespace jaxtrace {

inline Cell text(std::string_view words) {
  if (words.empty()) return {};
  return std::string(words);
}

inline Cell time(Picoseconds value) {
  return std::int64_t{value.count()};
}

inline Cell time(const std::optional<Picoseconds>& value) {
  if (!value) return {};
  return time(*value);
}

inline Cell count(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

inline Cell number(const std::optional<double>& value) {
  if (!value) return {};
  return *value;
}

/// Times are integers in every table, means too.
inline Cell whole(const std::optional<double>& picoseconds) {
  if (!picoseconds) return {};
  return std::int64_t{std::llround(*picoseconds)};
}

inline Cell lane_name(const Found& found, std::uint32_t lane) {
  if (lane == kNoEvent) return {};
  return text(found.trace.strings[found.trace.lanes[lane].name]);
}

/// Columns of a budget and of idle time, in this order in every table; and their cells.
void add_budget_columns(std::vector<Column>& columns);
void add_idle_columns(std::vector<Column>& columns);
void add_budget(std::vector<Cell>& row, const Budget& budget);
void add_idle(std::vector<Cell>& row, const IdleSplit& idle);

}  // namespace jaxtrace
