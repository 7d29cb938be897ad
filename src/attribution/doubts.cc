// Doubts that are no losses: times, ids and names that contradict each other, and what profiling
// itself has changed.
#include "attribution/doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "analysis/damage.h"
#include "analysis/devices.h"
#include "jaxtrace/report.h"

namespace jaxtrace {
namespace {

std::string count_text(std::uint64_t count) {
  return for_people(static_cast<std::int64_t>(count), Unit::count);
}

std::string time_text(Picoseconds time) {
  return for_people(time.count(), Unit::time);
}

std::string device_name(const Trace& trace, DeviceId id) {
  const Device& device = trace.devices[static_cast<std::size_t>(id)];
  const std::string host = host_name(trace, device.host);
  return host + (host.empty() ? "" : " ") + fmt::format("GPU:{}", device.ordinal);
}

void find_corrupt_times(const Trace& trace, const Attribution& attribution,
                        std::vector<Finding>& findings) {
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    std::uint64_t corrupt = 0;
    std::size_t example = 0;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      if (attribution.labels[attribution.label[i]].rule != Rule::damaged) continue;
      if (corrupt++ == 0) example = i;
    }
    if (corrupt == 0) continue;
    findings.push_back(
        {Severity::error, "corrupt-timing",
         fmt::format("{} cannot have lasted as long as the file says (such as {}, for {} "
                     "ps): they have rows in kernels.csv, but are in no total",
                     part_of(corrupt, lane.count, "events"),
                     trace.strings[trace.events.name[example]],
                     trace.events.duration[example].count()),
         device_name(trace, lane.device) + ' ' + std::string(trace.strings[lane.name])});
  }
}

/// Work that a stream claims to do while it is doing other work.  Graphs do several things at once.
void find_nested(const Trace& trace, const Attribution& attribution,
                 std::vector<Finding>& findings) {
  const Events& e = trace.events;
  const std::vector<bool> damaged = find_damage(trace);
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    std::uint64_t nested = 0;
    Picoseconds time{0};
    std::size_t outer = trace.device_events, example = outer;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      if (damaged[i] || attribution.in_graph[i] || e.duration[i].count() == 0) continue;
      const Picoseconds end = e.begin[i] + e.duration[i];
      if (outer == trace.device_events || end > e.begin[outer] + e.duration[outer]) {
        outer = i;
      } else if (e.begin[i] > e.begin[outer] && end < e.begin[outer] + e.duration[outer]) {
        if (nested++ == 0) example = outer;
        time += e.duration[i];
      }
    }
    if (nested == 0) continue;
    const Device& device = trace.devices[static_cast<std::size_t>(lane.device)];
    // What ROCm calls a stream is a hardware queue, which may run kernels side by side.
    const bool amd = is_amd(trace, device);
    findings.push_back(
        {amd ? Severity::note : Severity::error, "nested-work",
         fmt::format("{}, {} in all, ran wholly inside another of their stream, such as {}, which "
                     "lasted {}: {}",
                     part_of(nested, lane.count, "events"), time_text(time),
                     trace.strings[e.name[example]], time_text(e.duration[example]),
                     amd ? "their time counts twice" : "times of one of the two are wrong"),
         device_name(trace, lane.device) + ' ' + std::string(trace.strings[lane.name])});
  }
}

/// One finding a host: how many, and how far each device is off at least.
void find_clock_skew(const Trace& trace, const Launches& launches, std::vector<Finding>& findings) {
  struct Skew {
    std::uint64_t early = 0, all = 0;
    std::map<DeviceId, Picoseconds> most{};
  };
  std::map<HostId, Skew> skews;
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    Skew& skew = skews[lane.host];
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      if (launches.call[i] == kNoEvent) continue;
      ++skew.all;
      const Picoseconds ahead = trace.events.begin[launches.call[i]] - trace.events.begin[i];
      if (ahead.count() <= 0) continue;
      ++skew.early;
      Picoseconds& most = skew.most[lane.device];
      most = std::max(most, ahead);
    }
  }
  for (const auto& [host, skew] : skews) {
    if (skew.early == 0) continue;
    std::string devices;
    for (const auto& [device, most] : skew.most) {
      devices += devices.empty() ? "" : ", ";
      devices += fmt::format("{} on GPU:{}", time_text(most),
                             trace.devices[static_cast<std::size_t>(device)].ordinal);
    }
    findings.push_back(
        {Severity::note, "clock-skew",
         fmt::format("{} began before the call that launched them: device and host have "
                     "clocks that differ by at least {}",
                     part_of(skew.early, skew.all, "events"), devices),
         host_name(trace, host)});
  }
}

/// Calls that launched something, by id: those of one id beside each other.
void find_reused_ids(const Trace& trace, const Launches& launches, std::vector<Finding>& findings) {
  std::vector<bool> launched(trace.events.size() - trace.device_events, false);
  for (const std::uint32_t call : launches.call) {
    if (call != kNoEvent) launched[call - trace.device_events] = true;
  }
  for (std::size_t h = 0; h < trace.hosts.size(); ++h) {
    std::vector<std::uint64_t> ids;
    for (const Lane& lane : trace.lanes) {
      if (lane.kind != LaneKind::host || lane.host != static_cast<HostId>(h)) continue;
      for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
        if (launched[i - trace.device_events]) ids.push_back(trace.events.correlation[i]);
      }
    }
    std::ranges::sort(ids);
    std::uint64_t reused = 0;
    for (std::size_t i = 1; i < ids.size(); ++i) {
      reused += ids[i] == ids[i - 1] && (i == 1 || ids[i - 2] != ids[i]);
    }
    if (reused == 0) continue;
    findings.push_back({Severity::note, "correlation-id-reused",
                        fmt::format("{} correlation ids were used by several calls; each event was "
                                    "given to the latest call before it",
                                    count_text(reused)),
                        host_name(trace, static_cast<HostId>(h))});
  }
}

