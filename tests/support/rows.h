// Captures of a few events, one a row, as a page on paper would have them; times are microseconds:
//
//   H python [0,60) PjitFunction(f)            an event of a host thread
//   H python [0,60) step=3 train               with a stat
//   C s1 [10,20) launch [2,6)                  a kernel on stream 1, and the call that launched it
//   X gpu1 s2 [30,70) name ncclKernel          a collective; M is a copy, S a fill
//   C s1 [0,5) id 7                            with a correlation id and no call
//
// More words for device rows, each with a value: `on` (thread of the call, else "python"), `api`
// (what the call is named), `id`, `handle` (device_id of the call), `op` (hlo_op), `module`,
// `graph` (cuda_graph_id).  A row with the `id` of an earlier one has its call.  Names have no
// spaces but those of H; in a thread's name, `~` is a space.
//
// Rows between `repeat 6 every 100` and `end` stand six times, 100 us apart, with 1000 more on each
// `id`; `step=#` is the number of the repetition.  `#` at the begin of a line opens a comment.
//
// Rows pass through the writer and the reader of xplane files, so they are what a file would give.
#pragma once

#include <cstdint>
#include <string>

#include "jaxtrace/trace.h"
#include "support/recording.h"

namespace jaxtrace::rows {

/// Throws std::runtime_error at a row that says nothing.
synth::Recording recording_of(const std::string& rows);
Trace trace_of(const std::string& rows);

constexpr Picoseconds us(double time) {
  return Picoseconds(static_cast<std::int64_t>(time * 1e6 + (time < 0 ? -0.5 : 0.5)));
}
/// Where microsecond `time` of the rows is in the trace: a session does not begin with a kernel.
constexpr Picoseconds at(double time) {
  return us(10'000 + time);
}

}  // namespace jaxtrace::rows
