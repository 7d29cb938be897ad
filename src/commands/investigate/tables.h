// The tables that investigate adds to those of skip-stats and attribute: its CSV files, and what
// its JSON holds.
#pragma once

#include "commands/investigate/investigation.h"
#include "jaxtrace/report.h"

namespace jaxtrace {

Table integrity_table(const Investigation& all);
Table path_table(const Investigation& all);    ///< Time on the critical path, by kind
Table phases_table(const Investigation& all);  ///< Forward, backward, recompute, other
Table collectives_table(const Investigation& all);
Table roofline_table(const Investigation& all);
Table not_rooflined_table(const Investigation& all);
Table changes_table(const Investigation& all);
Table distrust_table(const Investigation& all);
Table new_captures_table(const Investigation& all);

/// "GPU:0", with its host if there are several; a row of the timelines.
std::string gpu_name(const Investigation& all, std::size_t device);

}  // namespace jaxtrace
