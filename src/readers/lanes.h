// The second pass: the events of a plane's lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jaxtrace/trace_builder.h"
#include "readers/mapped_file.h"
#include "readers/meter.h"
#include "readers/survey.h"
#include "readers/times.h"

namespace jaxtrace {

/// One line that is read, and the lane it becomes.
struct LaneSource {
  const LineSpan* line = nullptr;
  Lane lane;
  bool names_are_ops = false;  ///< `XLA Ops`: events are named as their instruction.
};

/// Pushes the events of `sources`, all lines of `plane`, into `builder`, a lane each.  What is odd
/// about them becomes findings.
void read_lanes(const MappedFile& file, const PlaneSpan& plane,
                const std::vector<LaneSource>& sources, TraceBuilder& builder, Meter& meter);

}  // namespace jaxtrace
