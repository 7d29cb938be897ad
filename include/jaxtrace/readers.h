// From a path that the user typed to a Trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "jaxtrace/trace.h"

namespace jaxtrace {

struct ReadOptions {
  /// Which run folders of a JAX log directory to read: a name or a shell pattern (`*`, `?`, `[…]`);
  /// every folder that matches is read.  Empty: the newest.
  std::string run;

  /// Called now and then with bytes read and bytes in all.  May be empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;

  /// Whether trace JSON will do where there is no *.xplane.pb: it has no HLO and no program ids.
  bool json = false;
};

/// Reads a capture: a *.xplane.pb, a directory that holds some (one a host), or a JAX log directory
/// (`plugins/profile/<run>/`, of which the newest run is taken); with ReadOptions::json also a
/// *.trace.json.gz, *.trace.json or perfetto_trace.json.gz, or a directory that holds nothing else.
/// Throws InputError when there is nothing to read: missing, of another kind, or damaged beyond
/// use.  What could be survived is in Trace::findings, what was chosen in Trace::notes.
Trace read_capture(const std::filesystem::path& path, const ReadOptions& options = {});

/// The trace JSON beside the *.xplane.pb that read_capture reads with ReadOptions::json: the same
/// run, told again.  One at most for each of those files, by name; none if read_capture reads JSON
/// itself.
std::vector<std::filesystem::path> trace_jsons(const std::filesystem::path& capture,
                                               const std::string& run = "");

/// Reads one file of trace JSON, whatever lies beside it.
Trace read_trace_json(const std::filesystem::path& path, const ReadOptions& options = {});

}  // namespace jaxtrace
