// A capture written as a trace file, in memory.
#pragma once

#include <string>
#include <utility>

#include "export/trace_file.h"
#include "support/trace_file.h"

namespace jaxtrace {

struct Written {
  Attribution attribution;
  Works works;
  std::vector<DeviceTimeline> timelines;
  Steps steps;
  TraceSelection selection;
  TraceFileCounts counts;
  std::string json;
  ViewedTrace view;

  explicit Written(const Trace& trace, const TraceChoice& choice = {})
      : attribution(attribute(trace)),
        works(find_works(trace)),
        timelines(device_timelines(trace, works)),
        steps(find_steps(trace, works, timelines)),
        selection(select_trace(trace, works, steps, timelines, choice)) {
    const hlo::UserTest user = hlo::is_user_code;
    const Ops ops = find_ops(trace, attribution, user);
    counts = write_trace_file({trace, attribution, ops, works, steps, timelines, selection, user},
                              [&](std::string_view text) { json += text; });
    view = view_trace(json);
  }
};

}  // namespace jaxtrace
