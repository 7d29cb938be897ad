// Three rules that differ in what tells one step from the next.
#include "skip/deal.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "analysis/median.h"
#include "analysis/times.h"

namespace jaxtrace {
namespace {

/// Instants at which steps begin on one thread, by begin; what is launched before the first or at
/// `end` or later is in none.
struct Boundaries {
  std::vector<std::pair<Picoseconds, std::uint32_t>> begins;
  Picoseconds end = Picoseconds::max();

  std::uint32_t at(Picoseconds instant) const {
    if (instant >= end) return kNoStep;
    const auto after =
        std::ranges::upper_bound(begins, instant, {}, [](const auto& b) { return b.first; });
    return after == begins.begin() ? kNoStep : std::prev(after)->second;
  }
};

/// The last step is followed by what the next one launched, if the capture ended within it and the
/// profiler had not recorded its anchor yet: the last ends when the next should begin.
Picoseconds end_of_last(const Trace& trace, const std::vector<std::uint32_t>& anchors) {
  std::vector<Picoseconds> gaps;
  for (std::size_t i = 1; i < anchors.size(); ++i) {
    gaps.push_back(trace.events.begin[anchors[i]] - end_of(trace, anchors[i - 1]));
  }
  if (gaps.empty()) return Picoseconds::max();
  return end_of(trace, anchors.back()) + std::max(lower_median(gaps), Picoseconds{0});
}

/// Runs of programs on a lane, by begin.
std::vector<std::uint32_t> runs_of(const Trace& trace, std::size_t lane) {
  std::unordered_map<StringId, bool> is_run;
  std::vector<std::uint32_t> runs;
  const Lane& row = trace.lanes[lane];
  for (std::size_t i = row.first; i < row.first + row.count; ++i) {
    const auto [at, added] = is_run.try_emplace(trace.events.name[i], false);
    if (added) at->second = !module_of_interval(trace.strings[trace.events.name[i]]).empty();
    if (at->second && has_plausible_time(trace, i)) runs.push_back(static_cast<std::uint32_t>(i));
  }
  return runs;
}

/// Gives the k-th run the step of the k-th call, if that can be: no run begins before its call.
/// One thread may run the program once for each of several devices.  Runs of calls that were made
/// before the capture come first, and calls whose runs came after it last.
bool pair_up(const Trace& trace, const std::vector<std::uint32_t>& runs,
             const std::vector<std::pair<std::uint32_t, std::uint32_t>>& calls,
             std::map<Picoseconds, std::uint32_t>& begins) {
  if (calls.empty() || runs.empty()) return false;
  const std::size_t each = runs.size() % calls.size() == 0 ? runs.size() / calls.size() : 1;
  const std::size_t early =
      each == 1 && runs.size() > calls.size() ? runs.size() - calls.size() : 0;
  const auto call_of = [&](std::size_t run) { return calls[(run - early) / each]; };
  for (std::size_t r = early; r < runs.size(); ++r) {
    if (trace.events.begin[runs[r]] < trace.events.begin[call_of(r).first]) return false;
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    begins[trace.events.begin[runs[r]]] = r < early ? kNoStep : call_of(r).second;
  }
  return true;
}

/// The steps on a thread that runs programs which another thread dispatched.
Boundaries follow(const Trace& trace, std::size_t lane, const Anchors& anchors,
                  const Boundaries& own) {
  std::map<std::string, std::vector<std::pair<std::uint32_t, std::uint32_t>>> calls;
  for (const Call& call : outermost_calls(trace, anchors.lane)) {
    const std::string module = "jit_" + std::string(called_function(trace.strings[call.name]));
    calls[module].emplace_back(call.event, own.at(trace.events.begin[call.event]));
  }
  std::map<std::string, std::vector<std::uint32_t>> runs;
  for (const std::uint32_t run : runs_of(trace, lane)) {
    runs[std::string(module_of_interval(trace.strings[trace.events.name[run]]))].push_back(run);
  }
  std::map<Picoseconds, std::uint32_t> begins;
  for (const auto& [module, of_module] : runs) {
    const auto called = calls.find(module);
    if (called != calls.end()) pair_up(trace, of_module, called->second, begins);
  }
  if (begins.empty()) return own;
  Boundaries followed;
  followed.begins.assign(begins.begin(), begins.end());
  return followed;
}

/// Work that no call claims is in the step of what ran before it on its stream.
void fill_unjoined(const Trace& trace, const Works& works, std::vector<std::uint32_t>& step_of) {
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    std::uint32_t step = kNoStep;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      if (works.launches.call[i] == kNoEvent) {
        step_of[i] = step;
      } else {
        step = step_of[i];
      }
    }
  }
}

