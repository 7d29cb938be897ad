// Choosing the rule, adding up what each step holds, and which steps are like the others.
#include "skip/steps.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analysis/median.h"
#include "analysis/times.h"
#include "skip/deal.h"
#include "skip/host_class.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kEnoughSteps = 3;

/// The capture as one step: from its first dispatch.
Step whole_capture(const Trace& trace) {
  Step step;
  const auto consider = [&](std::uint32_t event) {
    if (step.anchor != kNoEvent && trace.events.begin[event] >= step.host->begin) return;
    step.anchor = event;
    step.host = Window{trace.events.begin[event], end_of(trace, event)};
  };
  for (std::size_t l = 0; l < trace.lanes.size(); ++l) {
    if (trace.lanes[l].kind != LaneKind::host) continue;
    for (const Call& call : outermost_calls(trace, l)) consider(call.event);
  }
  return step;
}

Steps choose_rule(const Trace& trace, const Works& works,
                  const std::vector<DeviceTimeline>& timelines, const StepOptions& options) {
  const auto take = [](StepRule rule, Dealt dealt) {
    Steps steps;
    steps.rule = rule;
    steps.name = std::move(dealt.name);
    steps.steps = std::move(dealt.steps);
    steps.step_of = std::move(dealt.step_of);
    return steps;
  };
  if (options.function.empty()) {
    if (const AnchorSet found = annotation_anchors(trace); found.most() >= kEnoughSteps) {
      return take(StepRule::annotation, deal_by_anchors(trace, works, timelines, found));
    }
  }
  const AnchorSet calls = function_anchors(trace, works, options.function);
  if (calls.most() >= kEnoughSteps || (!options.function.empty() && calls.most() > 0)) {
    return take(StepRule::function, deal_by_anchors(trace, works, timelines, calls));
  }
  if (Dealt dealt = deal_by_runs(trace, works, timelines); dealt.steps.size() >= kEnoughSteps) {
    return take(StepRule::module_run, std::move(dealt));
  }
  if (Dealt dealt = deal_by_period(trace, timelines); dealt.steps.size() >= kEnoughSteps) {
    return take(StepRule::period, std::move(dealt));
  }
  Dealt whole;
  whole.steps.push_back(whole_capture(trace));
  whole.step_of.assign(trace.device_events, 0);
  return take(StepRule::none, std::move(whole));
}

void add_device_work(const Trace& trace, const Works& works,
                     const std::vector<DeviceTimeline>& timelines, Steps& steps) {
  for (Step& step : steps.steps) step.devices.resize(timelines.size());
  for (std::size_t d = 0; d < timelines.size(); ++d) {
    for (const std::size_t l : timelines[d].lanes) {
      const Lane& lane = trace.lanes[l];
      for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
        if (steps.step_of[i] == kNoStep) continue;
        DeviceStep& step = steps.steps[steps.step_of[i]].devices[d];
        ++step.events;
        if (works.cls[i] != WorkClass::memcpy && works.cls[i] != WorkClass::memset) ++step.kernels;
        if (works.launches.call[i] != kNoEvent && works.graph_index[i] == 0) ++step.launches;
        if (!works.timed[i]) continue;
        add_time(step.kernel_time, trace.events.duration[i]);
        const Picoseconds begin = trace.events.begin[i];
        if (!step.first || begin < *step.first) step.first = begin;
        if (!step.last_end || end_of(trace, i) > *step.last_end) step.last_end = end_of(trace, i);
      }
    }
  }
}

/// A step lasts, on a device, until the first event that is no longer its own.
void find_windows(const Trace& trace, const std::vector<DeviceTimeline>& timelines, Steps& steps) {
  for (std::size_t d = 0; d < timelines.size(); ++d) {
    // Work between the last step and the end, or of no step, also ends the one before it.
    std::vector<Picoseconds> none;
    for (const std::uint32_t event : timelines[d].order) {
      if (steps.step_of[event] == kNoStep) none.push_back(trace.events.begin[event]);
    }
    std::optional<Picoseconds> next;
    for (std::size_t s = steps.steps.size(); s-- > 0;) {
      DeviceStep& step = steps.steps[s].devices[d];
      if (!step.first) continue;
      std::optional<Picoseconds> end = next;
      if (!end) {
        const auto after = std::ranges::lower_bound(none, *step.last_end);
        if (after != none.end()) end = *after;
      }
      step.closed = end.has_value();
      const Picoseconds until = end.value_or(*step.last_end);
      if (until > *step.first) step.window = Window{*step.first, until};
      next = next ? std::min(*next, *step.first) : step.first;
    }
  }
}

void find_periods(Steps& steps) {
  std::size_t with_window = 0;
  for (const Step& step : steps.steps) {
    with_window +=
        std::ranges::any_of(step.devices, [](const DeviceStep& d) { return d.window.has_value(); });
  }
  const bool by_device = with_window == steps.steps.size();
  for (std::size_t s = 0; s < steps.steps.size(); ++s) {
    Step& step = steps.steps[s];
    if (by_device) {
      for (const DeviceStep& device : step.devices) {
        if (!device.window) continue;
        step.period = std::max(step.period.value_or(Picoseconds{0}), device.window->length());
      }
    } else if (step.host) {
      const bool last = s + 1 == steps.steps.size();
      const Picoseconds end = last ? step.host->end : steps.steps[s + 1].host->begin;
      step.period = end - step.host->begin;
    }
  }
}

