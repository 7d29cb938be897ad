// What `skip-stats` leaves in its directory.
#pragma once

#include <filesystem>
#include <string>

#include "commands/skip_stats/tables.h"
#include "report/output_dir.h"

namespace jaxtrace {

/// Throws InputError if the function that --step-fn asks for is never called: steps would silently
/// be found otherwise.
void require_function(const std::string& function, const std::filesystem::path& capture,
                      const Trace& trace);

/// Everything but sweep.csv and summary.json.
void write_files(const Found& found, OutputDir& directory);

}  // namespace jaxtrace
