// Device events whose times cannot be true.
//
// They keep their rows, as the file has them, and are in no sum.  Neighbours that collide by
// nanoseconds or microseconds are normal and are not damaged.
#pragma once

#include <vector>

#include "jaxtrace/trace.h"

namespace jaxtrace {

/// Per device event: it ends before it begins, lasts longer than its session (an hour, where the
/// session does not say), or has no times at all (begin and duration 0).
std::vector<bool> find_damage(const Trace& trace);

/// Whether an event has times that a session could hold: within 13 days of its start (2^60 ps), and
/// not negative in length.  So two such times can be added and subtracted.
inline bool has_plausible_time(const Trace& trace, std::size_t event) {
  constexpr Picoseconds kFar{std::int64_t{1} << 60U};
  const Picoseconds begin = trace.events.begin[event], duration = trace.events.duration[event];
  return begin >= -kFar && begin <= kFar && duration >= Picoseconds{0} && duration <= kFar;
}

}  // namespace jaxtrace
