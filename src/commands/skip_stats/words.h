// Figures in sentences, and what every part of the report asks for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "commands/skip_stats/tables.h"
#include "report/words.h"

namespace jaxtrace {

/// Rows of a table that the page shows without --full, and with it.
inline constexpr std::size_t kFewRows = 4;
inline constexpr std::size_t kManyRows = 40;

inline std::string shown(Picoseconds time) {
  return for_people(std::int64_t{time.count()}, Unit::time);
}

inline std::string shown(const std::optional<Picoseconds>& time) {
  return time ? shown(*time) : std::string("–");
}

inline std::string percent(double share) {
  return for_people(share, Unit::ratio);
}

/// Of the GPU that the verdict is about.
inline const DeviceStats& verdict_stats(const Found& found) {
  return found.stats.devices[found.stats.verdict.device];
}

}  // namespace jaxtrace
