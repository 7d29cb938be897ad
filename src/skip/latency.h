// From the launch call to the kernel: the metrics of the SKIP paper, of Nsight Systems and of
// HolisticTraceAnalysis, over a set of device events.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "skip/steps.h"

namespace jaxtrace {

/// A kernel up to 10 us before its launch is taken for clocks that differ a little, and its latency
/// for 0; earlier, its latency is not used.  The cut of SKIP's own code (SODA).
inline constexpr Picoseconds kMostSkew = std::chrono::microseconds(10);

enum class Skew : std::uint8_t { ok, clamped, dropped };

/// Begin of the event minus begin of its launch, where the event has a latency of its own.
struct Latency {
  std::optional<Picoseconds> value;  ///< Absent: no strong join, not the first of a graph, dropped
  Skew skew = Skew::ok;
};
Latency latency(const Trace& trace, const Works& works, std::size_t event);

struct Spread {
  std::uint64_t count = 0;
  Picoseconds total{0};
  std::optional<Picoseconds> min, median, max;  ///< Lower median
  std::optional<double> mean_ps, stddev_ps;     ///< Sample deviation, n - 1
};
Spread spread(std::vector<Picoseconds> values);

struct LatencyStats {
  std::uint64_t events = 0;
  std::uint64_t kernels = 0;   ///< compute, collective, other
  Picoseconds kernel_time{0};  ///< Sum of their durations
  Picoseconds tklqt{0};        ///< Sum of latencies; no share of anything
  Picoseconds tklqt_naive{0};  ///< With every graph member counted from its launch
  std::uint64_t used = 0, clamped = 0, dropped = 0, unjoined = 0;
  std::optional<Picoseconds> worst_skew;  ///< The most negative
  std::optional<Picoseconds> least_latency;
  std::uint64_t launches = 0, graph_launches = 0;  ///< Distinct calls
  std::uint64_t graph_events = 0;
  Picoseconds graph_kernel_time{0};  ///< Of the kernels under graph launches
  std::uint64_t queued = 0;          ///< Of `used`: Launched before the stream's last event ended
  std::optional<Picoseconds> floor;  ///< 5th percentile of latencies that did not queue
  // HolisticTraceAnalysis's counts, of joined pairs.
  std::uint64_t short_kernels = 0, slow_calls = 0, late_kernels = 0;
  Picoseconds short_kernel_time{0};
};

/// What the functions below read.
struct Scope {
  const Trace& trace;
  const Works& works;
  const std::vector<DeviceTimeline>& timelines;
  const Steps& steps;
};

/// Whether the event belongs to a kept step; if there are no steps, all do.
bool is_kept(const Steps& steps, std::size_t event);

/// Over the events of a device (row of the timelines) or of a lane: all, or those of kept steps.
LatencyStats latency_stats(const Scope& scope, std::size_t device, bool kept_only);
LatencyStats lane_latency_stats(const Scope& scope, std::size_t lane, bool kept_only);

/// Kernels that a stream has been asked for and has not begun: +1 at a launch's begin (+ the whole
/// graph), -1 at a kernel's.
struct QueueLength {
  std::uint64_t most = 0;
  double mean = 0;         ///< Over `window`
  double empty_share = 0;  ///< Of `window`
  Window window;
};
std::optional<QueueLength> queue_length(const Trace& trace, const Works& works, std::size_t lane);

/// Kernels of one name under one API call.
struct KernelRow {
  StringId name;
  StringId api = StringId::empty;  ///< Empty: no strong join
  WorkClass cls = WorkClass::other;
  WorkKind kind = WorkKind::unknown;
  Spread duration;
  Spread api_time, queue_time, total_time;  ///< As Nsight Systems defines them
  Spread latency;
};

/// By total duration, longest first; then name, api.
std::vector<KernelRow> kernel_rows(const Scope& scope, std::size_t device, bool kept_only);

}  // namespace jaxtrace
