// Names are looked at once each, not once an event: a capture of millions of events has some
// hundred names.
#include "skip/work.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/damage.h"
#include "analysis/text.h"
#include "analysis/times.h"
#include "skip/work_names.h"

namespace jaxtrace {
namespace {

// ---- Device events

/// Classes by name, remembered.
class NameClasses {
 public:
  explicit NameClasses(const Trace& trace) : trace_(trace) {}

  NameClass of(StringId name) {
    const auto [at, added] = known_.try_emplace(name);
    if (added) at->second = classify_name(trace_.strings[name]);
    return at->second;
  }
  LaunchKind call(StringId name) {
    const auto [at, added] = calls_.try_emplace(name, LaunchKind::none);
    if (added) at->second = call_kind(trace_.strings[name]);
    return at->second;
  }
  bool collective_op(StringId op) {
    if (op == StringId::empty) return false;
    const auto [at, added] = ops_.try_emplace(op, false);
    if (added) at->second = is_collective_op(trace_.strings[op]);
    return at->second;
  }

 private:
  const Trace& trace_;
  std::unordered_map<StringId, NameClass> known_;
  std::unordered_map<StringId, LaunchKind> calls_;
  std::unordered_map<StringId, bool> ops_;
};

NameClass classify(const Trace& trace, std::size_t event, const Works& works, NameClasses& names) {
  const LaunchKind launch = works.launch_kind[event];
  const Annotation& said =
      trace.annotations[static_cast<std::size_t>(trace.events.annotation[event])];
  const Details& details = trace.details[static_cast<std::size_t>(trace.events.details[event])];
  const NameClass named = names.of(trace.events.name[event]);
  const std::string_view name = trace.strings[trace.events.name[event]];
  const bool collective = names.collective_op(said.hlo_op);

  if (launch == LaunchKind::memcpy || details.of == Details::Of::memcpy ||
      named.cls == WorkClass::memcpy) {
    if (collective) return {WorkClass::collective, WorkKind::copy};
    WorkKind kind = named.cls == WorkClass::memcpy ? named.kind : WorkKind::unknown;
    if (kind == WorkKind::unknown) kind = copy_kind(lower(name));
    if (kind == WorkKind::unknown && details.of == Details::Of::memcpy) {
      kind = copy_kind_of_details(trace.strings[details.text]);
    }
    // AMD's copies are kernels of one name; their call says from where to where.
    const std::uint32_t call = works.launches.call[event];
    if (kind == WorkKind::unknown && call != kNoEvent) {
      kind = copy_kind(lower(trace.strings[trace.events.name[call]]));
    }
    return {WorkClass::memcpy, kind};
  }
  if (launch == LaunchKind::memset || details.of == Details::Of::memset ||
      named.cls == WorkClass::memset) {
    return {WorkClass::memset, WorkKind::unknown};
  }
  if (named.cls == WorkClass::collective || collective) {
    const WorkKind kind =
        collective ? collective_kind(name, trace.strings[said.hlo_op]) : named.kind;
    return {WorkClass::collective, kind};
  }
  if (named.cls == WorkClass::compute) return named;
  // One event may stand for a whole graph, whose kernels were not recorded.
  if (said.hlo_module != StringId::empty || said.hlo_op != StringId::empty ||
      details.of == Details::Of::kernel || said.graph_exec_id != 0) {
    return {WorkClass::compute, WorkKind::custom};
  }
  return {};
}

// ---- The join

/// Handles that host calls give devices: which device most of their work ran on.
using AgentMap = std::map<std::pair<HostId, std::int64_t>, DeviceId>;

AgentMap learn_agents(const Trace& trace, const Launches& launches) {
  std::map<std::pair<HostId, std::int64_t>, std::map<DeviceId, std::uint64_t>> votes;
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      const std::uint32_t call = launches.call[i];
      if (call == kNoEvent) continue;
      const std::int64_t agent =
          trace.annotations[static_cast<std::size_t>(trace.events.annotation[call])].agent;
      if (agent != kNoAgent) ++votes[{lane.host, agent}][lane.device];
    }
  }
  AgentMap map;
  for (const auto& [agent, devices] : votes) {
    map[agent] =
        std::ranges::max_element(devices, {}, [](const auto& d) { return d.second; })->first;
  }
  return map;
}

/// A call with work on one device only is that work's, whatever handle it gives: threads launch for
/// each other's devices.
Join join_of(const Trace& trace, const AgentMap& agents, const Lane& lane, std::uint32_t call,
             LaunchKind kind, bool several_devices) {
  if (kind == LaunchKind::nonlaunch) return Join::weak;
  if (!several_devices) return Join::strong;
  const std::int64_t agent =
      trace.annotations[static_cast<std::size_t>(trace.events.annotation[call])].agent;
  if (agent == kNoAgent) return Join::strong;
  const auto at = agents.find({lane.host, agent});
  return at != agents.end() && at->second != lane.device ? Join::ambiguous : Join::strong;
}

/// By host event: whether work of its id ran on more than one device.
std::vector<bool> calls_of_several_devices(const Trace& trace, const Launches& launches) {
  std::vector<DeviceId> device_of(trace.events.size() - trace.device_events, DeviceId::none);
  std::vector<bool> several(device_of.size(), false);
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      if (launches.call[i] == kNoEvent) continue;
      const std::size_t row = launches.call[i] - trace.device_events;
      several[row] =
          several[row] || (device_of[row] != DeviceId::none && device_of[row] != lane.device);
      device_of[row] = lane.device;
    }
  }
  return several;
}

