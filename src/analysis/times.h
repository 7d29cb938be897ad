// Arithmetic on times that may be damaged: a hostile capture holds any 64 bits.
#pragma once

#include <limits>

#include "jaxtrace/trace.h"

namespace jaxtrace {

/// Whether an event has times that a session could hold: within 13 days of its start (2^60 ps), and
/// not negative in length.  Two such times can be added and subtracted.
inline bool has_plausible_time(const Trace& trace, std::size_t event) {
  constexpr Picoseconds kFar{std::int64_t{1} << 60U};
  const Picoseconds begin = trace.events.begin[event], duration = trace.events.duration[event];
  return begin >= -kFar && begin <= kFar && duration >= Picoseconds{0} && duration <= kFar;
}

/// Where an event ends that has plausible times, as the readers' bound on times allows any to.
inline Picoseconds end_of(const Trace& trace, std::size_t event) {
  return trace.events.begin[event] + trace.events.duration[event];
}

/// Adds, and stays at the farthest time once it is reached.
inline void add_time(Picoseconds& sum, Picoseconds more) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(sum.count(), more.count(), &result)) {
    result = more.count() < 0 ? std::numeric_limits<std::int64_t>::min()
                              : std::numeric_limits<std::int64_t>::max();
  }
  sum = Picoseconds{result};
}

}  // namespace jaxtrace
