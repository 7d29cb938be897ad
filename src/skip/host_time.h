// What a host thread did at each instant: the innermost event that was open then.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "skip/timeline.h"

namespace jaxtrace {

/// Time of one thread given to the innermost open event; what no segment covers had no event open.
struct HostThread {
  struct Segment {
    Picoseconds begin, end;
    std::uint32_t event;
  };
  std::vector<Segment> segments;     ///< By begin; they do not overlap.
  std::uint64_t cut = 0;             ///< Events that overlapped a later one without containing it
  std::vector<std::uint32_t> roots;  ///< Outermost events, by begin
};

/// Merges the lanes of one thread: rocprofiler-sdk files its API calls in a lane of their own.
/// Events whose name is `transparent` are left out, so that their time is their parents'.
HostThread host_thread(const Trace& trace, std::span<const std::uint32_t> lanes,
                       const std::function<bool(StringId)>& transparent = {});

/// The segment at an instant; nullptr if no event was open.
const HostThread::Segment* segment_at(const HostThread& thread, Picoseconds instant);

/// Time in `window` by innermost event; the rest of the window, kNoEvent.  Sums to the window.
std::map<std::uint32_t, Picoseconds> self_time(const HostThread& thread, Window window);

/// Time in `window` by event open at all; never sums.
std::map<std::uint32_t, Picoseconds> total_time(const Trace& trace,
                                                std::span<const std::uint32_t> lanes,
                                                Window window);

}  // namespace jaxtrace
