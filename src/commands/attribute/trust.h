// What of a report cannot be trusted, for people and for --strict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/attribute/check.h"
#include "commands/attribute/tables.h"
#include "jaxtrace/report.h"

namespace jaxtrace {

/// Said before any figure: what the capture lacks.
void add_losses(Report& report, const Measured& measured);

/// What --program left out, unsure answers, then findings that are no losses: five at most.
Bullets not_trusted(const Measured& measured, const AttributeOptions& options);

/// What --strict does not forgive, beside findings: one sentence each.
std::vector<std::string> doubts(const Measured& measured, const std::optional<Check>& check);

/// "147,840 of 147,840 kernels agree"
std::string check_line(const Check& check);

}  // namespace jaxtrace
