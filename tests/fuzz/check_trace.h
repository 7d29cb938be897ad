// What holds of every Trace, whatever was read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fuzz/memory_file.h"
#include "jaxtrace/trace.h"

namespace jaxtrace {

template <typename Id, typename Rows>
void require_row(Id id, const Rows& rows) {
  require(static_cast<std::size_t>(id) < rows.size());
}

/// Aborts if a row refers to one that is not there, or a time cannot be added.
inline void check_trace(const Trace& trace) {
  const Events& events = trace.events;
  std::size_t next = 0;
  for (const Lane& lane : trace.lanes) {
    require(lane.first == next);
    next += lane.count;
    require((lane.kind == LaneKind::stream) ==
            (lane.first + lane.count <= trace.device_events && lane.device != DeviceId::none));
    require_row(lane.host, trace.hosts);
  }
  require(next == events.size());
  require(events.graph_node.empty() || events.graph_node.size() == next);
  for (std::size_t i = 0; i < next; ++i) {
    require_row(events.annotation[i], trace.annotations);
    require_row(events.details[i], trace.details);
    require_row(events.name[i], trace.strings);
    std::int64_t end = 0;
    require(!__builtin_add_overflow(events.begin[i].count(), events.duration[i].count(), &end));
  }
  for (const EventStat& stat : trace.stats) require(stat.event < next);
}

}  // namespace jaxtrace
