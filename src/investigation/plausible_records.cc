// Whether all that ran can be in the capture.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "analysis/devices.h"
#include "analysis/times.h"
#include "investigation/investigated.h"
#include "investigation/plausible.h"
#include "investigation/tracer_limits.h"
#include "jaxtrace/report.h"
#include "skip/work_names.h"

namespace jaxtrace::check {
namespace {

std::string count_text(std::uint64_t count) {
  return for_people(static_cast<std::int64_t>(count), Unit::count);
}

std::string program_name(const Investigated& in, std::uint32_t row) {
  const AttributedProgram& program = in.attribution.programs[row];
  const std::string id = program_id_text(program);
  std::string name(in.trace.strings[program.module]);
  return id.empty() ? name : fmt::format("{}({})", name, id);
}

bool is_amd(const Investigated& in, HostId host) {
  return std::ranges::any_of(in.trace.devices, [&](const Device& device) {
    return device.host == host && is_amd(in.trace, device);
  });
}

/// By host event: whether it launched device work that is there.
std::vector<bool> calls_with_work(const Investigated& in) {
  std::vector<bool> used(in.trace.events.size() - in.trace.device_events, false);
  for (const std::uint32_t call : in.skip.works.launches.call) {
    if (call != kNoEvent) used[call - in.trace.device_events] = true;
  }
  return used;
}

/// Visits host events with correlation ids that launch, copy or fill: (event, lane, kind).
template <typename Visit>
void each_call(const Investigated& in, Visit visit) {
  std::vector<int> kinds(in.trace.strings.size(), -1);
  for (const Lane& lane : in.trace.lanes) {
    if (lane.kind != LaneKind::host) continue;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      if (in.trace.events.correlation[i] == 0) continue;
      int& kind = kinds[static_cast<std::size_t>(in.trace.events.name[i])];
      if (kind < 0) {
        kind = static_cast<int>(call_kind(in.trace.strings[in.trace.events.name[i]]));
      }
      const auto found = static_cast<LaunchKind>(kind);
      if (found != LaunchKind::nonlaunch) visit(i, lane, found);
    }
  }
}

}  // namespace

CheckResult sums(const Investigated& in) {
  const std::string id = "sums";
  if (in.skip.streams.empty()) return not_applicable(id, "no stream with events");
  const std::string expected = "on each stream compute, collectives, copies and idle make its span";
  std::size_t wrong = 0;
  for (const StreamStats& stream : in.skip.streams) {
    Picoseconds parts = stream.capture.idle;
    for (const Picoseconds part : stream.capture.exclusive) add_time(parts, part);
    wrong += parts == stream.capture.window.length() ? 0 : 1;
  }
  if (wrong == 0) {
    return passed(id, expected,
                  fmt::format("to the picosecond on {}",
                              plural(in.skip.streams.size(), "stream", "streams")));
  }
  return failed(CheckState::fatal, id, expected,
                fmt::format("not on {} of {} streams", wrong, in.skip.streams.size()),
                "every time budget", part_of(wrong, in.skip.streams.size(), "streams"));
}

CheckResult coverage(const Investigated& in, const std::vector<RunCoverage>& programs) {
  const std::string id = "coverage";
  std::uint64_t expected = 0, seen = 0;
  std::uint64_t open = 0;
  const RunCoverage* worst = nullptr;
  std::size_t lacking = 0;
  for (const RunCoverage& program : programs) {
    expected += program.expected;
    seen += program.seen;
    open += program.open;
    if (program.missing() == 0) continue;
    ++lacking;
    if (worst == nullptr || program.missing() > worst->missing()) worst = &program;
  }
  if (expected == 0) {
    return not_applicable(id, programs.empty()
                                  ? "no program with HLO ran under a host event"
                                  : "the HLO leaves open how many kernels a run launches");
  }
  const std::string wanted = "each run of a program launched the kernels of its schedule";
  if (worst == nullptr) {
    std::string all = fmt::format("all {} kernels that the HLO tells of", count_text(expected));
    if (open > 0) {
      all +=
          fmt::format("; it leaves open those of {}", plural(open, "instruction", "instructions"));
    }
    return passed(id, wanted, all);
  }
  const double missing = share(expected - seen, expected);
  std::string found =
      fmt::format("at least {} of kernels are missing: {} seen of {} in {} of {}", percent(missing),
                  count_text(worst->seen), count_text(worst->expected),
                  plural(worst->runs, "run", "runs"), program_name(in, worst->program));
  if (lacking > 1) {
    found += fmt::format("; {} more lack some", plural(lacking - 1, "program", "programs"));
  }
  if (missing < 0.01) return passed(id, wanted, found);
  constexpr double kHopeless = 0.20;
  return failed(missing >= kHopeless ? CheckState::fatal : CheckState::warn, id, wanted, found,
                missing >= kHopeless
                    ? "every total, share and comparison of GPUs: what is there is a sample"
                    : "totals, which are lower bounds, and idle time, which is an upper one",
                part_of(expected - seen, expected, "kernels that ran"));
}

