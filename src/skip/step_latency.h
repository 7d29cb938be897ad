// How long a step takes from its first parent op to its last kernel, and how idle GPU and CPU are
// meanwhile; and what the host spends on dispatching.
#pragma once

#include <optional>

#include "skip/blame.h"
#include "skip/latency.h"

namespace jaxtrace {

/// SKIP's inference latency of one step on one device.
struct StepLatency {
  std::optional<Picoseconds> il;          ///< Begin of the first parent op to the last end
  std::optional<Picoseconds> idle_paper;  ///< IL - sum of durations; negative with concurrency
  std::optional<Picoseconds> idle_union;  ///< IL - union of work
  std::optional<Picoseconds> cpu_idle;    ///< jaxtrace's definition: see docs/skip-stats.md
};
/// `busy`: busy_time() of the device.
StepLatency step_latency(const Scope& scope, Blamer& blamer, const Coverage& busy,
                         std::size_t device, std::size_t step);

/// When some work of a device was running.
Coverage busy_time(const Trace& trace, const DeviceTimeline& timeline);

/// Time of the launching thread from one step's first parent op to the next one's, without waits;
/// absent if there is no next.
std::optional<Picoseconds> host_active_time(const Scope& scope, Blamer& blamer, std::size_t device,
                                            std::size_t step);

/// A proxy for TaxBreak's host-device balance index, from one capture: device / (device +
/// dispatch). Never to be compared with the paper's, which replays each kernel alone.
struct Dispatch {
  Picoseconds device{0};    ///< Union of work in the steady window
  Picoseconds dispatch{0};  ///< Union of dispatch events on the device's launching threads over the
                            ///< kept steps, without the time they only waited
  Picoseconds framework{0}, launch{0};  ///< Of `dispatch`: Python's and jit's own, driver calls'
  std::optional<double> hdbi_proxy() const;
};
Dispatch dispatch_time(const Scope& scope, Blamer& blamer, HostNames& names, std::size_t device,
                       Picoseconds busy);

}  // namespace jaxtrace
