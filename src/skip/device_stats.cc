// One sweep for each window: a device's steady window and capture, each of its steps, each stream.
#include "skip/device_stats.h"

#include <algorithm>

namespace jaxtrace {
namespace {

/// A budget, and its idle time divided.
Budget divided(const Scope& scope, std::size_t device, Window window, Picoseconds short_gap,
               IdleSplit& idle) {
  const auto divide = [&](const Gap& gap) {
    const IdleSplit parts = split_gap(scope.trace, scope.works, gap, short_gap);
    for (std::size_t p = 0; p < kIdleParts; ++p) idle.parts[p] += parts.parts[p];
  };
  return sweep(scope.trace, scope.works, part(scope.timelines[device], window.begin), window,
               {.gap = divide, .exposed = {}});
}

/// Whether both events are of one run of a program: a graph could have launched them together.
bool same_run(const Works& works, const Gap& gap) {
  return gap.last != kNoEvent && gap.next != kNoEvent &&
         works.launches.interval[gap.next] != kNoEvent &&
         works.launches.interval[gap.last] == works.launches.interval[gap.next];
}

StepParts step_parts(const Scope& scope, const Causes& causes, std::size_t device, std::size_t step,
                     Picoseconds short_gap) {
  StepParts parts;
  const DeviceStep& row = scope.steps.steps[step].devices[device];
  if (!row.window) return parts;
  const auto divide = [&](const Gap& gap) {
    const IdleSplit split = split_gap(scope.trace, scope.works, gap, short_gap);
    for (std::size_t p = 0; p < kIdleParts; ++p) parts.idle.parts[p] += split.parts[p];
    if (same_run(scope.works, gap)) parts.graphable += split.host();
  };
  bool graphs = false;
  const auto look = [&](std::uint32_t event, Picoseconds) {
    graphs = graphs || scope.works.launch_kind[event] == LaunchKind::graph;
  };
  const Budget budget =
      sweep(scope.trace, scope.works, part(scope.timelines[device], row.window->begin), *row.window,
            {.gap = divide, .exposed = look});
  parts.step = row.window->length();
  parts.compute = budget.compute();
  parts.collective = budget.exposed_collective();
  parts.copy = budget.exposed_copy();
  parts.graphs = graphs;
  parts.host = causes.by_step[device][step];
  return parts;
}

Picoseconds overlap_of(const Scope& scope, const Order& order, Window window) {
  Picoseconds twice{0}, reached = Picoseconds::min();
  for (const std::uint32_t event : order) {
    const Picoseconds begin = std::max(scope.trace.events.begin[event], window.begin);
    const Picoseconds end =
        std::min(scope.trace.events.begin[event] + scope.trace.events.duration[event], window.end);
    if (begin >= end) continue;
    if (begin < reached) twice += std::min(reached, end) - begin;
    reached = std::max(reached, end);
  }
  return twice;
}

}  // namespace

DeviceStats device_stats(const Scope& scope, const Causes& causes, Blamer& blamer,
                         std::size_t device, Picoseconds short_gap) {
  DeviceStats out;
  out.steady = divided(scope, device, scope.steps.steady[device], short_gap, out.steady_idle);
  out.capture = divided(scope, device, scope.timelines[device].span, short_gap, out.capture_idle);
  out.host_late = causes.by_device[device];
  out.steady_latency = latency_stats(scope, device, true);
  out.capture_latency = latency_stats(scope, device, false);
  const Coverage busy = busy_time(scope.trace, scope.timelines[device]);
  for (std::size_t s = 0; s < scope.steps.steps.size(); ++s) {
    StepParts parts = step_parts(scope, causes, device, s, short_gap);
    if (parts.step > Picoseconds{0}) {
      parts.host_active = host_active_time(scope, blamer, device, s);
    }
    out.steps.push_back(parts);
    out.latencies.push_back(step_latency(scope, blamer, busy, device, s));
  }
  return out;
}

std::vector<StreamStats> stream_stats(const Scope& scope) {
  std::vector<StreamStats> out;
  for (std::size_t d = 0; d < scope.timelines.size(); ++d) {
    for (const std::size_t lane : scope.timelines[d].lanes) {
      const Order order = lane_order(scope.trace, scope.works, lane);
      StreamStats stream;
      stream.lane = lane;
      stream.device = d;
      stream.steady = sweep(scope.trace, scope.works, order, scope.steps.steady[d]);
      stream.capture = sweep(scope.trace, scope.works, order, scope.timelines[d].span);
      stream.latency = lane_latency_stats(scope, lane, true);
      stream.queue = queue_length(scope.trace, scope.works, lane);
      stream.overlap = overlap_of(scope, order, scope.steps.steady[d]);
      out.push_back(stream);
    }
  }
  return out;
}

const StreamStats* busiest_stream(const std::vector<StreamStats>& streams, std::size_t device) {
  const StreamStats* busiest = nullptr;
  for (const StreamStats& stream : streams) {
    if (stream.device != device || stream.latency.used == 0) continue;
    if (busiest == nullptr || stream.steady.compute() > busiest->steady.compute()) {
      busiest = &stream;
    }
  }
  return busiest;
}

}  // namespace jaxtrace
