// The page that `jaxtrace attribute` prints, and keeps as summary.txt: short enough for a screen.
#pragma once

#include <optional>

#include "commands/attribute/check.h"
#include "commands/attribute/tables.h"
#include "jaxtrace/report.h"

namespace jaxtrace {

/// `options.program` explains what was left out.  At most 60 lines of Markdown, whatever the
/// capture holds.
Report summary(const Measured& measured, const AttributeOptions& options,
               const std::optional<Check>& check);

}  // namespace jaxtrace
