// --write-trace: the capture and its attribution as a file for trace viewers.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attribution/ops.h"
#include "export/trace_file.h"
#include "jaxtrace/command.h"
#include "report/output_dir.h"

namespace jaxtrace {

struct TraceFlags {
  std::string file;    ///< Empty: no such file is asked for.
  std::string steps;   ///< "A:B", half-open; either may be missing
  std::string device;  ///< "0" or "GPU:0", in any case
};

void declare_trace_flags(CLI::App& app, TraceFlags& flags);

/// A file that is complete, and appears with `directory->commit()`.
struct WrittenTrace {
  std::string name;
  TraceFileCounts counts;
  std::unique_ptr<OutputDir> directory;
};

/// `inputs` are all files that are read.  Throws InputError if no step or GPU is as asked for,
/// OutputError if something else than an older trace is in the place of the file.
WrittenTrace write_trace(const TraceFlags& flags, const std::filesystem::path& capture,
                         const std::vector<std::filesystem::path>& inputs, const Trace& trace,
                         const Attribution& attribution, const Ops& ops, const hlo::UserTest& user);

/// Throws OutputError if the trace and a file of `directory` have one place.
void require_apart(const TraceFlags& flags, const OutputDir& directory);

/// What the file holds, and what had to be done to it.
void describe(const WrittenTrace& written, Report& report);

}  // namespace jaxtrace
