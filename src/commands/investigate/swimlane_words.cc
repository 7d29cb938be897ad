// Sentences are plain text: who draws or prints them escapes them.
#include "commands/investigate/swimlane_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/kernel_family.h"
#include "analysis/times.h"
#include "commands/investigate/swimlane_builder.h"
#include "commands/skip_stats/tables.h"
#include "report/text.h"

namespace jaxtrace {
namespace {

std::string thread_name(const Trace& trace, std::uint32_t lane) {
  return std::string(trace.strings[trace.lanes[lane].name]);
}

/// Names of kernels can be very long.
std::string short_name(std::string_view name) {
  constexpr std::size_t kMost = 60;
  return shortened(one_line(name), kMost);
}

std::string in_words(PathKind kind) {
  switch (kind) {
    case PathKind::transfer:
      return "collectives from the last arrival on";
    case PathKind::collective:
      return "collectives, waiting included";
    case PathKind::copy:
      return "copies";
    case PathKind::host_late:
      return "host late";
    case PathKind::launch_path:
      return "launch path";
    case PathKind::graph_internal:
      return "gaps inside graphs";
    case PathKind::queued_short:
      return "dispatch gaps";
    case PathKind::queued_long:
      return "queued behind something not recorded";
    case PathKind::unknown:
      return "unknown";
    case PathKind::compute:
      break;
  }
  return "compute";
}

/// "compute 61.2 %, copies 20.1 %"
std::string parts_of(const CriticalPath& path) {
  std::vector<std::pair<Picoseconds, PathKind>> parts;
  for (std::size_t k = 0; k < kPathKinds; ++k) {
    if (path.time[k] > Picoseconds{0}) parts.emplace_back(-path.time[k], static_cast<PathKind>(k));
  }
  std::ranges::sort(parts);
  std::string out;
  for (const auto& [time, kind] : parts) {
    out += (out.empty() ? "" : ", ") + in_words(kind) + ' ' +
           share_text(-time.count(), path.window.length().count());
  }
  return out;
}

std::string gpus_of(const Trace& trace, const SkipStats& stats, const CriticalPath& path) {
  std::vector<std::pair<Picoseconds, std::size_t>> on;
  for (std::size_t d = 0; d < path.on_device.size(); ++d) {
    if (path.on_device[d] > Picoseconds{0}) on.emplace_back(-path.on_device[d], d);
  }
  if (on.size() < 2) return "";
  std::ranges::sort(on);
  std::string out;
  for (const auto& [time, device] : on) {
    out += (out.empty() ? "" : ", ") + gpu_name(trace, stats, device) + ' ' +
           share_text(-time.count(), path.window.length().count());
  }
  return out;
}

/// A stretch is of one kind: a gap that the host divides from the launch path is two.
const PathSegment* longest_wait(const CriticalPath& path) {
  const PathSegment* longest = nullptr;
  for (const PathSegment& segment : path.segments) {
    if (!is_wait(segment.kind)) continue;
    if (longest == nullptr || segment.window.length() > longest->window.length()) {
      longest = &segment;
    }
  }
  return longest;
}

}  // namespace

bool is_wait(PathKind kind) {
  return kind >= PathKind::host_late;
}

bool is_work(BarClass cls) {
  return cls <= BarClass::other;
}

std::string gpu_name(const Trace& trace, const SkipStats& stats, std::size_t device) {
  return device_name(Found{.trace = trace, .stats = stats}, device);
}

std::string stream_name(std::string_view lane) {
  constexpr std::string_view kStream = "Stream #";
  if (!lane.starts_with(kStream)) return std::string(lane);
  const std::string_view rest = lane.substr(kStream.size());
  const auto digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  return digits == 0 ? std::string(lane) : "stream " + std::string(rest.substr(0, digits));
}

BarLabel event_label(const Trace& trace, std::uint32_t event, const InstructionOf& instruction) {
  const std::string_view kernel = bare_kernel_name(trace.strings[trace.events.name[event]]);
  const Annotation& said =
      trace.annotations[static_cast<std::size_t>(trace.events.annotation[event])];
  std::string_view op = instruction ? instruction(event) : std::string_view();
  if (op.empty()) op = trace.strings[said.hlo_op];
  if (op.empty() || op == kernel) return {std::string(kernel), ""};
  return {std::string(op), std::string(kernel)};
}

std::string exact_us(Picoseconds time) {
  constexpr std::int64_t kPerMicrosecond = 1'000'000;
  const bool minus = time < Picoseconds{0};
  const std::int64_t count = minus ? -time.count() : time.count();
  std::string out = fmt::format("{}.{:06}", count / kPerMicrosecond, count % kPerMicrosecond);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return (minus ? "-" : "") + out + " µs";
}

std::string time_text(Picoseconds time) {
  return for_people(std::int64_t{time.count()}, Unit::time);
}

std::string swimlane_title(const Trace& trace, const SkipStats& stats, const CriticalPath& path) {
  const Steps& steps = stats.steps;
  const std::string on =
      fmt::format("{} on {}", time_text(path.window.length()), gpu_name(trace, stats, path.device));
  if (steps.rule == StepRule::none) return "The whole capture, which has no steps: " + on;
  const std::string which = steps.median == path.step ? "the median"
                            : steps.steps[path.step].fate == StepFate::kept
                                ? "the longest, since there is no median,"
                                : "the first with work, since none is kept,";
  const std::string of = steps.kept > 0 ? fmt::format(" of {} kept", steps.kept) : "";
  return fmt::format("Step {} of {}, {}{}: {}", steps.steps[path.step].number,
                     short_name(steps.name), which, of, on);
}

std::string path_parts(const Trace& trace, const SkipStats& stats, const CriticalPath& path) {
  std::string out = "The critical path, by share of the step: " + parts_of(path);
  if (const std::string on = gpus_of(trace, stats, path); !on.empty()) out += "; on " + on;
  return out + ".";
}

std::vector<std::string> path_caption(SwimlaneBuilder& builder) {
  const Trace& trace = builder.trace;
  const SkipStats& stats = builder.stats;
  const CriticalPath& path = builder.path;
  std::vector<std::string> out;
  if (path.last != kNoEvent) {
    std::string ends =
        fmt::format("{} ends last, with {}", gpu_name(trace, stats, path.last_device),
                    short_name(builder.label(path.last).label));
    const Picoseconds after = path.window.end - end_of(trace, path.last);
    if (after > Picoseconds{0}) ends += fmt::format(", {} before the next step", time_text(after));
    for (const StepStraggler& row : stats.stragglers.steps) {
      if (row.step != path.step || !row.device || row.caused <= Picoseconds{0}) continue;
      ends += fmt::format("; the others wait for {} at {}, {} in all",
                          gpu_name(trace, stats, *row.device),
                          counted(row.collectives, "collective"), time_text(row.caused));
    }
    out.push_back(ends + ".");
  }
  constexpr std::int64_t kWorthSaying = 100;  // A hundredth of the step
  const PathSegment* const wait = longest_wait(path);
  if (wait != nullptr && wait->window.length() * kWorthSaying >= path.window.length()) {
    std::string longest = fmt::format("Its longest stretch of waiting: {} of {}",
                                      time_text(wait->window.length()), in_words(wait->kind));
    if (wait->event != kNoEvent)
      longest += ", before " + short_name(builder.label(wait->event).label);
    if (wait->kind == PathKind::host_late && wait->thread != kNoEvent) {
      CriticalPath alone;
      alone.segments = {*wait};
      const std::vector<PathCause> causes = path_causes(alone, builder.blamer, builder.names);
      if (!causes.empty()) {
        longest += fmt::format("; of it {} {} on {}",
                               share_text(causes[0].time.count(), wait->window.length().count()),
                               causes[0].event, thread_name(trace, causes[0].thread));
      }
    }
    out.push_back(longest + ".");
  }
  if (path.guesses > 0) {
    out.push_back(fmt::format(
        "{} between streams on it {} guessed, because none are recorded: what ended last was "
        "taken.",
        counted(path.guesses, "dependency", "dependencies"), path.guesses == 1 ? "is" : "are"));
  }
  return out;
}

std::string drawn_caption(const Swimlane& swimlane) {
  const auto text = [](std::uint64_t count) {
    return count_text(static_cast<std::int64_t>(count));
  };
  if (swimlane.alone == swimlane.events) {
    return fmt::format("All {} events are drawn one by one.", text(swimlane.events));
  }
  return fmt::format(
      "{} of {} events are drawn one by one; the others, each under {}, are merged with their "
      "neighbours of a kind, as high as they fill their time.",
      text(swimlane.alone), text(swimlane.events), time_text(swimlane.pixel));
}

}  // namespace jaxtrace
