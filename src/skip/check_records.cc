// Whether what happened was recorded, and joins.
#include "skip/check_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "analysis/times.h"

namespace jaxtrace::check {

CheckResult complete(const CheckInput& in) {
  const std::string id = "complete";
  const std::string expected = "the capture is whole";
  std::vector<std::string> wrong;
  bool cut_json = false;
  for (const Finding& finding : in.trace.findings) {
    if (finding.severity == Severity::note) continue;
    cut_json = cut_json || finding.code == "json-event-limit";
    if (std::ranges::find(wrong, finding.code) == wrong.end()) wrong.push_back(finding.code);
  }
  if (wrong.empty()) return passed(id, expected, "nothing is known to be missing");
  return failed(cut_json ? CheckState::fatal : CheckState::warn, id, expected,
                fmt::format("{}", fmt::join(wrong, ", ")),
                cut_json ? "everything after the last event kept: use the xplane.pb of the run"
                         : "totals, which are lower bounds: the warnings say what is missing");
}

CheckResult json_agrees(const CheckInput& in) {
  const std::string id = "json";
  if (!in.json_problem.empty()) return not_applicable(id, in.json_problem);
  if (in.json == nullptr) return not_applicable(id, "no trace.json of the same run beside it");
  const std::string expected = "trace.json has the device events of the xplane";
  std::vector<std::string> wrong;
  for (std::size_t d = 0; d < in.timelines.size(); ++d) {
    const std::string plane = plane_of(in, d);
    Picoseconds time{0};
    for (const std::size_t l : in.timelines[d].lanes) {
      const Lane& lane = in.trace.lanes[l];
      for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
        add_time(time, in.trace.events.duration[i]);
      }
    }
    const auto at = std::ranges::find(*in.json, plane, &JsonTotals::plane);
    const std::uint64_t events = at == in.json->end() ? 0 : at->events;
    const Picoseconds there = at == in.json->end() ? Picoseconds{0} : at->time;
    const Picoseconds off = std::chrono::abs(there - time);
    // Rounding: microseconds as doubles, 1 ps for what has no length.
    if (events != in.timelines[d].events || off > in.timelines[d].events * Picoseconds{1'000'000}) {
      wrong.push_back(fmt::format("{}: {} events in the JSON, {} in the xplane", plane, events,
                                  in.timelines[d].events));
    }
  }
  if (wrong.empty()) return passed(id, expected, "equal counts and times");
  return failed(CheckState::warn, id, expected, fmt::format("{}", fmt::join(wrong, "; ")),
                "numbers that other tools take from the JSON; here the xplane was used",
                part_of(wrong.size(), in.timelines.size(), "GPUs"));
}

CheckResult recorded(const CheckInput& in) {
  const std::string id = "recorded";
  const std::string expected = "device work was recorded on every GPU that was launched on";
  std::uint64_t events = 0;
  for (const DeviceTimeline& timeline : in.timelines) events += timeline.events;
  if (events == 0) {
    return failed(CheckState::fatal, id, expected, "no device event at all",
                  "everything: nothing was recorded, which is not the same as an idle GPU");
  }
  // Threads that ran programs, and devices that have work: one thread runs one device's program.
  std::set<std::string_view> silent;
  std::set<std::size_t> used;
  for (std::size_t i = 0; i < in.trace.device_events; ++i) {
    if (in.works.launches.interval[i] != kNoEvent) used.insert(in.works.thread[i]);
  }
  std::size_t silent_threads = 0;
  std::uint64_t silent_runs = 0, runs = 0;
  for (std::size_t l = 0; l < in.trace.lanes.size(); ++l) {
    const Lane& lane = in.trace.lanes[l];
    if (lane.kind != LaneKind::host) continue;
    std::uint64_t here = 0;
    std::unordered_map<StringId, bool> is_run;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      const StringId name = in.trace.events.name[i];
      const auto [at, added] = is_run.try_emplace(name, false);
      if (added) at->second = !module_of_interval(in.trace.strings[name]).empty();
      here += at->second ? 1 : 0;
    }
    runs += here;
    if (here > 0 && !used.contains(l)) {
      ++silent_threads;
      silent_runs += here;
    }
  }
  if (silent_runs > 0 && !used.empty()) {
    return failed(
        CheckState::fatal, id, expected,
        fmt::format("{} of {} runs of programs, on {}, launched nothing that was recorded",
                    silent_runs, runs, plural(silent_threads, "thread", "threads")),
        "any claim about more than one GPU, and every total: kernels are missing",
        part_of(silent_runs, runs, "program runs"));
  }
  return passed(id, expected, plural(events, "device event", "device events"));
}