/// Numbers the events that one call has on one device, by begin.
void number_fans(const Trace& trace, std::span<const std::size_t> lanes, Works& works,
                 std::vector<std::uint32_t>& count) {
  const auto row = [&](std::uint32_t call) { return call - trace.device_events; };
  const auto each = [&](const auto& visit) {
    for (const std::size_t l : lanes) {
      const Lane& lane = trace.lanes[l];
      for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
        if (works.launches.call[i] != kNoEvent) visit(static_cast<std::uint32_t>(i));
      }
    }
  };
  each([&](std::uint32_t i) { ++count[row(works.launches.call[i])]; });
  std::vector<std::uint32_t> many;  // Most calls have one event, and need no sorting.
  each([&](std::uint32_t i) {
    works.fan_out[i] = count[row(works.launches.call[i])];
    if (works.fan_out[i] > 1) many.push_back(i);
  });
  const auto key = [&](std::uint32_t i) {
    return std::tuple(works.launches.call[i], trace.events.begin[i], i);
  };
  if (!std::ranges::is_sorted(many, {}, key)) std::ranges::sort(many, {}, key);
  for (std::size_t m = 1; m < many.size(); ++m) {
    if (works.launches.call[many[m]] == works.launches.call[many[m - 1]]) {
      works.graph_index[many[m]] = works.graph_index[many[m - 1]] + 1;
    }
  }
  each([&](std::uint32_t i) { count[row(works.launches.call[i])] = 0; });
}

void join(const Trace& trace, NameClasses& names, Works& works) {
  const AgentMap agents = learn_agents(trace, works.launches);
  const std::vector<bool> several = calls_of_several_devices(trace, works.launches);
  std::map<DeviceId, std::vector<std::size_t>> lanes_of;
  for (std::size_t l = 0; l < trace.lanes.size(); ++l) {
    const Lane& lane = trace.lanes[l];
    if (lane.kind != LaneKind::stream) continue;
    lanes_of[lane.device].push_back(l);
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      const std::uint32_t call = works.launches.call[i];
      if (call == kNoEvent) continue;
      works.launch_kind[i] = names.call(trace.events.name[call]);
      // A call without plausible times cannot be compared with.
      if (!has_plausible_time(trace, call)) continue;
      works.join[i] = join_of(trace, agents, lane, call, works.launch_kind[i],
                              several[call - trace.device_events]);
    }
  }
  std::vector<std::uint32_t> count(trace.events.size() - trace.device_events, 0);
  for (const auto& [device, lanes] : lanes_of) number_fans(trace, lanes, works, count);
}

void count_calls(const Trace& trace, NameClasses& names, Works& works) {
  std::vector<bool> used(trace.events.size() - trace.device_events, false);
  for (const std::uint32_t call : works.launches.call) {
    if (call != kNoEvent) used[call - trace.device_events] = true;
  }
  for (std::size_t i = trace.device_events; i < trace.events.size(); ++i) {
    if (trace.events.correlation[i] == 0) continue;
    if (names.call(trace.events.name[i]) == LaunchKind::nonlaunch) continue;
    ++works.calls;
    if (!used[i - trace.device_events]) ++works.calls_without_work;
  }
}

/// API calls may stand in a lane of their own; the program run they are in says whose they are.
void find_threads(const Trace& trace, Works& works) {
  std::size_t at = 0;  // The next event's is most often the same.
  for (std::size_t i = 0; i < trace.device_events; ++i) {
    const std::uint32_t call = works.launches.call[i];
    if (call == kNoEvent) continue;
    const std::uint32_t run = works.launches.interval[i];
    const std::uint32_t event = run == kNoEvent ? call : run;
    const Lane& lane = trace.lanes[at];
    if (event < lane.first || event >= lane.first + lane.count) at = lane_of(trace, event);
    works.thread[i] = static_cast<std::uint32_t>(at);
  }
}

}  // namespace

Works find_works(const Trace& trace) {
  const std::size_t n = trace.device_events;
  Works works;
  works.launches = find_launches(trace);
  works.damaged = find_damage(trace);
  works.cls.resize(n);
  works.kind.resize(n);
  works.join.assign(n, Join::none);
  works.launch_kind.assign(n, LaunchKind::none);
  works.fan_out.assign(n, 0);
  works.graph_index.assign(n, 0);
  works.timed.resize(n);
  works.thread.assign(n, kNoEvent);

  NameClasses names(trace);
  join(trace, names, works);
  count_calls(trace, names, works);
  for (std::size_t i = 0; i < n; ++i) {
    const NameClass found = classify(trace, i, works, names);
    works.cls[i] = found.cls;
    works.kind[i] = found.kind;
    works.timed[i] = !works.damaged[i] && trace.events.duration[i] > Picoseconds{0};
  }
  find_threads(trace, works);
  return works;
}

std::string_view name_of(WorkClass cls) {
  constexpr std::array<std::string_view, kWorkClasses> kNames = {"compute", "collective", "memcpy",
                                                                 "memset", "other"};
  return kNames[static_cast<std::size_t>(cls)];
}

std::string_view name_of(WorkKind kind) {
  constexpr std::string_view kNames[] = {"",
                                         "gemm",
                                         "attention",
                                         "convolution",
                                         "fusion",
                                         "custom",
                                         "h2d",
                                         "d2h",
                                         "d2d",
                                         "p2p",
                                         "all-reduce",
                                         "all-gather",
                                         "reduce-scatter",
                                         "all-to-all",
                                         "send-recv",
                                         "broadcast",
                                         "copy"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(Join join) {
  constexpr std::string_view kNames[] = {"none", "weak", "ambiguous", "strong"};
  return kNames[static_cast<std::size_t>(join)];
}

std::string_view name_of(LaunchKind kind) {
  constexpr std::string_view kNames[] = {"none",   "single", "graph",
                                         "memcpy", "memset", "nonlaunch"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace jaxtrace
