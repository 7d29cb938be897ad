// Which of the profilers' comma-separated files one is, by the names of its columns.
#pragma once

#include <filesystem>
#include <string>

#include "readers/csv.h"

namespace jaxtrace {

enum class CsvKind : std::uint8_t {
  counters,       ///< *_counter_collection.csv: a row a dispatch and counter
  wide_counters,  ///< pmc_perf.csv, rocprof's results.csv: a row a dispatch, a column a counter
  kernel_trace,   ///< *_kernel_trace.csv: a row a dispatch
  kernel_stats,   ///< *_kernel_stats.csv: a row a kernel
  other_stats,    ///< *_domain_stats.csv, *_hip_stats.csv: the same columns, of other things
  api_trace,      ///< *_hip_api_trace.csv and its kind: a row a call
  agents,         ///< *_agent_info.csv: a row a processor
  att_stats,      ///< stats_ui_output_agent_*.csv: a row an instruction
  other,
};

/// `path` decides where two kinds have the same columns, as the statistics of kernels and of API
/// calls do.
CsvKind csv_kind(const CsvReader& csv, const std::filesystem::path& path);

/// "is a list of API calls": what to say of a file of a kind that does not serve.
std::string described(CsvKind kind, const CsvReader& csv);

/// "out" of "out_kernel_trace.csv", "" of "kernel_trace.csv": files of one run share it.
std::string run_prefix(const std::filesystem::path& path);

}  // namespace jaxtrace
