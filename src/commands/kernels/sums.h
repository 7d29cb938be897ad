// The kernel table: every run added up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jaxtrace/kernel_times.h"

namespace jaxtrace {

/// The values of a quantity over the launches of a kernel.
struct Extent {
  std::int64_t least = 0, most = 0;
};

struct KernelSumRow {
  std::string kernel;
  std::int64_t calls = 0;
  std::int64_t untimed = 0;   ///< Of those: without a possible time
  std::int64_t total_ps = 0;  ///< Of the others
  std::optional<std::int64_t> least_ps, most_ps;

  std::optional<Extent> grid, workgroup, vgprs, accum_vgprs, sgprs, lds_bytes, scratch_bytes;

  std::optional<std::int64_t> mean_ps() const {
    if (calls == untimed) return std::nullopt;
    return total_ps / (calls - untimed);
  }
};

struct DeviceSumRow {
  TimedDevice device;
  std::string file;  ///< Name of the file it was read from
  std::int64_t calls = 0;
  std::int64_t total_ps = 0;  ///< Sum of durations
  std::int64_t busy_ps = 0;   ///< Of the union: kernels that run side by side count once
  std::int64_t span_ps = 0;   ///< From the first begin to the last end
};

/// One launch of a graph by the host.
struct GraphSumRow {
  GraphCall call;
  std::int64_t kernels = 0;
  std::int64_t total_ps = 0;
  std::int64_t span_ps = 0;  ///< From the first kernel's begin to the last one's end
};

struct KernelSums {
  std::vector<KernelSumRow> kernels;  ///< Most time first, then by name
  std::vector<DeviceSumRow> devices;  ///< By process and name; empty if there are only statistics
  std::vector<GraphSumRow> graphs;    ///< By begin
  bool api_trace = false;
  std::int64_t calls = 0;
  std::int64_t total_ps = 0;  ///< Of all kernels: the denominator of every share
  std::int64_t skipped = 0;   ///< Calls left out by --skip-first
  std::vector<Finding> findings;
};

/// `skip_first`: so many dispatches of each kernel on each device are left out.
KernelSums add_up(const std::vector<KernelRun>& runs, std::int64_t skip_first);

}  // namespace jaxtrace
