// Trace JSON as the profiler writes it beside an xplane file.
#pragma once

#include <string>
#include <string_view>

#include "proto/xplane.pb.h"

namespace jaxtrace {

/// `space` the way XLA's xplane_to_trace_events.cc and trace_events_to_json.cc write it: GPUs and
/// /host:CPU, names first, times as doubles of µs with 17 digits, every stat as text, no stats and
/// events that are internal, at least 1 ps of duration, and an empty object at the end.
std::string trace_json_of(const pb::XSpace& space);

/// `space` without what is lost on that way, so that reading the one gives what reading the other
/// does.
pb::XSpace without_lost(pb::XSpace space);

/// The same text with its events in another order, names first.
std::string shuffled_events(const std::string& trace_json, std::uint32_t seed);

/// Compressed as gzip does, one member.
std::string gzipped(std::string_view text);

}  // namespace jaxtrace
