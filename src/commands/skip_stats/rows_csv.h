// The files with a row for each of the many: device events, gaps between them, steps.  They are
// written row by row, because a capture has millions.
#pragma once

#include <ostream>

#include "commands/skip_stats/tables.h"

namespace jaxtrace {

/// Microseconds with six decimals, which are picoseconds; instants count from the first device
/// event.  An empty cell is undefined, never 0.
void write_rows_csv(const Found& found, std::ostream& out);

/// steps_table() of all steps.
void write_steps_csv(const Found& found, std::ostream& out);

/// Every gap of the steady windows.
void write_gaps_csv(const Found& found, std::ostream& out);

}  // namespace jaxtrace
