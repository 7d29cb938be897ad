// Which row of which thread everything is drawn in, decided before the first event is written.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "export/trace_file.h"
#include "export/trace_rows.h"
#include "export/trace_spans.h"
#include "export/trace_threads.h"

namespace jaxtrace {

struct LaneLayout {
  std::size_t lane = 0;  ///< Row of Trace::lanes
  std::vector<TraceThread> rows;
};

struct GroupLayout {
  DerivedGroup group;
  std::vector<DerivedLanes::Threads> rows;
};

struct SpanLayout {
  SpanLane lane;
  std::vector<TraceThread> rows;
};

struct DeviceLayout {
  SpanLayout steps, modules;
  std::vector<GroupLayout> groups;
  std::vector<LaneLayout> lanes;
};

struct TraceLayout {
  std::vector<std::uint8_t> row;  ///< By event: of its lane, or kNotDrawn
  std::vector<LaneLayout> hosts;  ///< Threads of hosts
  std::vector<DeviceLayout> devices;
  std::vector<Picoseconds> later;  ///< By host: what is added to its times
};

TraceLayout lay_out(const TraceFileInput& input, SliceTexts& texts, TraceThreads& threads,
                    TraceFileCounts& counts);

}  // namespace jaxtrace
