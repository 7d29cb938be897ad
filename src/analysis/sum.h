// Sums of durations that damage cannot overflow: durations of a damaged capture can be anything.
#pragma once

#include <limits>

#include "jaxtrace/trace.h"

namespace jaxtrace {

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