CheckResult join(const CheckInput& in, const LatencyStats& all) {
  const std::string id = "join";
  const std::string expected = "every device event has one host launch";
  if (all.events == 0) return not_applicable(id, "no device event");
  if (in.works.calls == 0) {
    return failed(CheckState::fatal, id, expected, "the capture has no host launches",
                  "what the host did: only the device's own numbers hold",
                  part_of(all.events, all.events, "device events"));
  }
  std::map<Join, std::uint64_t> count;
  for (const Join join : in.works.join) ++count[join];
  const double strong = share(count[Join::strong], all.events);
  std::string found =
      fmt::format("{} of {} ({})", count[Join::strong], all.events, percent(strong));
  if (count[Join::weak] > 0) found += fmt::format(", {} by a wait or callback", count[Join::weak]);
  if (count[Join::ambiguous] > 0) found += fmt::format(", {} ambiguous", count[Join::ambiguous]);
  if (count[Join::none] > 0) found += fmt::format(", {} by none", count[Join::none]);
  if (strong >= 0.99) return passed(id, expected, found);
  const CheckState state = strong < 0.80 ? CheckState::fatal : CheckState::warn;
  return failed(state, id, expected, found,
                strong < 0.80   ? "any verdict about the host; the time budget holds"
                : strong < 0.95 ? "TKLQT and the division of idle time"
                                : "TKLQT, a little: those events are left out of it",
                part_of(all.events - count[Join::strong], all.events, "device events"));
}

CheckResult launches_have_work(const CheckInput& in) {
  const std::string id = "launches";
  const std::string expected = "at most 1 % of host launches have no device event";
  if (in.works.calls == 0) return not_applicable(id, "no host launches");
  const double lost = share(in.works.calls_without_work, in.works.calls);
  const std::string found = fmt::format("{} of {} calls ({})", in.works.calls_without_work,
                                        in.works.calls, percent(lost));
  if (lost <= 0.01) return passed(id, expected, found);
  return failed(CheckState::warn, id, expected, found,
                "busy time is a lower bound and idle time an upper one: records may be lost",
                part_of(in.works.calls_without_work, in.works.calls, "host launches"));
}

CheckResult graph_fan_out(const CheckInput& in) {
  const std::string id = "graph-fan-out";
  std::uint64_t launches = 0, events = 0;
  bool hip = false;
  for (std::size_t i = 0; i < in.trace.device_events; ++i) {
    if (in.works.launch_kind[i] != LaunchKind::graph) continue;
    ++events;
    launches += in.works.graph_index[i] == 0 ? 1 : 0;
    const std::string_view call = in.trace.strings[in.trace.events.name[in.works.launches.call[i]]];
    hip = hip || call.starts_with("hip");
  }
  if (launches == 0) return not_applicable(id, "no graph launches");
  const std::string expected = "graph launches have more than one kernel";
  const std::string found = fmt::format("{} with {}", plural(launches, "launch", "launches"),
                                        plural(events, "event", "events"));
  constexpr std::uint64_t kEnough = 5;
  if (launches >= kEnough && events == launches) {
    return failed(
        hip ? CheckState::fatal : CheckState::warn, id, expected, found + ": one each",
        hip ? "all compute and idle times: older ROCm tracers keep only the first kernel of "
              "a graph; record again with --xla_gpu_enable_command_buffer= (empty)"
            : "times inside graphs: each may stand for a whole graph",
        part_of(launches, launches, "graph launches"));
  }
  return passed(id, expected, found);
}

CheckResult timing(const CheckInput& in) {
  const std::string id = "timing";
  const std::string expected = "no impossible times";
  const auto count = static_cast<std::uint64_t>(std::ranges::count(in.works.damaged, true));
  if (count == 0) return passed(id, expected, "none");
  const double part = share(count, in.trace.device_events);
  return failed(part > 0.001 ? CheckState::fatal : CheckState::warn, id, expected,
                fmt::format("{} of {} device events ({}) end before they begin, outlast the "
                            "session or have no times",
                            count, in.trace.device_events, percent(part)),
                "their time, which is in no sum",
                part_of(count, in.trace.device_events, "device events"));
}

}  // namespace jaxtrace::check