void find_compiles(const Trace& trace, Steps& steps) {
  std::unordered_map<StringId, bool> compiles;
  std::vector<Picoseconds> begins;
  for (std::size_t i = trace.device_events; i < trace.events.size(); ++i) {
    const StringId name = trace.events.name[i];
    const auto [at, added] = compiles.try_emplace(name, false);
    if (added) at->second = host_class(trace.strings[name]) == HostClass::compile;
    if (at->second) begins.push_back(trace.events.begin[i]);
  }
  std::ranges::sort(begins);
  for (std::size_t s = 0; s < steps.steps.size(); ++s) {
    Step& step = steps.steps[s];
    if (!step.host) continue;
    const auto at = std::ranges::lower_bound(begins, step.host->begin);
    step.compiles = at != begins.end() && *at < step.host->end;
  }
}

bool has_work(const Step& step) {
  return std::ranges::any_of(step.devices, [](const DeviceStep& d) { return d.first.has_value(); });
}

/// The first step warms up; with so few steps that each counts, only if it shows it.
void drop_first(Steps& steps) {
  const auto first = std::ranges::find(steps.steps, StepFate::kept, &Step::fate);
  if (first == steps.steps.end()) return;
  std::vector<Picoseconds> periods;
  for (const Step& step : steps.steps) {
    if (step.fate == StepFate::kept && step.period) periods.push_back(*step.period);
  }
  const bool enough = periods.size() > kEnoughSteps;
  const bool slow =
      first->period && periods.size() > 1 && *first->period > 2 * lower_median(periods);
  if (enough || slow || (first->compiles && periods.size() > 1)) first->fate = StepFate::first;
}

/// The count that most steps have; of equals, the greater.
std::uint64_t mode(const std::map<std::uint64_t, std::size_t>& counts) {
  std::uint64_t best = 0;
  std::size_t times = 0;
  for (const auto& [count, seen] : counts) {
    if (seen >= times) {
      best = count;
      times = seen;
    }
  }
  return best;
}

/// Steps with another number of kernels than most are left out, if most are most of them.
void drop_odd(Steps& steps, std::size_t devices) {
  for (std::size_t d = 0; d < devices; ++d) {
    std::map<std::uint64_t, std::size_t> counts;
    for (const Step& step : steps.steps) {
      if (step.fate == StepFate::kept) ++counts[step.devices[d].kernels];
    }
    steps.usual_kernels.push_back(mode(counts));
  }
  const auto usual = [&](const Step& step) {
    for (std::size_t d = 0; d < devices; ++d) {
      if (step.devices[d].kernels != steps.usual_kernels[d]) return false;
    }
    return true;
  };
  for (const Step& step : steps.steps) {
    if (step.fate != StepFate::kept) continue;
    ++steps.counted;
    steps.usual += usual(step) ? 1 : 0;
  }
  if (!has_usual_steps(steps)) return;
  for (Step& step : steps.steps) {
    if (step.fate == StepFate::kept && !usual(step)) step.fate = StepFate::other_count;
  }
}

void find_median(Steps& steps) {
  if (steps.rule == StepRule::none || !has_usual_steps(steps)) return;
  const auto closed = [](const Step& step) {
    return std::ranges::none_of(step.devices,
                                [](const DeviceStep& d) { return d.window && !d.closed; });
  };
  const auto kept = [&](bool only_closed) {
    std::vector<std::pair<Picoseconds, std::size_t>> found;
    for (std::size_t s = 0; s < steps.steps.size(); ++s) {
      const Step& step = steps.steps[s];
      if (step.fate != StepFate::kept || !step.period || (only_closed && !closed(step))) continue;
      found.emplace_back(*step.period, s);
    }
    return found;
  };
  // The last step's window lacks the idle time after it.
  auto candidates = kept(true);
  if (candidates.empty()) candidates = kept(false);
  if (!candidates.empty()) steps.median = lower_median(candidates).second;
}

void find_steady(const std::vector<DeviceTimeline>& timelines, Steps& steps) {
  for (std::size_t d = 0; d < timelines.size(); ++d) {
    std::optional<Window> window;
    for (const Step& step : steps.steps) {
      const DeviceStep& device = step.devices[d];
      if (step.fate != StepFate::kept || !device.first) continue;
      const Picoseconds end = device.window ? device.window->end : *device.last_end;
      if (!window) window = Window{*device.first, end};
      window->end = std::max(window->end, end);
    }
    const bool whole = steps.rule == StepRule::none || !window;
    steps.steady.push_back(whole ? timelines[d].span : *window);
  }
}

}  // namespace

std::string_view name_of(StepRule rule) {
  constexpr std::string_view kNames[] = {"annotation", "function", "module_run", "period", "none"};
  return kNames[static_cast<std::size_t>(rule)];
}

std::string_view name_of(StepFate fate) {
  constexpr std::string_view kNames[] = {"kept", "first", "no_work", "other_count"};
  return kNames[static_cast<std::size_t>(fate)];
}

bool has_usual_steps(const Steps& steps) {
  return steps.counted > 0 && steps.usual * 5 >= steps.counted * 4;
}

Steps find_steps(const Trace& trace, const Works& works,
                 const std::vector<DeviceTimeline>& timelines, const StepOptions& options) {
  Steps steps = choose_rule(trace, works, timelines, options);
  add_device_work(trace, works, timelines, steps);
  find_windows(trace, timelines, steps);
  find_periods(steps);
  find_compiles(trace, steps);
  if (steps.rule != StepRule::none) {
    for (Step& step : steps.steps) {
      if (!has_work(step)) step.fate = StepFate::no_work;
    }
    drop_first(steps);
    drop_odd(steps, timelines.size());
  }
  for (const Step& step : steps.steps) steps.kept += step.fate == StepFate::kept ? 1 : 0;
  find_median(steps);
  find_steady(timelines, steps);
  return steps;
}

}  // namespace jaxtrace
