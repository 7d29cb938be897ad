// The report of skip-stats: what cannot be trusted, the verdict and its evidence, where the time
// goes, what could change.
#pragma once

#include "commands/skip_stats/tables.h"

namespace jaxtrace {

/// At most 60 lines of Markdown, or everything that is worth reading (`full`).  JSON has it all in
/// either case.
Report summary(const Found& found, bool full);

/// How much was recorded, and the steps: "150 device events on 1 GPU; 5 steps by calls of …".
std::string opening(const Found& found);

/// What --strict holds against the capture: one sentence for each failed check.
std::vector<std::string> strict_failures(const SkipStats& stats);

}  // namespace jaxtrace
