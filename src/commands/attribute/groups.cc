// Launch order, and where executions begin.
#include "commands/attribute/groups.h"

#include <algorithm>
#include <map>
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
}

/// Sets `executions` from the program runs that the events' calls stand in.
void split_by_run(const Trace& trace, const Launches& launches, Group& group) {
  std::vector<std::uint32_t>& events = group.events;
  group.executions = {0};
  const auto run = [&](std::uint32_t i) { return launches.interval[i]; };
  const auto known = std::ranges::find_if(events, [&](auto i) { return run(i) != kNoEvent; });
  if (known == events.end()) return;
  group.executions_known = true;

  // An event without a run goes with the one launched before it; the first ones, with the first
  // run.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;  // run, event
  runs.reserve(events.size());
  std::uint32_t current = run(*known);
  for (const std::uint32_t i : events) {
    if (run(i) != kNoEvent) current = run(i);
    runs.emplace_back(current, i);
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
