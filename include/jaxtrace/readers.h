// From a path that the user typed to a Trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "jaxtrace/trace.h"

namespace jaxtrace {

struct ReadOptions {
  /// Which run folders of a JAX log directory to read: a name or a shell pattern (`*`, `?`, `[…]`);
  /// every folder that matches is read.  Empty: the newest.
  std::string run;

  /// Called now and then with bytes read and bytes in all.  May be empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

/// Reads a capture: a *.xplane.pb, a directory that holds some (one a host), or a JAX log directory
/// (`plugins/profile/<run>/`, of which the newest run is taken).  Throws InputError when there is
/// nothing to read: missing, of another kind, or damaged beyond use.  What could be survived is in
/// Trace::findings, what was chosen in Trace::notes.
Trace read_capture(const std::filesystem::path& path, const ReadOptions& options = {});

}  // namespace jaxtrace
