// Launch order, and where executions begin.
#include "attribution/groups.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

namespace jaxtrace {
namespace {

void sort_by_launch(const Trace& trace, std::vector<std::uint32_t>& events) {
  const Events& e = trace.events;
  const bool correlated =
      std::ranges::all_of(events, [&](std::uint32_t i) { return e.correlation[i] != 0; });
  const auto key = [&](std::uint32_t i) {
    const std::uint64_t id = correlated ? e.correlation[i] : 0;
    const std::uint32_t node =
        correlated && !e.graph_node.empty() ? node_index(e.graph_node[i]) : 0;
    return std::tuple(id, node, e.begin[i], i);
  };
  if (!std::ranges::is_sorted(events, {}, key)) std::ranges::sort(events, {}, key);
  if (!correlated || e.graph_node.empty()) return;
  // A loop inside a graph runs its nodes again and again: only time tells the iterations apart.
  for (std::size_t first = 0, last = 0; first < events.size(); first = last) {
    bool repeated = false;
    for (last = first + 1;
         last < events.size() && e.correlation[events[last]] == e.correlation[events[first]];
         ++last) {
      const std::uint64_t node = e.graph_node[events[last]];
      repeated = repeated || (node != 0 && node == e.graph_node[events[last - 1]]);
    }
    if (!repeated) continue;
    std::ranges::sort(std::span(events).subspan(first, last - first), {},
                      [&](std::uint32_t i) { return std::pair(e.begin[i], i); });
  }
}

/// Of `runs`, one lane's by begin, the one that `run` overlaps for half of the shorter of the two;
/// `run` itself if there is none.
std::uint32_t beside(const Trace& trace, const std::vector<std::uint32_t>& runs,
                     std::uint32_t run) {
  const Events& e = trace.events;
  const auto end = [&](std::uint32_t r) { return e.begin[r] + e.duration[r]; };
  const auto first = std::ranges::lower_bound(runs, e.begin[run], {}, end);
  std::uint32_t best = run;
  Picoseconds most{0};
  for (auto r = first; r != runs.end() && e.begin[*r] <= end(run); ++r) {
    const Picoseconds overlap = std::min(end(*r), end(run)) - std::max(e.begin[*r], e.begin[run]);
    const Picoseconds shorter = std::min(e.duration[*r], e.duration[run]);
    if (overlap > most && overlap * 2 >= shorter) {
      most = overlap;
      best = *r;
    }
  }
  return best;
}

/// The run of each event of a group.  Some of an execution's launches may come from another thread
/// that runs the program for another device at the same time: a device runs one execution of a
/// program after the other, so runs side by side are one execution.
std::vector<std::uint32_t> runs_of(const Trace& trace, const Launches& launches,
                                   const std::vector<std::uint32_t>& events) {
  std::vector<std::uint32_t> run(events.size());
  std::map<std::size_t, std::size_t> events_of_lane;
  std::uint32_t before = kNoEvent;
  std::size_t lane = 0;
  for (std::size_t k = 0; k < events.size(); ++k) {
    run[k] = launches.interval[events[k]];
    if (run[k] == kNoEvent) continue;
    if (run[k] != before) lane = lane_of(trace, run[k]);
    before = run[k];
    ++events_of_lane[lane];
  }
  if (events_of_lane.size() < 2) return run;

  const auto main = std::ranges::max_element(events_of_lane, {}, [](const auto& lane_events) {
    return std::pair(lane_events.second, -static_cast<std::ptrdiff_t>(lane_events.first));
  });
  std::map<std::uint32_t, std::uint32_t>
      same;  // run elsewhere → the run of the main lane beside it
  std::vector<std::uint32_t> main_runs;
  for (const std::uint32_t r : run) {
    if (r == kNoEvent || !same.try_emplace(r, r).second) continue;
    if (lane_of(trace, r) == main->first) main_runs.push_back(r);
  }
  std::ranges::sort(main_runs);
  for (auto& [r, to] : same) to = beside(trace, main_runs, r);
  for (std::uint32_t& r : run) {
    if (r != kNoEvent) r = same[r];
  }
  return run;
}

/// Sets `executions` from the program runs that the events' calls stand in.
void split_by_run(const Trace& trace, const Launches& launches, Group& group) {
  std::vector<std::uint32_t>& events = group.events;
  group.executions = {0};
  const std::vector<std::uint32_t> run = runs_of(trace, launches, events);
  const auto known = std::ranges::find_if(run, [](auto r) { return r != kNoEvent; });
  if (known == run.end()) return;
  group.executions_known = true;

  // An event without a run goes with the one launched before it, the first ones with the first
  // run; unless they were launched before that began, or after the last one was over: a capture
  // cut in the middle of a run lacks the run itself.
  const auto launched = [&](std::uint32_t i) {
    return launches.call[i] != kNoEvent ? launches.call[i] : i;
  };
  const Events& e = trace.events;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;  // run, event
  runs.reserve(events.size());
  std::uint32_t current = *known;
  if (e.begin[launched(events[0])] < e.begin[current]) current = launched(events[0]);
  bool whole = run[0] != kNoEvent;
  for (std::size_t k = 0; k < events.size(); ++k) {
    const std::uint32_t call = launches.call[events[k]];
    if (run[k] != kNoEvent) {
      current = run[k];
      whole = true;
    } else if (whole && call != kNoEvent &&
               e.begin[call] > e.begin[current] + e.duration[current]) {
      current = call;
      whole = false;
    }
    runs.emplace_back(current, events[k]);
  }
  const auto begin = [&](const auto& r) { return std::pair(trace.events.begin[r.first], r.first); };
  if (!std::ranges::is_sorted(runs, {}, begin)) {
    std::ranges::stable_sort(runs, {}, begin);
    for (std::size_t k = 0; k < events.size(); ++k) events[k] = runs[k].second;
  }
  for (std::size_t k = 1; k < runs.size(); ++k) {
    if (runs[k].first != runs[k - 1].first) group.executions.push_back(k);
  }
}

}  // namespace

std::vector<Group> group_work(const Trace& trace, const Launches& launches,
                              const Programs& programs, const std::vector<bool>& left_out) {
  std::map<std::pair<DeviceId, std::uint32_t>, std::vector<std::uint32_t>> work;
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    std::vector<std::uint32_t>* to = nullptr;
    std::uint32_t program = kNone;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      if (programs.of_event[i] == kNone || left_out[i]) continue;
      if (!to || program != programs.of_event[i]) {
        program = programs.of_event[i];
        to = &work[{lane.device, program}];
      }
      to->push_back(static_cast<std::uint32_t>(i));
    }
  }
  std::vector<Group> groups;
  for (auto& [key, events] : work) {
    Group group{.program = key.second,
                .device = key.first,
                .events = std::move(events),
                .executions = {},
                .executions_known = false};
    sort_by_launch(trace, group.events);
    split_by_run(trace, launches, group);
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace jaxtrace
