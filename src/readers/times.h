// What counts as a time of a profiling session.
#pragma once

#include <cstdint>
#include <limits>

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

/// a + b, or the end of what fits.
inline std::int64_t add_times(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<std::int64_t>::min()
               : std::numeric_limits<std::int64_t>::max();
}

/// Begin of a line in picoseconds of trace time, far off if it does not fit.
inline std::int64_t line_begin(std::int64_t timestamp_ns, std::int64_t origin_ns) {
  std::int64_t ns = 0;
  std::int64_t ps = 0;
  const std::int64_t off = timestamp_ns > kEpochTimestampNs ? origin_ns : 0;
  if (!__builtin_sub_overflow(timestamp_ns, off, &ns) && !__builtin_mul_overflow(ns, 1000, &ps)) {
    return ps;
  }
  return timestamp_ns < 0 ? std::numeric_limits<std::int64_t>::min()
                          : std::numeric_limits<std::int64_t>::max();
}

}  // namespace jaxtrace
