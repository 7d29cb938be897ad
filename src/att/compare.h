// Before and after: what a change of the kernel did to its stall.
//
// Two recordings rarely trace the same number of waves, so cycles are compared per wave.  A line is
// the same if its path and number are; where both recordings hold the source, a line that moved is
// found again by its text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "att/totals.h"

namespace jaxtrace {

/// One of the recordings: all its dispatches together.
struct CompareSide {
  std::vector<const ThreadTrace*> traces;
  std::vector<const Totals*> totals;  ///< One for each trace
  std::optional<std::int64_t> waves;  ///< In all; absent if not known of one
};

/// Stall of one thing.  Absent: not there in that recording.
struct Change {
  std::string name;  ///< Class, or line as it is after (before, if it is gone)
  std::string was;   ///< The line before, if it had another number
  std::optional<std::int64_t> before, after;
};

struct Comparison {
  Cycles before, after;
  std::optional<std::int64_t> waves_before, waves_after;
  std::vector<Change> classes, lines;  ///< Most change per wave first, then by name
};

Comparison compare(const CompareSide& before, const CompareSide& after);

}  // namespace jaxtrace
