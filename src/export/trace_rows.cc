// A stack for each row: what has ended by a slice's begin is off it.
#include "export/trace_rows.h"

namespace jaxtrace {

bool SliceRows::fits(std::vector<Open>& row, Picoseconds begin, Picoseconds end) const {
  while (!row.empty() && row.back().end <= begin) row.pop_back();
  if (row.empty()) return true;
  const Open& last = row.back();
  if (inside_ == Inside::whole) return end <= last.end;
  // Cutting must leave something of the one before, and take no more than it has in common.
  return last.begin < begin && last.end <= end && last.end - begin <= tolerance_;
}

std::uint8_t SliceRows::place(Picoseconds begin, Picoseconds end) {
  for (std::size_t i = 0; i <= rows_.size() && i < kMost; ++i) {
    if (i == rows_.size()) rows_.emplace_back();
    std::vector<Open>& row = rows_[i];
    if (!fits(row, begin, end)) continue;
    if (inside_ == Inside::never) row.clear();
    row.push_back({begin, end});
    return static_cast<std::uint8_t>(i);
  }
  return kNotDrawn;
}

}  // namespace jaxtrace
