// The trace JSON that JAX writes beside an *.xplane.pb: the same run told again, so that it can be
// checked.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "jaxtrace/command.h"
#include "skip/checks.h"

namespace jaxtrace {

struct JsonSide {
  std::optional<std::vector<JsonTotals>> totals;  ///< Absent: there is none, or `problem`
  std::string problem;                            ///< Why it could not be read
  std::vector<std::filesystem::path> files;
};

JsonSide read_json_side(const Context& context, const Trace& trace);

}  // namespace jaxtrace
