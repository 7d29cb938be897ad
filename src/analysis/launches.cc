// Two joins: device event → host call by correlation id, host call → program run by containment.
#include "analysis/launches.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace jaxtrace {
namespace {

constexpr std::string_view kIntervalSuffix = ":XLA GPU module";

/// The calls of one host, by correlation id, then begin.
struct Call {
  std::uint64_t correlation;
  std::uint32_t event;
};

std::vector<Call> calls_of(const Trace& trace, HostId host) {
  std::vector<Call> calls;
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::host || lane.host != host) continue;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      if (const std::uint64_t id = trace.events.correlation[i]; id != 0) {
        calls.push_back({id, static_cast<std::uint32_t>(i)});
      }
    }
  }
  const auto key = [&](const Call& c) {
    return std::tuple(c.correlation, trace.events.begin[c.event], c.event);
  };
  std::ranges::sort(calls, {}, key);
  return calls;
}

/// Of several calls with one id (ids wrap and are reused) the latest launch for this device that
/// began before the work; if clocks are apart and none did, the first; a wait or a callback only if
/// there is nothing else.
std::uint32_t call_for(const Trace& trace, const std::vector<Call>& calls, std::size_t first,
                       const Device& device, Picoseconds begin) {
  const auto same_id = [&](std::size_t c) {
    return c < calls.size() && calls[c].correlation == calls[first].correlation;
  };
  if (!same_id(first + 1)) return calls[first].event;
  const auto rank = [&](std::size_t c) {
    const std::uint32_t event = calls[c].event;
    const Annotation& said =
        trace.annotations[static_cast<std::size_t>(trace.events.annotation[event])];
    return std::tuple(is_launch(trace.strings[trace.events.name[event]]),
                      said.agent == device.ordinal, trace.events.begin[event] <= begin);
  };
  std::size_t best = first;
  for (std::size_t c = first + 1; same_id(c); ++c) {
    if (rank(c) > rank(best) || (rank(c) == rank(best) && std::get<2>(rank(c)))) best = c;
  }
  return calls[best].event;
}

/// Runs of programs on one host lane, by begin.  They do not overlap, or only by nesting.
struct RunLane {
  std::size_t lane;
  std::vector<std::uint32_t> runs;
};

std::vector<RunLane> run_lanes(const Trace& trace, HostId host) {
  std::vector<RunLane> lanes;
  std::unordered_map<StringId, bool> is_run;
  for (std::size_t l = 0; l < trace.lanes.size(); ++l) {
    const Lane& lane = trace.lanes[l];
    if (lane.kind != LaneKind::host || lane.host != host) continue;
    RunLane found{.lane = l, .runs = {}};
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      const StringId name = trace.events.name[i];
      const auto [at, added] = is_run.try_emplace(name, false);
      if (added) at->second = !module_of_interval(trace.strings[name]).empty();
      if (at->second) found.runs.push_back(static_cast<std::uint32_t>(i));
    }
    if (!found.runs.empty()) lanes.push_back(std::move(found));
  }
  return lanes;
}

bool same_module(const Trace& trace, std::uint32_t run, std::uint32_t call) {
  const StringId said =
      trace.annotations[static_cast<std::size_t>(trace.events.annotation[call])].hlo_module;
  return said == StringId::empty ||
         module_of_interval(trace.strings[trace.events.name[run]]) == trace.strings[said];
}

/// Calls of a lane that has no runs of its own.
using CallLane = std::pair<std::size_t, const std::vector<std::uint32_t>*>;

/// How well the runs of a lane surround such calls.
struct Fit {
  std::size_t calls;       ///< Row of the call lanes
  std::size_t runs;        ///< Row of the run lanes
  std::size_t inside = 0;  ///< Calls that a run contains
  std::int64_t slack = 0;  ///< Sum of the time from the run's begin to the call's
};

Fit fit(const Trace& trace, const RunLane& lane, const std::vector<std::uint32_t>& calls) {
  constexpr std::size_t kEnough = 4096;  // Calls looked at: a thread keeps its partner.
  Fit out{};
  const std::size_t step = calls.size() / kEnough + 1;
  for (std::size_t c = 0; c < calls.size(); c += step) {
    const std::uint32_t run = run_around(trace, lane.runs, calls[c]);
    if (run == kNoEvent || !same_module(trace, run, calls[c])) continue;
    ++out.inside;
    const std::int64_t gap = (trace.events.begin[calls[c]] - trace.events.begin[run]).count();
    if (__builtin_add_overflow(out.slack, gap, &out.slack)) {
      out.slack = std::numeric_limits<std::int64_t>::max();
    }
  }
  return out;
}