/// Rows of the steps that a host's anchors begin: by number if numbers are unique, else in order.
std::vector<std::uint32_t> rows_of(const Anchors& anchors, const Anchors& first) {
  std::map<std::int64_t, std::uint32_t> by_number;
  for (std::size_t i = 0; i < first.numbers.size(); ++i) {
    by_number.emplace(first.numbers[i], static_cast<std::uint32_t>(i));
  }
  const bool unique = by_number.size() == first.numbers.size();
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < anchors.numbers.size(); ++i) {
    const auto found = by_number.find(anchors.numbers[i]);
    if (unique) {
      rows.push_back(found == by_number.end() ? kNoStep : found->second);
    } else {
      rows.push_back(i < first.numbers.size() ? static_cast<std::uint32_t>(i) : kNoStep);
    }
  }
  return rows;
}

std::vector<Step> steps_of(const Trace& trace, const Anchors& anchors) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < anchors.events.size(); ++i) {
    const std::uint32_t event = anchors.events[i];
    Step step;
    step.number = anchors.numbers[i];
    step.anchor = event;
    step.host = Window{trace.events.begin[event], end_of(trace, event)};
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace

Dealt deal_by_anchors(const Trace& trace, const Works& works,
                      const std::vector<DeviceTimeline>& timelines, const AnchorSet& anchors) {
  Dealt dealt;
  dealt.name = anchors.name;
  dealt.step_of.assign(trace.device_events, kNoStep);
  if (anchors.hosts.empty()) return dealt;
  const Anchors& first = *std::ranges::max_element(
      anchors.hosts, {}, [](const Anchors& a) { return a.events.size(); });
  dealt.steps = steps_of(trace, first);

  for (const Anchors& host : anchors.hosts) {
    Boundaries own;
    const std::vector<std::uint32_t> rows = rows_of(host, first);
    for (std::size_t i = 0; i < host.events.size(); ++i) {
      own.begins.emplace_back(trace.events.begin[host.events[i]], rows[i]);
    }
    own.end = end_of_last(trace, host.events);
    std::map<std::uint32_t, Boundaries> by_thread;
    by_thread.emplace(host.lane, own);
    for (const DeviceTimeline& timeline : timelines) {
      if (trace.devices[static_cast<std::size_t>(timeline.device)].host != host.host) continue;
      for (const std::size_t l : timeline.lanes) {
        const Lane& lane = trace.lanes[l];
        for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
          const std::uint32_t call = works.launches.call[i];
          if (call == kNoEvent) continue;
          const std::uint32_t thread = works.thread[i];
          auto at = by_thread.find(thread);
          if (at == by_thread.end()) {
            at = by_thread.emplace(thread, follow(trace, thread, host, own)).first;
          }
          dealt.step_of[i] = at->second.at(trace.events.begin[call]);
        }
      }
    }
  }
  fill_unjoined(trace, works, dealt.step_of);
  return dealt;
}

