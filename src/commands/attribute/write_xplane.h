// --write-xplane: the capture once more, as a log directory that XProf opens, with the attribution
// in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "attribution/sums.h"
#include "commands/attribute/tables.h"
#include "export/write_xplane.h"
#include "jaxtrace/command.h"
#include "jaxtrace/report.h"
#include "report/output_dir.h"

namespace jaxtrace {

struct WriteXplaneFlags {
  std::string directory;  ///< Empty: nothing is written.
  double min_confidence = 0.9;
};

void declare_xplane_flags(CLI::App& app, WriteXplaneFlags& flags);

/// A log directory that is written, but not in place yet.
struct XplaneFiles {
  std::filesystem::path directory;               ///< As the user gave it.
  std::vector<std::unique_ptr<OutputDir>> runs;  ///< `plugins/profile/<run>`, one each.
  std::vector<std::filesystem::path> names;      ///< Of the files, below `directory`.
  std::vector<std::filesystem::path> stale;      ///< What XProf computed from older files.
  std::uint16_t min_confidence = 0;              ///< In thousandths.
  std::vector<XplaneWritten> written;            ///< By file.

  void commit();
};

/// `inputs` are all files that are read.  Throws OutputError if a file would replace one of them or
/// one that is not ours, or cannot be written.
XplaneFiles write_xplane_files(const Trace& trace, const Attribution& attribution,
                               const std::filesystem::path& capture,
                               const std::vector<std::filesystem::path>& inputs,
                               const WriteXplaneFlags& flags);

/// Adds to the report what was written and what was not.
void describe(const XplaneFiles& files, const Measured& measured, const Counted& counted,
              Report& report);

}  // namespace jaxtrace
