// The tables that the page shows: a choice of rows, of the GPU that the verdict is about.  The
// files (tables.h) have all of them.
#pragma once

#include "commands/skip_stats/tables.h"

namespace jaxtrace {

Table budget_table(const Found& found, bool full);  ///< That GPU first, then the idlest others
Table idle_table(const Found& found);
Table top_causes(const Found& found, bool full);
Table steps_shown(const Found& found);
Table kernels_shown(const Found& found);

}  // namespace jaxtrace
