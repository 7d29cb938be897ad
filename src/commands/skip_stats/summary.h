// The report of skip-stats: what cannot be trusted, the verdict and its evidence, where the time
// goes, what could change.
#pragma once

#include "commands/skip_stats/tables.h"

namespace jaxtrace {

/// At most 60 lines of Markdown, or everything that is worth reading (`full`).  JSON has it all in
/// either case.
Report summary(const Found& found, bool full);

/// What --strict holds against the capture: one sentence for each failed check.
std::vector<std::string> strict_failures(const SkipStats& stats);

}  // namespace jaxtrace
