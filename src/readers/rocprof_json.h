// *_results.json of rocprofv3: one object a process.
//
//   {"rocprofiler-sdk-tool": [{
//     "metadata": {"pid": 100, …},
//     "agents": [{"id": {"handle": 7}, "type": 2, "name": "gfx942", "node_id": 4, …}],
//     "kernel_symbols": [{"kernel_id": 1, "formatted_kernel_name": "gemm", "sgpr_count": 16, …}],
//     "buffer_records": {"kernel_dispatch": [{"start_timestamp": 1, "end_timestamp": 2,
//         "correlation_id": {"internal": 3}, "dispatch_info": {"kernel_id": 1,
//         "agent_id": {"handle": 7}, "grid_size": {"x": 64, "y": 1, "z": 1}, …}}], …}, …}]}
//
// The lists come in any order, so dispatches are kept until all of a process is read.
#pragma once

#include <filesystem>
#include <string_view>

#include "jaxtrace/kernel_times.h"
#include "readers/meter.h"

namespace jaxtrace {

/// Whether these bytes begin such a file.
bool is_rocprof_json(std::string_view bytes);

KernelTimes read_rocprof_json(const std::filesystem::path& path, Meter& meter);

}  // namespace jaxtrace
