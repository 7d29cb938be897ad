// From paths that the user typed to thread traces.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "jaxtrace/thread_trace.h"

namespace jaxtrace {

/// The thread traces that paths stand for, sorted by path, each once however it was reached.  A
/// path is a ui_output_agent_*_dispatch_* directory, a code.json in it, a stats_ui_output_*.csv, or
/// a directory above of any depth.  Of a dispatch without code.json, what comes is the directory if
/// there is one, else the CSV.  Throws InputError if one of the paths leads to none.
std::vector<std::filesystem::path> find_thread_traces(
    const std::vector<std::filesystem::path>& paths);

struct ThreadTraceOptions {
  /// Called now and then with bytes read and bytes in all.  May be empty.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

/// Reads what find_thread_traces() gave, all but the wave files.  Opens nothing outside of the
/// directory but the CSVs beside it.  Throws InputError if there is no instruction list to read;
/// what else is missing or damaged is in ThreadTrace::findings.
ThreadTrace read_thread_trace(const std::filesystem::path& path,
                              const ThreadTraceOptions& options = {});

/// Hands out the wave files that exist, one by one, sorted by name.  Those that cannot be read are
/// left out and come back as findings.
std::vector<Finding> read_waves(const ThreadTrace& trace,
                                const std::function<void(const Wave&)>& take);

}  // namespace jaxtrace
