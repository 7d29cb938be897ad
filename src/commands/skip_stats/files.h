// What `skip-stats` leaves in its directory.
#pragma once

#include "commands/skip_stats/tables.h"
#include "report/output_dir.h"

namespace jaxtrace {

/// Everything but sweep.csv and summary.json.
void write_files(const Found& found, OutputDir& directory);

}  // namespace jaxtrace
