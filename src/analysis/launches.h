// Which host call launched each piece of device work, and in which execution of which program.
//
// Device work and the host call that caused it share a correlation id within one process.  The call
// stands inside the interval in which a thread runs a program (`<module>:XLA GPU module`): on CUDA
// and older ROCm in the same lane, with rocprofiler-sdk in a lane of its own, since that tracer
// files API calls under the thread's number and TraceMe files intervals under its hash.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "jaxtrace/trace.h"

namespace jaxtrace {

inline constexpr std::uint32_t kNoEvent = 0xffffffff;

/// Columns describe device event i, or are kNoEvent.
struct Launches {
  std::vector<std::uint32_t> call;      ///< The host event that launched it.
  std::vector<std::uint32_t> interval;  ///< The host event of the program run that the call is in.

  /// Device events that no host call claims, though their host has calls with correlation ids.
  std::uint64_t unclaimed = 0;
};

Launches find_launches(const Trace& trace);

/// The row of Trace::lanes that an event stands in.
std::size_t lane_of(const Trace& trace, std::uint32_t event);

/// The run in `runs` (events of one lane, by begin) that `call` begins within, else kNoEvent.
std::uint32_t run_around(const Trace& trace, std::span<const std::uint32_t> runs,
                         std::uint32_t call);

/// "cuLaunchKernel", "hipMemcpyAsync"; not "cutlass_gemm".
bool is_driver_call(std::string_view name);

/// Whether a host call with a correlation id launches, copies or fills.  Tracers name a launch by
/// the driver call, or (CUPTI, roctracer) after the kernel itself.  Waits and callbacks share the
/// id of work without being its launch: seen on ROCm.
bool is_launch(std::string_view call);

/// The call launches a whole graph: cuGraphLaunch, hipGraphLaunch.
bool is_graph_launch(std::string_view call);

/// "jit_step" of "jit_step:XLA GPU module"; empty if the event is no program run.
std::string_view module_of_interval(std::string_view event_name);

}  // namespace jaxtrace
