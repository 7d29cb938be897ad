// Finding what marks the steps of a program in its host events.
#include "skip/anchors.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "analysis/times.h"

namespace jaxtrace {
namespace {

/// JSON has the number in the name: "train 17".
std::string_view annotation_name(std::string_view name, std::int64_t number) {
  const std::string suffix = " " + std::to_string(number);
  if (name.size() > suffix.size() && name.ends_with(suffix)) name.remove_suffix(suffix.size());
  return name;
}

/// Of the lanes of each host, the one with the most anchors; the first of equals.
AnchorSet one_lane_a_host(std::string name, std::vector<Anchors> lanes) {
  AnchorSet set{.name = std::move(name), .hosts = {}};
  for (Anchors& lane : lanes) {
    const auto same = std::ranges::find(set.hosts, lane.host, &Anchors::host);
    if (same == set.hosts.end()) {
      set.hosts.push_back(std::move(lane));
    } else if (lane.events.size() > same->events.size()) {
      *same = std::move(lane);
    }
  }
  return set;
}

/// Device time that each function launched, by its PjitFunction name: by the module `jit_f` of the
/// work, or else because the launch lies in a call on the same thread.
std::map<std::string_view, Picoseconds> launched_time(
    const Trace& trace, const Works& works, const std::map<std::size_t, std::vector<Call>>& calls) {
  std::map<std::string_view, Picoseconds> time;
  std::map<std::string, std::string_view> by_module;
  for (const auto& [lane, of_lane] : calls) {
    for (const Call& call : of_lane) {
      const std::string_view name = trace.strings[call.name];
      time.try_emplace(name, 0);
      by_module.try_emplace("jit_" + std::string(called_function(name)), name);
    }
  }
  std::unordered_map<StringId, std::string_view> of_module;  // Memo; empty where no call has it
  for (std::size_t i = 0; i < trace.device_events; ++i) {
    if (!works.timed[i]) continue;
    const StringId module =
        trace.annotations[static_cast<std::size_t>(trace.events.annotation[i])].hlo_module;
    std::string_view name;
    if (module != StringId::empty) {
      const auto [at, added] = of_module.try_emplace(module);
      if (added) {
        const auto found = by_module.find(std::string(trace.strings[module]));
        if (found != by_module.end()) at->second = found->second;
      }
      name = at->second;
    }
    if (name.empty() && works.launches.call[i] != kNoEvent) {
      const auto lane = calls.find(works.thread[i]);
      if (lane == calls.end()) continue;
      const Picoseconds at = trace.events.begin[works.launches.call[i]];
      const auto begin_of = [&](const Call& c) { return trace.events.begin[c.event]; };
      const auto after = std::ranges::upper_bound(lane->second, at, {}, begin_of);
      if (after == lane->second.begin()) continue;
      const Call& call = *std::prev(after);
      if (at < end_of(trace, call.event)) name = trace.strings[call.name];
    }
    if (!name.empty()) add_time(time[name], trace.events.duration[i]);
  }
  return time;
}

}  // namespace

std::size_t AnchorSet::most() const {
  std::size_t count = 0;
  for (const Anchors& host : hosts) count = std::max(count, host.events.size());
  return count;
}

AnchorSet annotation_anchors(const Trace& trace) {
  // By name, then lane.
  std::map<std::string_view, std::map<std::uint32_t, Anchors>> found;
  std::map<std::string_view, Picoseconds> time;
  for (const EventStat& stat : trace.stats) {
    if (trace.strings[stat.key] != "step_num" || stat.event < trace.device_events) continue;
    if (!has_plausible_time(trace, stat.event)) continue;
    const auto event = static_cast<std::uint32_t>(stat.event);
    const auto lane = static_cast<std::uint32_t>(lane_of(trace, event));
    const std::string_view name =
        annotation_name(trace.strings[trace.events.name[event]], stat.value);
    Anchors& anchors = found[name][lane];
    anchors.host = trace.lanes[lane].host;
    anchors.lane = lane;
    anchors.events.push_back(event);  // Stats are by event, so by begin within a lane.
    anchors.numbers.push_back(stat.value);
    add_time(time[name], trace.events.duration[event]);
  }
  if (found.empty()) return {};
  const auto longest = std::ranges::max_element(time, {}, [](const auto& t) { return t.second; });
  std::vector<Anchors> lanes;
  for (auto& [lane, anchors] : found[longest->first]) lanes.push_back(std::move(anchors));
  return one_lane_a_host(std::string(longest->first), std::move(lanes));
}

std::string_view called_function(std::string_view name) {
  constexpr std::string_view kBegin = "PjitFunction(";
  if (!name.starts_with(kBegin) || !name.ends_with(')')) return {};
  return name.substr(kBegin.size(), name.size() - kBegin.size() - 1);
}

std::vector<Call> outermost_calls(const Trace& trace, std::size_t lane) {
  const Lane& row = trace.lanes[lane];
  std::vector<Call> calls;
  std::unordered_map<StringId, bool> is_call;
  Picoseconds open_until = Picoseconds::min();
  for (std::size_t i = row.first; i < row.first + row.count; ++i) {
    const StringId name = trace.events.name[i];
    const auto [at, added] = is_call.try_emplace(name, false);
    if (added) at->second = !called_function(trace.strings[name]).empty();
    if (!at->second || trace.events.begin[i] < open_until) continue;
    if (!has_plausible_time(trace, i)) continue;
    open_until = end_of(trace, static_cast<std::uint32_t>(i));
    calls.push_back({static_cast<std::uint32_t>(i), name});
  }
  return calls;
}

AnchorSet function_anchors(const Trace& trace, const Works& works, const std::string& wanted) {
  std::map<std::size_t, std::vector<Call>> calls;
  for (std::size_t l = 0; l < trace.lanes.size(); ++l) {
    if (trace.lanes[l].kind != LaneKind::host) continue;
    if (std::vector<Call> of_lane = outermost_calls(trace, l); !of_lane.empty()) {
      calls.emplace(l, std::move(of_lane));
    }
  }
  std::string chosen;
  if (!wanted.empty()) {
    chosen = "PjitFunction(" + wanted + ')';
  } else {
    Picoseconds most{0};
    for (const auto& [name, time] : launched_time(trace, works, calls)) {
      if (time > most) {
        most = time;
        chosen = std::string(name);
      }
    }
  }
  std::vector<Anchors> lanes;
  for (const auto& [lane, of_lane] : calls) {
    Anchors anchors{.host = trace.lanes[lane].host,
                    .lane = static_cast<std::uint32_t>(lane),
                    .events = {},
                    .numbers = {}};
    for (const Call& call : of_lane) {
      if (trace.strings[call.name] != chosen) continue;
      anchors.numbers.push_back(static_cast<std::int64_t>(anchors.events.size()));
      anchors.events.push_back(call.event);
    }
    if (!anchors.events.empty()) lanes.push_back(std::move(anchors));
  }
  return one_lane_a_host(std::string(called_function(chosen)), std::move(lanes));
}

std::vector<std::string> step_functions(const Trace& trace) {
  std::set<std::string> names;
  for (std::size_t l = 0; l < trace.lanes.size(); ++l) {
    if (trace.lanes[l].kind != LaneKind::host) continue;
    for (const Call& call : outermost_calls(trace, l)) {
      names.emplace(called_function(trace.strings[call.name]));
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace jaxtrace