/// Kernels with names that XLA gives, but that the program of the capture does not predict.
void find_unpredicted(const Trace& trace, const Attribution& attribution,
                      std::vector<Finding>& findings) {
  struct Names {
    std::uint64_t all = 0, unpredicted = 0;
    std::uint32_t example = 0;
  };
  std::map<std::uint32_t, Names> programs;
  enum class Fusion : std::uint8_t { unasked, no, yes };
  std::vector<Fusion> fusion(trace.strings.size(), Fusion::unasked);
  for (std::uint32_t i = 0; i < trace.device_events; ++i) {
    const Label& label = attribution.labels[attribution.label[i]];
    if (label.program == kNone || !attribution.programs[label.program].hlo) continue;
    Fusion& is_fusion = fusion[static_cast<std::size_t>(trace.events.name[i])];
    if (is_fusion == Fusion::unasked) {
      const std::string_view name = trace.strings[trace.events.name[i]];
      is_fusion = name.find("fusion") == std::string_view::npos ? Fusion::no : Fusion::yes;
    }
    if (is_fusion == Fusion::no) continue;
    Names& names = programs[label.program];
    ++names.all;
    if (label.rule == Rule::no_candidate && names.unpredicted++ == 0) names.example = i;
  }
  for (const auto& [row, names] : programs) {
    if (names.unpredicted == 0) continue;
    const AttributedProgram& program = attribution.programs[row];
    findings.push_back({Severity::error, "hlo-does-not-fit",
                        fmt::format("{} are none of the program's, such as {}: the HLO in the "
                                    "capture may not be what ran",
                                    part_of(names.unpredicted, names.all, "fusion kernels"),
                                    trace.strings[trace.events.name[names.example]]),
                        fmt::format("{}({})", trace.strings[program.module], program.program_id)});
  }
}

void find_renumbered(const Trace& trace, const Attribution& attribution,
                     std::vector<Finding>& findings) {
  std::map<std::pair<std::int64_t, std::uint32_t>, std::uint64_t> renumbered;
  for (std::size_t i = 0; i < trace.device_events; ++i) {
    const Label& label = attribution.labels[attribution.label[i]];
    if (label.program == kNone) continue;
    const auto said =
        trace.annotations[static_cast<std::size_t>(trace.events.annotation[i])].program_id;
    if (said != kNoProgram && said != attribution.programs[label.program].program_id) {
      ++renumbered[{said, label.program}];
    }
  }
  for (const auto& [key, count] : renumbered) {
    const AttributedProgram& program = attribution.programs[key.second];
    const std::string_view module = trace.strings[program.module];
    findings.push_back(
        {Severity::note, "program-renumbered",
         fmt::format("{} events say program {}; by their module name they were given "
                     "to {}({}), the only one that the capture carries",
                     count_text(count), key.first, module, program.program_id),
         host_name(trace, program.host)});
  }
}

void find_effects_of_profiling(const Trace& trace, std::vector<Finding>& findings) {
  bool python = false, disabled = false;
  std::vector<bool> seen(trace.strings.size(), false);
  for (std::size_t i = trace.device_events; i < trace.events.size(); ++i) {
    const auto id = static_cast<std::size_t>(trace.events.name[i]);
    if (seen[id]) continue;
    seen[id] = true;
    const std::string_view name = trace.strings[trace.events.name[i]];
    python = python || name.starts_with('$');
    disabled = disabled || (name.starts_with("WARNING") &&
                            name.find("CommandBuffer disabled") != std::string_view::npos);
  }
  if (disabled) {
    findings.push_back({Severity::note, "command-buffers-disabled",
                        "XLA ran its command buffers kernel by kernel because it was profiled: "
                        "without a profiler, launches take less time",
                        ""});
  }
  if (python) {
    findings.push_back({Severity::note, "python-tracer",
                        "the Python tracer was on and slowed the host: gaps between kernels may "
                        "come from it",
                        ""});
  }
}

}  // namespace

std::string part_of(std::uint64_t part, std::uint64_t whole, std::string_view noun) {
  const double share = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("{} of {} {} ({})", count_text(part), count_text(whole), noun,
                     for_people(share, Unit::ratio));
}

std::string host_name(const Trace& trace, HostId host) {
  if (trace.hosts.size() == 1) return {};
  return std::string(trace.strings[trace.hosts[static_cast<std::size_t>(host)].name]);
}

std::vector<Finding> find_doubts(const Trace& trace, const Attribution& attribution,
                                 const Launches& launches) {
  std::vector<Finding> findings;
  find_losses(trace, attribution, launches, findings);
  find_corrupt_times(trace, attribution, findings);
  find_nested(trace, attribution, findings);
  find_unpredicted(trace, attribution, findings);
  find_renumbered(trace, attribution, findings);
  find_reused_ids(trace, launches, findings);
  find_clock_skew(trace, launches, findings);
  find_effects_of_profiling(trace, findings);
  return findings;
}

}  // namespace jaxtrace