Dealt deal_by_runs(const Trace& trace, const Works& works,
                   const std::vector<DeviceTimeline>& timelines) {
  // The program by its runs' name: program ids differ from host to host.
  std::map<std::string_view, Picoseconds> time;
  const auto run_name = [&](std::size_t i) {
    const std::uint32_t run = works.launches.interval[i];
    return run == kNoEvent ? StringId::empty : trace.events.name[run];
  };
  for (std::size_t i = 0; i < trace.device_events; ++i) {
    if (works.timed[i] && run_name(i) != StringId::empty) {
      add_time(time[trace.strings[run_name(i)]], trace.events.duration[i]);
    }
  }
  Dealt dealt;
  dealt.step_of.assign(trace.device_events, kNoStep);
  if (time.empty()) return dealt;
  const std::string_view most =
      std::ranges::max_element(time, {}, [](const auto& t) { return t.second; })->first;
  dealt.name = std::string(module_of_interval(most));

  for (const DeviceTimeline& timeline : timelines) {
    std::vector<std::uint32_t> runs;
    const auto each = [&](const auto& visit) {
      for (const std::size_t l : timeline.lanes) {
        const Lane& lane = trace.lanes[l];
        for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) visit(i);
      }
    };
    // Threads may launch for each other's devices; the device's own launches most of its work.
    std::map<std::uint32_t, std::size_t> launched;
    each([&](std::size_t i) { launched[works.thread[i]] += works.thread[i] == kNoEvent ? 0 : 1; });
    if (launched.empty()) continue;
    const std::uint32_t own =
        std::ranges::max_element(launched, {}, [](const auto& l) { return l.second; })->first;
    each([&](std::size_t i) {
      if (works.thread[i] != own || run_name(i) == StringId::empty ||
          trace.strings[run_name(i)] != most) {
        return;
      }
      const std::uint32_t run = works.launches.interval[i];
      if (!has_plausible_time(trace, run)) return;
      if (runs.empty() || runs.back() != run) runs.push_back(run);
    });
    const auto begin_of = [&](std::uint32_t run) {
      return std::pair(trace.events.begin[run], run);
    };
    std::ranges::sort(runs, {}, begin_of);
    runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
    if (runs.empty()) continue;

    Boundaries boundaries;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      boundaries.begins.emplace_back(trace.events.begin[runs[r]], static_cast<std::uint32_t>(r));
      if (r < dealt.steps.size()) continue;
      Step step;
      step.number = static_cast<std::int64_t>(r);
      step.anchor = runs[r];
      step.host = Window{trace.events.begin[runs[r]], end_of(trace, runs[r])};
      dealt.steps.push_back(std::move(step));
    }
    boundaries.end = end_of_last(trace, runs);
    each([&](std::size_t i) {
      const std::uint32_t call = works.launches.call[i];
      if (call != kNoEvent) dealt.step_of[i] = boundaries.at(trace.events.begin[call]);
    });
  }
  fill_unjoined(trace, works, dealt.step_of);
  return dealt;
}

std::size_t find_period(const std::vector<StringId>& names) {
  constexpr std::size_t kLeastPeriods = 3;
  constexpr std::size_t kMostLooked = 200'000;
  const std::size_t n = std::min(names.size(), kMostLooked);
  // The period is a distance between two kernels of the rarest name that a period can hold.
  std::map<StringId, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < n; ++i) places[names[i]].push_back(i);
  const std::vector<std::size_t>* rarest = nullptr;
  for (const auto& [name, at] : places) {
    if (at.size() >= kLeastPeriods && (rarest == nullptr || at.size() < rarest->size() ||
                                       (at.size() == rarest->size() && at[0] < (*rarest)[0]))) {
      rarest = &at;
    }
  }
  if (rarest == nullptr) return 0;
  for (std::size_t k = 1; k < rarest->size(); ++k) {
    const std::size_t p = (*rarest)[k] - (*rarest)[0];
    if (n / p < kLeastPeriods) break;
    std::size_t differ = 0;
    const std::size_t compared = n - p;
    for (std::size_t i = 0; i < compared && differ * 10 <= compared; ++i) {
      differ += names[i] != names[i + p] ? 1 : 0;
    }
    if (differ * 10 <= compared) return p;
  }
  return 0;
}

Dealt deal_by_period(const Trace& trace, const std::vector<DeviceTimeline>& timelines) {
  Dealt dealt;
  dealt.step_of.assign(trace.device_events, kNoStep);
  for (const DeviceTimeline& timeline : timelines) {
    if (timeline.lanes.empty()) continue;
    const auto count_of = [&](std::size_t l) { return trace.lanes[l].count; };
    const Lane& lane = trace.lanes[*std::ranges::max_element(timeline.lanes, {}, count_of)];
    std::vector<StringId> names;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      names.push_back(trace.events.name[i]);
    }
    const std::size_t p = find_period(names);
    // What repeats that often is a loop inside a step.
    constexpr std::size_t kMostSteps = 100'000;
    if (p == 0 || lane.count / p > kMostSteps) continue;
    dealt.name = "every " + std::to_string(p) + " kernels";
    Boundaries boundaries;
    const std::size_t whole = lane.count / p;
    for (std::size_t k = 0; k < whole; ++k) {
      boundaries.begins.emplace_back(trace.events.begin[lane.first + k * p],
                                     static_cast<std::uint32_t>(k));
      if (k < dealt.steps.size()) continue;
      Step step;
      step.number = static_cast<std::int64_t>(k);
      dealt.steps.push_back(std::move(step));
    }
    if (whole * p < lane.count) boundaries.end = trace.events.begin[lane.first + whole * p];
    for (const std::size_t l : timeline.lanes) {
      const Lane& other = trace.lanes[l];
      for (std::size_t i = other.first; i < other.first + other.count; ++i) {
        dealt.step_of[i] = boundaries.at(trace.events.begin[i]);
      }
    }
  }
  return dealt;
}

}  // namespace jaxtrace
