// Losses show in two ways: host calls and program runs whose device work is not there, and counts
// that stand at a limit of the tracer.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "analysis/devices.h"
#include "attribution/doubts.h"
#include "hlo/schedule.h"
#include "jaxtrace/report.h"

namespace jaxtrace {
namespace {

// Defaults of xla/backends/profiler/gpu: cupti_collector.h (activity events; annotation strings),
// rocm_collector.h and xla_gpu_rocm_max_trace_events (events of one kind, formerly half as many).
constexpr std::size_t kCudaEvents = 2'097'152;
constexpr std::size_t kRocmEvents[] = {2'097'152, 4'194'304};
constexpr std::size_t kAnnotations = 1'048'576;

/// What was seen of the device work of each host event.
struct Seen {
  std::vector<std::uint8_t> work;  ///< By host event: device events it launched, up to 2.
  std::vector<bool> run_has_work;  ///< By host event that is a program run.
  std::vector<bool> graph_on_amd;  ///< By host event: its work ran on an AMD GPU.

  /// By host: how often a call has work on one more device.  CUPTI gives kernels of collectives in
  /// graphs the launch of another GPU, whose own launch then seems to have no work.
  std::vector<std::uint64_t> astray;
};

bool is_amd(const Trace& trace, const Lane& lane) {
  return is_amd(trace, trace.devices[static_cast<std::size_t>(lane.device)]);
}

Seen look(const Trace& trace, const Launches& launches) {
  const std::size_t host_events = trace.events.size() - trace.device_events;
  Seen seen{std::vector<std::uint8_t>(host_events, 0), std::vector<bool>(host_events, false),
            std::vector<bool>(host_events, false),
            std::vector<std::uint64_t>(trace.hosts.size(), 0)};
  std::vector<DeviceId> device_of(host_events, DeviceId::none);
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    const bool amd = is_amd(trace, lane);
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      if (launches.call[i] == kNoEvent) continue;
      const std::size_t call = launches.call[i] - trace.device_events;
      seen.work[call] = static_cast<std::uint8_t>(std::min(seen.work[call] + 1, 2));
      seen.graph_on_amd[call] = amd;
      // Lanes of one device stand together, so that each device is counted once.
      if (device_of[call] != DeviceId::none && device_of[call] != lane.device) {
        ++seen.astray[static_cast<std::size_t>(lane.host)];
      }
      device_of[call] = lane.device;
      if (launches.interval[i] != kNoEvent) {
        seen.run_has_work[launches.interval[i] - trace.device_events] = true;
      }
    }
  }
  return seen;
}

/// By string: the name of a call that always causes device work.  CUDA files name a launch after
/// its kernel.
std::vector<bool> launching_names(const Trace& trace, const Attribution& attribution) {
  std::vector<bool> launching(trace.strings.size(), false);
  for (std::size_t i = 0; i < trace.device_events; ++i) {
    if (attribution.kind[i] == Kind::kernel || attribution.kind[i] == Kind::collective) {
      launching[static_cast<std::size_t>(trace.events.name[i])] = true;
    }
  }
  std::vector<bool> looked = launching;
  for (std::size_t i = trace.device_events; i < trace.events.size(); ++i) {
    const auto id = static_cast<std::size_t>(trace.events.name[i]);
    if (looked[id]) continue;
    looked[id] = true;
    const std::string_view name = trace.strings[trace.events.name[i]];
    launching[id] = name.find("LaunchKernel") != std::string_view::npos || is_graph_launch(name);
  }
  return launching;
}

void find_lost_launches(const Trace& trace, const std::vector<bool>& launching, const Seen& seen,
                        HostId host, std::vector<Finding>& findings) {
  std::uint64_t calls = 0, lost = 0, graphs = 0, single = 0;
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::host || lane.host != host) continue;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      const StringId name = trace.events.name[i];
      if (trace.events.correlation[i] == 0 || !launching[static_cast<std::size_t>(name)]) continue;
      const std::size_t call = i - trace.device_events;
      ++calls;
      lost += seen.work[call] == 0;
      if (seen.work[call] == 0 || !is_graph_launch(trace.strings[name])) continue;
      ++graphs;
      single += seen.work[call] == 1 && seen.graph_on_amd[call];
    }
  }
  if (lost > 0 && lost <= seen.astray[static_cast<std::size_t>(host)]) {
    findings.push_back({Severity::note, "launches-of-another-gpu",
                        fmt::format("{} have no work of their own: it bears the launch of another "
                                    "GPU, as kernels of collectives in graphs do",
                                    part_of(lost, calls, "launches on the host")),
                        host_name(trace, host)});
  } else if (lost > 0) {
    findings.push_back({Severity::data_loss, "launches-without-work",
                        fmt::format("{} have no work on a device: it was not recorded",
                                    part_of(lost, calls, "launches on the host")),
                        host_name(trace, host)});
  }
  if (single > 0) {
    findings.push_back(
        {Severity::data_loss, "graph-with-one-kernel",
         fmt::format("{} show one kernel only, as with HIP tracers that lose all but "
                     "the first of a graph",
                     part_of(single, graphs, "graph launches")),
         host_name(trace, host)});
  }
}

