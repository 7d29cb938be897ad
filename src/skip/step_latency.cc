// The GPU's idle time here holds the lead-in, from the first parent op to the first kernel.
#include "skip/step_latency.h"

#include <algorithm>
#include <set>

#include "analysis/times.h"

namespace jaxtrace {
namespace {

/// The thread that launched a step's first event on a device.
std::uint32_t launching_thread(const Scope& scope, std::size_t device, std::size_t step) {
  const DeviceStep& of_device = scope.steps.steps[step].devices[device];
  if (!of_device.first) return kNoEvent;
  for (const std::uint32_t event : part(scope.timelines[device], *of_device.first)) {
    if (scope.steps.step_of[event] == step && scope.works.thread[event] != kNoEvent) {
      return scope.works.thread[event];
    }
    if (scope.trace.events.begin[event] > *of_device.last_end) break;
  }
  return kNoEvent;
}

bool is_dispatch(const HostName& name) {
  if (name.frame) return false;  // Everything lies in some frame.
  switch (name.cls) {
    case HostClass::python:
    case HostClass::launch:
    case HostClass::alloc:
    case HostClass::admission:
      return true;
    default:
      return false;
  }
}

/// Where the host was busy with kept steps: from the first one's first parent op to the next after
/// the last; without steps, always.
Window host_window(const Scope& scope) {
  Window window{Picoseconds::min(), Picoseconds::max()};
  if (scope.steps.rule == StepRule::none) return window;
  bool any = false;
  for (std::size_t s = 0; s < scope.steps.steps.size(); ++s) {
    const Step& step = scope.steps.steps[s];
    if (step.fate != StepFate::kept || !step.host) continue;
    if (!any) window.begin = step.host->begin;
    any = true;
    const bool next = s + 1 < scope.steps.steps.size() && scope.steps.steps[s + 1].host;
    window.end = next ? scope.steps.steps[s + 1].host->begin : step.host->end;
  }
  return window;
}

}  // namespace

Coverage busy_time(const Trace& trace, const DeviceTimeline& timeline) {
  Coverage busy;
  for (const std::uint32_t event : timeline.order) {
    busy.add({trace.events.begin[event], end_of(trace, event)});
  }
  return busy;
}

StepLatency step_latency(const Scope& scope, Blamer& blamer, const Coverage& busy,
                         std::size_t device, std::size_t step) {
  StepLatency out;
  const Step& row = scope.steps.steps[step];
  const DeviceStep& of_device = row.devices[device];
  if (!row.host || !of_device.last_end || *of_device.last_end <= row.host->begin) return out;
  const Window window{row.host->begin, *of_device.last_end};
  out.il = window.length();
  out.idle_paper = window.length() - of_device.kernel_time;
  out.idle_union = window.length() - busy.within(window);
  if (const std::uint32_t thread = launching_thread(scope, device, step); thread != kNoEvent) {
    out.cpu_idle = window.length() - blamer.thread(thread).active.within(window);
  }
  return out;
}

std::optional<Picoseconds> host_active_time(const Scope& scope, Blamer& blamer, std::size_t device,
                                            std::size_t step) {
  const std::vector<Step>& steps = scope.steps.steps;
  if (step + 1 >= steps.size() || !steps[step].host || !steps[step + 1].host) return std::nullopt;
  const std::uint32_t thread = launching_thread(scope, device, step);
  if (thread == kNoEvent) return std::nullopt;
  return blamer.thread(thread).active.within(
      {steps[step].host->begin, steps[step + 1].host->begin});
}

std::optional<double> Dispatch::hdbi_proxy() const {
  const Picoseconds all = device + dispatch;
  if (all <= Picoseconds{0} || dispatch <= Picoseconds{0}) return std::nullopt;
  return static_cast<double>(device.count()) / static_cast<double>(all.count());
}

Dispatch dispatch_time(const Scope& scope, Blamer& blamer, HostNames& names, std::size_t device,
                       Picoseconds busy) {
  const Trace& trace = scope.trace;
  Dispatch out;
  out.device = busy;
  std::set<std::uint32_t> threads;
  for (const std::uint32_t event : scope.timelines[device].order) {
    if (scope.works.thread[event] != kNoEvent) threads.insert(scope.works.thread[event]);
  }
  const Window window = host_window(scope);
  for (const std::uint32_t lane : threads) {
    const BlamedThread& thread = blamer.thread(lane);
    // Union of dispatch events, as intervals in order.
    std::vector<Window> busy_parts;
    for (const std::uint32_t l : thread.lanes) {
      const Lane& row = trace.lanes[l];
      for (std::size_t i = row.first; i < row.first + row.count; ++i) {
        const auto event = static_cast<std::uint32_t>(i);
        if (!is_dispatch(names.of_event(event)) || !has_plausible_time(trace, i)) continue;
        const Window at{std::max(trace.events.begin[i], window.begin),
                        std::min(end_of(trace, event), window.end)};
        if (at.begin < at.end) busy_parts.push_back(at);
      }
    }
    std::ranges::sort(busy_parts, {}, &Window::begin);
    Picoseconds reached = Picoseconds::min();
    for (const Window& at : busy_parts) {
      const Window fresh{std::max(at.begin, reached), at.end};
      if (fresh.begin >= fresh.end) continue;
      reached = fresh.end;
      for (const auto& [event, time] : self_time(thread.time, fresh)) {
        if (event == kNoEvent) {
          out.dispatch += time;
          continue;
        }
        const HostName& name = names.of_event(event);
        if (name.wait) continue;
        out.dispatch += time;
        if (name.frame || name.cls == HostClass::python || name.cls == HostClass::input) {
          out.framework += time;
        } else if (trace.events.correlation[event] != 0) {
          out.launch += time;
        }
      }
    }
  }
  return out;
}

}  // namespace jaxtrace
