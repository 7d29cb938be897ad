// A capture of a few rows with what most analyses of skip-stats start from.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "skip/latency.h"
#include "support/rows.h"

namespace jaxtrace {

struct Analysed {
  Trace trace;
  Works works;
  std::vector<DeviceTimeline> timelines;
  Steps steps;

  explicit Analysed(Trace of, const StepOptions& options = {})
      : trace(std::move(of)),
        works(find_works(trace)),
        timelines(device_timelines(trace, works)),
        steps(find_steps(trace, works, timelines, options)) {}
  explicit Analysed(const std::string& rows, const StepOptions& options = {})
      : Analysed(rows::trace_of(rows), options) {}

  Scope scope() const { return {trace, works, timelines, steps}; }
  Budget budget(Window window, std::size_t device = 0) const {
    return sweep(trace, works, timelines[device].order, window);
  }
  /// Row of Trace::lanes.
  std::size_t lane(const std::string& name) const {
    std::size_t row = 0;
    while (!trace.strings[trace.lanes[row].name].starts_with(name)) ++row;
    return row;
  }
};

/// Of the rows' clock.
inline Window window(double begin, double end) {
  return {rows::at(begin), rows::at(end)};
}

}  // namespace jaxtrace
