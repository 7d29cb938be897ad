// The bound on durations is generous: a wrong one only has to be told from a slow kernel.
#include "analysis/damage.h"

#include <algorithm>

#include "analysis/times.h"

namespace jaxtrace {
namespace {

using namespace std::chrono_literals;

/// The longest that work of `host` can have lasted.
Picoseconds longest(const Host& host) {
  constexpr Picoseconds kUnknown = 1h;
  constexpr Picoseconds kLeast = 1min;  // Clocks that say when a session was differ.
  if (!host.profile_start_ns || !host.profile_stop_ns) return kUnknown;
  std::int64_t length = 0;
  if (__builtin_sub_overflow(*host.profile_stop_ns, *host.profile_start_ns, &length) ||
      __builtin_mul_overflow(length, std::int64_t{1000}, &length) || length <= 0) {
    return kUnknown;
  }
  return std::max(kLeast, Picoseconds{length});
}

}  // namespace

std::vector<bool> find_damage(const Trace& trace) {
  std::vector<bool> damaged(trace.device_events, false);
  const Events& e = trace.events;
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    const Picoseconds most = longest(trace.hosts[static_cast<std::size_t>(lane.host)]);
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      const bool timeless = e.begin[i].count() == 0 && e.duration[i].count() == 0;
      damaged[i] = timeless || e.duration[i] > most || !has_plausible_time(trace, i);
    }
  }
  return damaged;
}

}  // namespace jaxtrace
