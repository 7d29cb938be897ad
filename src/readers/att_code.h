// The instruction list of a thread trace, in each form that writers gave it.
#pragma once

#include <filesystem>
#include <functional>

#include "jaxtrace/thread_trace.h"

namespace jaxtrace {

/// Reads code.json or code.json.gz into instructions, kernels and timing.  Throws InputError for
/// what has no rows to read: another tool's JSON, or an older profiler's columns.
void read_att_code(const std::filesystem::path& file, ThreadTrace& trace,
                   const std::function<void(std::uint64_t, std::uint64_t)>& progress);

/// The same from a stats_ui_output_*.csv.
void read_att_stats(const std::filesystem::path& file, ThreadTrace& trace);

}  // namespace jaxtrace