/// Whether the HLO of the only program called `name` has work to launch; a run of such a program
/// cannot be empty.
bool has_work(const Trace& trace, HostId host, std::string_view name) {
  const Module* found = nullptr;
  for (const Module& module : trace.modules) {
    if (module.host != host || trace.strings[module.name] != name) continue;
    if (found != nullptr) return false;
    found = &module;
  }
  if (found == nullptr || found->hlo_proto.empty()) return false;
  const auto program = hlo::parse_program(found->hlo_proto);
  if (!program) return false;
  return !std::ranges::all_of(hlo::build_schedule(*program).slots, &hlo::Slot::optional);
}

void find_empty_runs(const Trace& trace, const Launches& launches, const Seen& seen, HostId host,
                     std::vector<Finding>& findings) {
  struct Runs {
    std::uint64_t all = 0, full = 0;
  };
  std::map<std::string_view, Runs> runs;
  std::uint64_t joined = 0, apart = 0;  // Device events of programs, in a run or in none.
  for (const Lane& lane : trace.lanes) {
    if (lane.host != host) continue;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      if (lane.kind == LaneKind::stream) {
        const auto annotation = static_cast<std::size_t>(trace.events.annotation[i]);
        if (trace.annotations[annotation].hlo_module == StringId::empty) continue;
        ++(launches.interval[i] == kNoEvent ? apart : joined);
        continue;
      }
      const std::string_view module = module_of_interval(trace.strings[trace.events.name[i]]);
      if (module.empty()) continue;
      ++runs[module].all;
      runs[module].full += seen.run_has_work[i - trace.device_events];
    }
  }
  if (apart > joined) return;  // The join fails, so nothing can be said of runs.
  std::uint64_t all = 0, empty = 0;
  for (const auto& [module, of] : runs) {
    if (of.full == 0 && !has_work(trace, host, module)) continue;
    all += of.all;
    empty += of.all - of.full;
  }
  if (empty == 0) return;
  const std::string most = empty * 2 > all ? "most kernels are missing" : "kernels are missing";
  findings.push_back(
      {Severity::data_loss, "runs-without-kernels",
       fmt::format("{} have no kernel: {}", part_of(empty, all, "program runs"), most),
       host_name(trace, host)});
}

void find_limits(const Trace& trace, const std::vector<std::uint64_t>& annotations, HostId host,
                 std::vector<Finding>& findings) {
  std::uint64_t events = 0, silent = 0, full = 0, devices = 0;
  bool amd = false;
  std::vector<bool> used(trace.devices.size(), false);
  for (const Lane& lane : trace.lanes) {
    if (lane.host != host || lane.kind != LaneKind::stream) continue;
    events += lane.count;
    amd = amd || is_amd(trace, lane);
    if (lane.count > 0) used[static_cast<std::size_t>(lane.device)] = true;
  }
  const auto at = [&](std::size_t limit) {  // Some records of the tracer's never reach the file.
    return events >= limit - limit / 50 && events <= limit + limit / 50;
  };
  if (amd ? std::ranges::any_of(kRocmEvents, at) : at(kCudaEvents)) {
    findings.push_back({Severity::data_loss, "at-event-limit",
                        fmt::format("the {} device events stand at the tracer's limit: later ones "
                                    "were dropped",
                                    for_people(static_cast<std::int64_t>(events), Unit::count)),
                        host_name(trace, host)});
  }
  for (std::size_t d = 0; d < trace.devices.size(); ++d) {
    if (trace.devices[d].host != host) continue;
    ++devices;
    silent += !used[d];
    full += annotations[d] >= kAnnotations;
  }
  if (full > 0) {
    findings.push_back({Severity::data_loss, "at-annotation-limit",
                        fmt::format("{} have the 1,048,576 annotations that the tracer keeps of "
                                    "one: later kernels lack theirs",
                                    part_of(full, devices, "GPUs")),
                        host_name(trace, host)});
  }
  if (silent > 0 && silent < devices) {
    findings.push_back({Severity::note, "gpus-without-events",
                        fmt::format("{} have no event: they were idle, or not recorded",
                                    part_of(silent, devices, "GPUs")),
                        host_name(trace, host)});
  }
}

}  // namespace

void find_losses(const Trace& trace, const Attribution& attribution, const Launches& launches,
                 std::vector<Finding>& findings) {
  const Seen seen = look(trace, launches);
  const std::vector<bool> launching = launching_names(trace, attribution);
  const std::vector<std::uint64_t> annotations = annotations_of_devices(trace);
  for (std::size_t h = 0; h < trace.hosts.size(); ++h) {
    const auto host = static_cast<HostId>(h);
    find_empty_runs(trace, launches, seen, host, findings);
    find_lost_launches(trace, launching, seen, host, findings);
    find_limits(trace, annotations, host, findings);
  }
  const auto whole = static_cast<std::uint64_t>(std::ranges::count(attribution.kind, Kind::graph));
  if (whole > 0) {
    findings.push_back({Severity::data_loss, "whole-graphs",
                        fmt::format("{} stand for a whole graph each: the capture "
                                    "was made without recording the kernels of graphs",
                                    part_of(whole, trace.device_events, "device events")),
                        ""});
  }
}

}  // namespace jaxtrace
