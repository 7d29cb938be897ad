// What `attribute` leaves in its directory.
#pragma once

#include <filesystem>

#include "commands/attribute/tables.h"
#include "report/output_dir.h"

namespace jaxtrace {

struct FileOptions {
  bool hlo_bare = false;  ///< HLO text without metadata and backend_config
  bool stacks = false;    ///< kernels.csv with whole Python stacks
};

/// Throws InputError if the program asked for is not in the capture: an empty report would look
/// like an answer.
void require_program(const AttributeOptions& options, const std::filesystem::path& capture,
                     const Attribution& attribution, const Trace& trace);

/// Everything but summary.txt and check.csv.
void write_files(const Measured& measured, const AttributeOptions& options,
                 const FileOptions& files, const Counted& counted, OutputDir& directory);

}  // namespace jaxtrace
