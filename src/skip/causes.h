// Which host events fill the time in which a GPU was free and had not been asked.
//
// At each instant one thread is blamed: the one that makes the launch which ends the gap; where it
// has no event or waits, the Python thread that feeds it; and of that thread the innermost event.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "skip/blame.h"
#include "skip/idle.h"
#include "skip/latency.h"

namespace jaxtrace {

/// One (device, thread, event name).  Self times of a device sum to its host_late time exactly.
struct Cause {
  std::size_t device = 0;           ///< Row of the timelines
  std::uint32_t thread = kNoEvent;  ///< Row of Trace::lanes; kNoEvent for `(unobserved)`
  std::string event;                ///< plain_host_name, `(no event)` or `(unobserved)`
  HostClass cls = HostClass::none;
  Picoseconds self{0};
  Picoseconds total{0};  ///< In which an event of this name was open on the thread at all
  std::uint64_t gaps = 0;
};

/// A gap of a device's steady window.
struct ExplainedGap {
  std::uint32_t device = 0;            ///< Row of the timelines
  std::uint32_t step = kNoStep;        ///< In whose window it lies
  Gap gap;                             ///< split_gap() divides it
  std::uint32_t top_event = kNoEvent;  ///< Host event with the most self time of its host_late
  Picoseconds top_self{0};
  std::uint32_t sync = kNoEvent;  ///< The wait that ended as the GPU fell idle, and so let it
};

using ByHostClass = std::array<Picoseconds, kHostClasses>;

struct Causes {
  std::vector<Cause> causes;       ///< By device, then self time, longest first
  std::vector<ExplainedGap> gaps;  ///< By device, then begin

  /// host_late by class, of each device and of each step on it (no step: in the device's only);
  /// sums to host_late exactly.
  std::vector<ByHostClass> by_device;
  std::vector<std::vector<ByHostClass>> by_step;

  std::uint64_t cut_events = 0;  ///< Host events that had to be cut to nest
  bool python_tracer = false;    ///< There are `$file.py:…` events
  std::uint64_t gil_hints = 0;   ///< Long gaps in which another Python thread was busy throughout
};

Causes find_causes(const Scope& scope, Blamer& blamer, HostNames& names,
                   Picoseconds short_gap = kShortGap);

}  // namespace jaxtrace
