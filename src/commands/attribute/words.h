// Numbers as the summary's sentences write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "commands/attribute/tables.h"
#include "report/words.h"

namespace jaxtrace {

inline std::string time_text(std::int64_t ps) {
  return for_people(ps, Unit::time);
}

}  // namespace jaxtrace
