// Numbers as sentences write them, the same in every report.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "jaxtrace/report.h"

namespace jaxtrace {

/// "12,345"
inline std::string count_text(std::int64_t count) {
  return for_people(count, Unit::count);
}

/// "1 launch", "2 launches"
template <std::integral Count>
std::string counted(Count count, std::string_view one, std::string_view many) {
  return count_text(static_cast<std::int64_t>(count)) + ' ' + std::string(count == 1 ? one : many);
}

/// "1 event", "2 events"
template <std::integral Count>
std::string counted(Count count, std::string_view one) {
  return counted(count, one, std::string(one) + 's');
}

/// "37.6 %", "–" of nothing
inline std::string share_text(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return for_people(Cell(), Unit::ratio);
  return for_people(static_cast<double>(part) / static_cast<double>(whole), Unit::ratio);
}

}  // namespace jaxtrace