CheckResult gpus(const Investigated& in) {
  const std::string id = "gpus";
  const std::size_t all = in.skip.timelines.size(), used = devices_with_events(in.skip.timelines);
  const std::string expected = "every GPU that is listed has events";
  if (used == 0) return not_applicable(id, "no device event");
  if (used == all) return passed(id, expected, plural(all, "GPU", "GPUs"));
  return failed(CheckState::warn, id, expected,
                fmt::format("{} of {} GPUs have no event", all - used, all),
                "anything about GPUs without events: idle or not recorded, the file does not say",
                part_of(all - used, all, "GPUs"));
}

CheckResult hlo_carried(const Investigated& in) {
  const std::string id = "hlo";
  std::vector<bool> without(in.attribution.programs.size(), false);
  std::set<std::uint32_t> ran;
  Cost cost;
  for (std::size_t l = 0; l < in.attribution.labels.size(); ++l) {
    const std::uint32_t program = in.attribution.labels[l].program;
    if (program == kNone || in.sums.label[l].kernels == 0) continue;
    ran.insert(program);
    if (in.attribution.programs[program].hlo) continue;
    without[program] = true;
    cost.add(in.sums.label[l]);
  }
  if (ran.empty()) return not_applicable(id, "no event says of which program it is");
  const std::string expected = "the capture carries the HLO of every program that ran";
  const auto lacking = static_cast<std::uint64_t>(std::ranges::count(without, true));
  if (lacking == 0) return passed(id, expected, plural(ran.size(), "program", "programs"));
  CheckPart part{static_cast<std::int64_t>(lacking), std::nullopt, "GPU time"};
  if (in.sums.all.total_ps > 0) {
    part.share = static_cast<double>(cost.total_ps) / static_cast<double>(in.sums.all.total_ps);
  }
  return failed(
      CheckState::warn, id, expected,
      fmt::format("the HLO of {} of {} is missing, with {} of GPU time", lacking,
                  plural(ran.size(), "program", "programs"), percent(part.share.value_or(0))),
      "lines, FLOPs and bytes of those programs, and instructions that the tracer did "
      "not name",
      part);
}

CheckResult empty_steps(const Investigated& in) {
  const std::string id = "empty-steps";
  const Steps& steps = in.skip.steps;
  if (steps.rule == StepRule::none) return not_applicable(id, "no steps");
  const std::string expected = "every step has work on every GPU with events";
  std::uint64_t none = 0, partly = 0;
  for (const Step& step : steps.steps) {
    if (step.fate == StepFate::no_work) {
      ++none;
      continue;
    }
    // A period is that of one GPU's kernels; the others keep their own pace.
    if (step.fate != StepFate::kept || steps.rule == StepRule::period) continue;
    for (std::size_t d = 0; d < in.skip.timelines.size(); ++d) {
      if (in.skip.timelines[d].events == 0) continue;
      if (d < step.devices.size() && step.devices[d].events > 0) continue;
      ++partly;
      break;
    }
  }
  if (none + partly == 0) return passed(id, expected, plural(steps.steps.size(), "step", "steps"));
  std::string found;
  if (none > 0) {
    found = fmt::format("no device work in {} of {}", none,
                        plural(steps.steps.size(), "step", "steps"));
  }
  if (partly > 0) {
    found += fmt::format("{} on some GPU in {} of {}", found.empty() ? "no device work" : "; none",
                         partly, plural(steps.steps.size(), "step", "steps"));
  }
  return failed(CheckState::warn, id, expected, found,
                "medians over steps: those without work are left out",
                part_of(none + partly, steps.steps.size(), "steps"));
}

