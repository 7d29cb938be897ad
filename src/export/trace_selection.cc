// Lanes by device, then windows by the chosen steps' work.
#include "export/trace_selection.h"

#include <algorithm>

#include "analysis/times.h"

namespace jaxtrace {
namespace {

std::size_t row(DeviceId id) {
  return static_cast<std::size_t>(id);
}
std::size_t row(HostId id) {
  return static_cast<std::size_t>(id);
}

void widen(std::optional<Window>& window, Picoseconds begin, Picoseconds end) {
  if (!window) window = Window{begin, end};
  window->begin = std::min(window->begin, begin);
  window->end = std::max(window->end, end);
}

/// Threads that launch work, but on no chosen device, are left out; so are threads of other hosts.
void choose_lanes(const Trace& trace, const Works& works, TraceSelection& selection) {
  std::vector<bool> host(trace.hosts.size());
  for (std::size_t d = 0; d < trace.devices.size(); ++d) {
    if (selection.device[d]) host[row(trace.devices[d].host)] = true;
  }
  std::vector<bool> launches(trace.lanes.size()), wanted(trace.lanes.size());
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    std::uint32_t last = kNoEvent;
    std::size_t of_last = 0;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      const std::uint32_t call = works.launches.call[i];
      if (call == kNoEvent) continue;
      if (call != last) of_last = lane_of(trace, call);
      last = call;
      for (const std::size_t thread : {of_last, static_cast<std::size_t>(works.thread[i])}) {
        if (thread >= trace.lanes.size()) continue;
        launches[thread] = true;
        if (selection.device[row(lane.device)]) wanted[thread] = true;
      }
    }
  }
  for (std::size_t l = 0; l < trace.lanes.size(); ++l) {
    const Lane& lane = trace.lanes[l];
    const bool chosen = lane.kind == LaneKind::stream
                            ? selection.device[row(lane.device)]
                            : host[row(lane.host)] && (!launches[l] || wanted[l]);
    selection.lane.push_back(chosen);
  }
}

void find_windows(const Trace& trace, const Works& works, const Steps& steps,
                  const std::vector<DeviceTimeline>& timelines, TraceSelection& selection) {
  selection.host_window.resize(trace.hosts.size());
  selection.device_window.resize(trace.devices.size());
  for (const DeviceTimeline& timeline : timelines) {
    if (!selection.device[row(timeline.device)]) continue;
    auto& host = selection.host_window[row(trace.devices[row(timeline.device)].host)];
    for (const std::uint32_t event : timeline.order) {
      if (steps.step_of[event] == kNoStep || !selection.step[steps.step_of[event]]) continue;
      const Picoseconds begin = trace.events.begin[event], end = end_of(trace, event);
      widen(selection.device_window[row(timeline.device)], begin, end);
      widen(host, begin, end);
      const std::uint32_t call = works.launches.call[event];
      if (call == kNoEvent || !has_plausible_time(trace, call)) continue;
      widen(host, trace.events.begin[call], trace.events.begin[call]);
    }
  }
  for (std::size_t s = 0; s < steps.steps.size(); ++s) {
    const Step& step = steps.steps[s];
    if (!selection.step[s] || !step.host || step.anchor == kNoEvent) continue;
    const Lane& lane = trace.lanes[lane_of(trace, step.anchor)];
    widen(selection.host_window[row(lane.host)], step.host->begin, step.host->end);
  }
}

}  // namespace

bool TraceSelection::empty() const {
  const bool no_device = std::ranges::find(device, true) == device.end();
  const bool no_step = !step.empty() && std::ranges::find(step, true) == step.end();
  return no_device || no_step;
}

TraceSelection select_trace(const Trace& trace, const Works& works, const Steps& steps,
                            const std::vector<DeviceTimeline>& timelines,
                            const TraceChoice& choice) {
  TraceSelection selection;
  for (const Device& device : trace.devices) {
    selection.device.push_back(!choice.device || device.ordinal == *choice.device);
  }
  if (choice.steps) {
    for (const Step& step : steps.steps) {
      selection.step.push_back(choice.steps->holds(step.number));
    }
  }
  choose_lanes(trace, works, selection);
  if (choice.steps) find_windows(trace, works, steps, timelines, selection);
  return selection;
}

bool is_drawn(const Trace& trace, const Works& works, const Steps& steps,
              const TraceSelection& selection, const Lane& lane, std::size_t event) {
  if (!has_plausible_time(trace, event)) return false;
  const bool work = lane.kind == LaneKind::stream;
  if (work && works.damaged[event]) return false;
  if (selection.step.empty()) return true;
  if (work && steps.step_of[event] != kNoStep) return selection.step[steps.step_of[event]];
  const auto& window =
      work ? selection.device_window[row(lane.device)] : selection.host_window[row(lane.host)];
  return window && trace.events.begin[event] < window->end && end_of(trace, event) >= window->begin;
}

}  // namespace jaxtrace
