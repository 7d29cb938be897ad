// A capture and its attribution as Chrome's trace-event JSON, for ui.perfetto.dev and for
// chrome://tracing, whose code XProf's trace viewer has inside.
//
//   {"ph":"X","pid":1,"tid":16,"ts":960.034,"dur":16.098,"name":"fusion_3","args":{…}}
//   {"ph":"s","pid":701,"tid":7,"ts":951.2,"id":12,"cat":"launch","name":"launch"}
//
// Events of the capture stand as the profiler's own trace JSON has them, in threads of the same
// numbers, so that other tools read the file as they would that one; what was found out is added.
// docs/perfetto.md describes the file to those who look at it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "attribution/ops.h"
#include "export/trace_derived.h"
#include "export/trace_selection.h"

namespace jaxtrace {

struct TraceFileInput {
  const Trace& trace;
  const Attribution& attribution;
  const Ops& ops;
  const Works& works;
  const Steps& steps;
  const std::vector<DeviceTimeline>& timelines;
  const TraceSelection& selection;
  const hlo::UserTest& user;
};

/// What was written, and what was done to it so that slices nest.
struct TraceFileCounts {
  std::uint64_t device_events = 0;
  std::uint64_t host_events = 0;
  std::uint64_t derived = 0;  ///< Slices of instructions, scopes, lines, runs and steps
  std::uint64_t arrows = 0;
  std::uint64_t moved_kernels = 0;  ///< Device events in a second or later row of their stream
  std::uint64_t moved_host = 0;     ///< Likewise of host threads
  CutSlices cut;                    ///< Derived slices that were cut
  std::uint64_t damaged = 0;        ///< Left out for times that cannot be true
  std::uint64_t left_out = 0;       ///< Left out for want of a row
  std::uint64_t backwards = 0;      ///< Without arrow: the kernel begins before its launch
  std::uint64_t bytes = 0;          ///< Of the text, before compression
  Picoseconds shift{0};             ///< Added to every time, so that none is negative
};

/// Writes the file piece by piece; holds some bytes an event, and one execution's slices.
TraceFileCounts write_trace_file(const TraceFileInput& input,
                                 const std::function<void(std::string_view)>& out);

}  // namespace jaxtrace
