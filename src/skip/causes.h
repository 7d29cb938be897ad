// Which host events fill the time in which a GPU was free and had not been asked.
//
// At each instant one thread is blamed: the one that makes the launch which ends the gap; where it
// has no event or waits, the Python thread that feeds it; and of that thread the innermost event.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "skip/host_class.h"
#include "skip/idle.h"
#include "skip/steps.h"

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

/// A gap of a device, divided and explained.
struct ExplainedGap {
  std::size_t device = 0;
  Gap gap;
  IdleSplit split;
  std::uint32_t step = kNoStep;        ///< Of the event that ended it
  std::uint32_t top_event = kNoEvent;  ///< Host event with the most self time of host_late
  Picoseconds top_self{0};
  std::uint32_t sync = kNoEvent;  ///< The wait that ended as the GPU fell idle, which let it
  std::array<Picoseconds, kHostClasses> by_class{};  ///< Of host_late; sums to it
};

struct Causes {
  std::vector<Cause> causes;       ///< By device, then self time, longest first
  std::vector<ExplainedGap> gaps;  ///< By device, then begin: every gap of its steady window
  std::uint64_t cut_events = 0;    ///< Host events that had to be cut to nest
  bool python_tracer = false;      ///< There are `$file.py:…` events
  std::uint64_t gil_hints = 0;     ///< Gaps in which another Python thread was busy throughout
};

Causes find_causes(const Trace& trace, const Works& works,
                   const std::vector<DeviceTimeline>& timelines, const Steps& steps,
                   Picoseconds short_gap = kShortGap);

}  // namespace jaxtrace
