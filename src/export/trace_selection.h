// What of a capture goes into a trace file: all of it, some steps, one GPU of each host.
//
// A step is the work that was launched in it, and that may run long after the host's part of the
// step is over.  So device work is chosen by its step, and host events by a window of time from the
// first launch or the step's own begin to the end of the last work.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "skip/steps.h"

namespace jaxtrace {

/// Half-open, as Python's ranges; absent: from the first, to the last.
struct StepRange {
  std::optional<std::int64_t> first, end;

  bool holds(std::int64_t number) const {
    return (!first || number >= *first) && (!end || number < *end);
  }
};

struct TraceChoice {
  std::optional<StepRange> steps;
  std::optional<int> device;  ///< Ordinal
};

struct TraceSelection {
  std::vector<bool> device;  ///< By Trace::devices
  std::vector<bool> step;    ///< By Steps::steps; empty: all that happened, in steps or not

  /// By host, and by device for work of no step; absent: nothing of it.  Only if there are steps.
  std::vector<std::optional<Window>> host_window, device_window;

  bool empty() const;  ///< No device, or no step

  /// By Trace::lanes: threads and streams that have a place in the file.
  std::vector<bool> lane;
};

TraceSelection select_trace(const Trace& trace, const Works& works, const Steps& steps,
                            const std::vector<DeviceTimeline>& timelines,
                            const TraceChoice& choice);

/// Whether an event of a chosen lane is drawn: chosen, and with times that can be true.
bool is_drawn(const Trace& trace, const Works& works, const Steps& steps,
              const TraceSelection& selection, const Lane& lane, std::size_t event);

}  // namespace jaxtrace
