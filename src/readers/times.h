// What counts as a time of a profiling session.
#pragma once

#include <cstdint>

namespace jaxtrace {

/// A line above this counts from 1970, not from the start of the session: 1e17 ns are three years,
/// which no session lasts.
inline constexpr std::int64_t kEpochTimestampNs = 100'000'000'000'000'000;

/// 53 days in picoseconds.  Anything later is damage, and two of these can still be added.
inline constexpr std::int64_t kFarthest = (std::int64_t{1} << 62U) - 1;

/// Powers of ten that make microseconds, which JSON counts in, picoseconds and nanoseconds.
inline constexpr int kPicosecondsPower = 6;
inline constexpr int kNanosecondsPower = 3;

/// The time, or the farthest one, and then `clamped` is set.
inline std::int64_t clamp_time(std::int64_t picoseconds, bool& clamped) {
  if (picoseconds >= -kFarthest && picoseconds <= kFarthest) return picoseconds;
  clamped = true;
  return picoseconds < 0 ? -kFarthest : kFarthest;
}

}  // namespace jaxtrace