CheckResult edges(const Investigated& in) {
  const std::string id = "edges";
  if (in.skip.works.calls == 0) return not_applicable(id, "no host launches");
  const Trace& trace = in.trace;
  std::uint64_t early = 0;
  for (const DeviceTimeline& timeline : in.skip.timelines) {
    Picoseconds joined = Picoseconds::max();
    std::vector<Picoseconds> unjoined;
    for (const std::size_t l : timeline.lanes) {
      const Lane& lane = trace.lanes[l];
      for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
        if (in.skip.works.damaged[i]) continue;
        if (in.skip.works.join[i] == Join::none) {
          unjoined.push_back(trace.events.begin[i]);
        } else {
          joined = std::min(joined, trace.events.begin[i]);
        }
      }
    }
    if (joined == Picoseconds::max()) continue;
    early += static_cast<std::uint64_t>(
        std::ranges::count_if(unjoined, [&](Picoseconds begin) { return begin < joined; }));
  }
  const std::vector<bool> used = calls_with_work(in);
  std::vector<Picoseconds> last(trace.hosts.size(), Picoseconds::max());
  each_call(in, [&](std::size_t call, const Lane& lane, LaunchKind) {
    if (!used[call - trace.device_events]) return;
    Picoseconds& at = last[static_cast<std::size_t>(lane.host)];
    at = at == Picoseconds::max() ? trace.events.begin[call]
                                  : std::max(at, trace.events.begin[call]);
  });
  std::uint64_t late = 0;
  each_call(in, [&](std::size_t call, const Lane& lane, LaunchKind) {
    late += trace.events.begin[call] > last[static_cast<std::size_t>(lane.host)] ? 1 : 0;
  });
  const std::string expected = "the session cuts no work at its begin or end";
  if (early + late == 0) return passed(id, expected, "it does not");
  std::string found;
  if (early > 0) {
    found = fmt::format("{} at the begin {} launched before it", plural(early, "event", "events"),
                        early == 1 ? "was" : "were");
  }
  if (late > 0) {
    found += fmt::format("{}{} at the end {} no work", found.empty() ? "" : "; ",
                         plural(late, "launch", "launches"), late == 1 ? "has" : "have");
  }
  return failed(CheckState::warn, id, expected, found,
                "the first and the last step, which are not whole",
                part_of(early + late, in.trace.device_events + late,
                        "device events and launches without any"));
}

CheckResult limits(const Investigated& in) {
  const std::string id = "buffer-limits";
  std::vector<std::string> reached;
  std::uint64_t largest = 0;
  for (std::size_t h = 0; h < in.trace.hosts.size(); ++h) {
    const auto host = static_cast<HostId>(h);
    std::uint64_t events = 0, calls = 0;
    for (const Lane& lane : in.trace.lanes) {
      if (lane.host != host) continue;
      if (lane.kind == LaneKind::stream) events += lane.count;
      for (std::size_t i = lane.first; lane.kind == LaneKind::host && i < lane.first + lane.count;
           ++i) {
        calls += in.trace.events.correlation[i] != 0 ? 1 : 0;
      }
    }
    const auto add = [&](Recorded what, std::uint64_t count, std::string_view noun) {
      if (const auto limit = limit_reached(what, count, is_amd(in, host))) {
        reached.push_back(
            fmt::format("{} {}, where {} is a limit", count_text(count), noun, count_text(*limit)));
        largest = std::max(largest, count);
      }
    };
    add(Recorded::device_events, events, "device events");
    add(Recorded::calls, calls, "driver calls");
  }
  for (const std::uint64_t count : annotations_of_devices(in.trace)) {
    if (!limit_reached(Recorded::annotations, count, false)) continue;
    reached.push_back(
        fmt::format("{} annotations of a GPU, where 1,048,576 is the limit", count_text(count)));
    largest = std::max(largest, count);
  }
  const std::string expected = "no count stands at a limit of the tracer";
  if (reached.empty()) return passed(id, expected, "none does");
  return failed(CheckState::warn, id, expected, fmt::format("{}", fmt::join(reached, "; ")),
                "the end of the capture: what came later was dropped without a word",
                CheckPart{static_cast<std::int64_t>(largest), std::nullopt, ""});
}

CheckResult copies(const Investigated& in, const std::vector<RunCoverage>& programs) {
  const std::string id = "copies";
  const std::vector<bool> used = calls_with_work(in);
  std::uint64_t asked = 0, seen = 0;
  each_call(in, [&](std::size_t call, const Lane&, LaunchKind kind) {
    if (kind != LaunchKind::memcpy && kind != LaunchKind::memset) return;
    ++asked;
    seen += used[call - in.trace.device_events] ? 1 : 0;
  });
  std::string source = "copy calls of the host have a device event";
  if (asked == 0) {
    // Some tracers record neither the call nor the work: then the schedule has to tell.
    for (const RunCoverage& program : programs) {
      asked += program.copies;
      seen += program.copies_seen;
    }
    source = "copies in the programs' schedules have a device event";
  }
  if (asked == 0) return not_applicable(id, "nothing says that there were copies");
  const std::string expected = "every copy that was asked for was recorded";
  const std::string found = fmt::format("{} of {} {}", count_text(seen), count_text(asked), source);
  if (share(asked - seen, asked) <= 0.01) return passed(id, expected, found);
  return failed(CheckState::warn, id, expected, found,
                "time in copies, a lower bound, and idle time, which may hide copies",
                part_of(asked - seen, asked, "copies"));
}

}  // namespace jaxtrace::check
