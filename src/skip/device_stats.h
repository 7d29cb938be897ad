// The time budget of each device, of its streams and of each of its steps.
#pragma once

#include <optional>
#include <vector>

#include "skip/causes.h"
#include "skip/step_latency.h"
#include "skip/what_if.h"

namespace jaxtrace {

/// One device (row of the timelines).
struct DeviceStats {
  Budget steady, capture;
  IdleSplit steady_idle, capture_idle;
  ByHostClass host_late{};  ///< Steady, by class
  LatencyStats steady_latency, capture_latency;
  std::vector<StepParts> steps;        ///< By row of Steps; all zero where the step has no window
  std::vector<StepLatency> latencies;  ///< Likewise
};

struct StreamStats {
  std::size_t lane = 0;
  std::size_t device = 0;  ///< Row of the timelines
  Budget steady, capture;  ///< Of its device's windows
  LatencyStats latency;
  std::optional<QueueLength> queue;
  Picoseconds overlap{0};  ///< Time in which two of its events ran at once, steady
};

/// Budgets, idle parts and latencies of one device.  What depends on other devices or on chains
/// (collective_wait, fusable) is left 0.
DeviceStats device_stats(const Scope& scope, const Causes& causes, Blamer& blamer,
                         std::size_t device, Picoseconds short_gap);

/// Every stream lane that holds events, by lane.
std::vector<StreamStats> stream_stats(const Scope& scope);

/// Of a device's streams with known launches, the one with most compute; nullptr if there is none.
const StreamStats* busiest_stream(const std::vector<StreamStats>& streams, std::size_t device);

}  // namespace jaxtrace
