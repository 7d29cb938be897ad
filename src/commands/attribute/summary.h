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

/// What --strict does not forgive, beside findings: one sentence each.
std::vector<std::string> doubts(const Measured& measured, const std::optional<Check>& check);

/// "147,840 of 147,840 kernels agree"
std::string check_line(const Check& check);

}  // namespace jaxtrace
