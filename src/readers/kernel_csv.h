// Kernel times in comma-separated files.
//
//   "Kind","Agent_Id","Queue_Id",…,"Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp",…
//   "KERNEL_DISPATCH","Agent 4",1,…,"gemm",7,1550151853029637,1550151853042437,…
//
//   "Name","Calls","TotalDurationNs","AverageNs","Percentage","MinNs","MaxNs","StdDev"
//   "gemm",210,1081646,5150.695238,21.95,3000,12960,1214.383780
#pragma once

#include <filesystem>

#include "jaxtrace/kernel_times.h"
#include "readers/meter.h"

namespace jaxtrace {

/// A kernel trace, kernel statistics, or counters with times.  Throws InputError if it is none.
KernelTimes read_kernel_csv(const std::filesystem::path& path, Meter& meter);

/// The graph launches of an API trace; false if it is none.
bool read_graph_calls(const std::filesystem::path& path, std::vector<GraphCall>& calls,
                      std::vector<Finding>& findings);

}  // namespace jaxtrace
