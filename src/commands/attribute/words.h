// Numbers as the summary's sentences write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "commands/attribute/tables.h"
#include "jaxtrace/report.h"

namespace jaxtrace {

inline std::string time_text(std::int64_t ps) {
  return for_people(ps, Unit::time);
}

inline std::string count_text(std::int64_t count) {
  return for_people(count, Unit::count);
}

inline std::string share_text(std::int64_t part, std::int64_t whole) {
  return for_people(share(part, whole), Unit::ratio);
}

/// "1 event", "2 events"
inline std::string counted(std::int64_t count, std::string_view noun) {
  return count_text(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace jaxtrace