/// The run lanes of the same threads as lanes of API calls: those whose runs contain most of the
/// calls, most closely.  A thread has one lane of each, so each run lane is given away once before
/// any is shared: threads may work in step, where time cannot tell them apart.  What is left over
/// (rocprofiler-sdk files some calls of a thread elsewhere) takes the lane that fits best.
std::vector<const RunLane*> partners(const Trace& trace, const std::vector<RunLane>& lanes,
                                     const std::vector<CallLane>& call_lanes) {
  std::vector<Fit> fits;
  for (std::size_t c = 0; c < call_lanes.size(); ++c) {
    for (std::size_t r = 0; r < lanes.size(); ++r) {
      Fit found = fit(trace, lanes[r], *call_lanes[c].second);
      found.calls = c;
      found.runs = r;
      if (found.inside > 0) fits.push_back(found);
    }
  }
  std::ranges::sort(fits, [](const Fit& a, const Fit& b) {
    return std::tuple(b.inside, a.slack, a.calls, a.runs) <
           std::tuple(a.inside, b.slack, b.calls, b.runs);
  });
  std::vector<const RunLane*> out(call_lanes.size(), nullptr);
  std::vector<bool> taken(lanes.size(), false);
  for (const Fit& best : fits) {
    if (out[best.calls] != nullptr || taken[best.runs]) continue;
    out[best.calls] = &lanes[best.runs];
    taken[best.runs] = true;
  }
  for (const Fit& best : fits) {
    if (out[best.calls] == nullptr) out[best.calls] = &lanes[best.runs];
  }
  return out;
}

}  // namespace

std::size_t lane_of(const Trace& trace, std::uint32_t event) {
  const auto after = std::ranges::upper_bound(trace.lanes, event, {}, &Lane::first);
  return static_cast<std::size_t>(after - trace.lanes.begin()) - 1;
}

std::uint32_t run_around(const Trace& trace, std::span<const std::uint32_t> runs,
                         std::uint32_t call) {
  const Events& e = trace.events;
  const Picoseconds at = e.begin[call];
  auto after = std::ranges::upper_bound(runs, at, {}, [&](auto run) { return e.begin[run]; });
  // An outer run may contain the call where the run that began last is already over.
  for (int looked = 0; after != runs.begin() && looked < 4; ++looked) {
    const std::uint32_t run = *--after;
    if (at <= e.begin[run] + e.duration[run]) return run;
  }
  return kNoEvent;
}

bool is_driver_call(std::string_view name) {
  const auto capital_at = [&](std::size_t at) {
    return name.size() > at && name[at] >= 'A' && name[at] <= 'Z';
  };
  return (name.starts_with("cuda") && capital_at(4)) || (name.starts_with("cu") && capital_at(2)) ||
         (name.starts_with("hip") && capital_at(3));
}

bool is_launch(std::string_view call) {
  if (!is_driver_call(call)) return true;
  const auto has = [&](std::string_view part) { return call.find(part) != std::string_view::npos; };
  return (has("Launch") && !has("LaunchHostFunc")) || has("Memcpy") || has("Memset");
}

bool is_graph_launch(std::string_view call) {
  return call.find("GraphLaunch") != std::string_view::npos;
}

std::string_view module_of_interval(std::string_view name) {
  if (!name.ends_with(kIntervalSuffix)) return {};
  return name.substr(0, name.size() - kIntervalSuffix.size());
}

Launches find_launches(const Trace& trace) {
  Launches out;
  out.call.assign(trace.device_events, kNoEvent);
  out.interval.assign(trace.device_events, kNoEvent);
  // By host event: those come after the device events.
  std::vector<std::uint32_t> run_of(trace.events.size() - trace.device_events, kNoEvent);

  for (std::size_t h = 0; h < trace.hosts.size(); ++h) {
    const auto host = static_cast<HostId>(h);
    const std::vector<Call> calls = calls_of(trace, host);
    if (calls.empty()) continue;

    // Device event → call.
    for (const Lane& lane : trace.lanes) {
      if (lane.kind != LaneKind::stream || lane.host != host) continue;
      std::size_t at = 0;  // Ids grow along a stream: the next one is usually right here.
      for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
        const std::uint64_t id = trace.events.correlation[i];
        if (id == 0) continue;
        if (calls[at].correlation != id) {
          const auto found = std::ranges::lower_bound(calls, id, {}, &Call::correlation);
          if (found == calls.end() || found->correlation != id) {
            ++out.unclaimed;
            continue;
          }
          at = static_cast<std::size_t>(found - calls.begin());
        }
        const Device& device = trace.devices[static_cast<std::size_t>(lane.device)];
        out.call[i] = call_for(trace, calls, at, device, trace.events.begin[i]);
      }
    }

    // Call → run.
    const std::vector<RunLane> lanes = run_lanes(trace, host);
    if (lanes.empty()) continue;
    std::map<std::size_t, std::vector<std::uint32_t>> calls_by_lane;
    for (const Call& call : calls) calls_by_lane[lane_of(trace, call.event)].push_back(call.event);
    const auto give = [&](const std::vector<std::uint32_t>& events, const RunLane& runs) {
      for (const std::uint32_t call : events) {
        run_of[call - trace.device_events] = run_around(trace, runs.runs, call);
      }
    };
    std::vector<CallLane> alone;
    for (const auto& [lane, events] : calls_by_lane) {
      const auto own = std::ranges::find(lanes, lane, &RunLane::lane);
      if (own != lanes.end()) {
        give(events, *own);
      } else if (trace.lanes[lane].count == events.size()) {
        // A lane with other events is a thread's only one, and the thread ran no program.
        alone.emplace_back(lane, &events);
      }
    }
    const std::vector<const RunLane*> runs = partners(trace, lanes, alone);
    for (std::size_t c = 0; c < alone.size(); ++c) {
      if (runs[c] != nullptr) give(*alone[c].second, *runs[c]);
    }
  }
  for (std::size_t i = 0; i < trace.device_events; ++i) {
    if (out.call[i] != kNoEvent) out.interval[i] = run_of[out.call[i] - trace.device_events];
  }
  return out;
}

}  // namespace jaxtrace
