// Choosing what is shown: the step, its host and GPUs, how much time around it; and merging in the
// end, so that the size of a drawing has a bound.
#include "commands/investigate/swimlane.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "analysis/times.h"
#include "commands/investigate/swimlane_builder.h"
#include "commands/investigate/swimlane_words.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kMostGpus = 8;
constexpr std::size_t kMostBars = 4000;  // Under a megabyte of SVG

}  // namespace

/// The GPUs of one host that have work meanwhile, be it of another step; where they are too many,
/// those that matter.
void SwimlaneBuilder::choose_gpus() {
  std::vector<std::size_t> all;
  for (std::size_t d = 0; d < stats.timelines.size(); ++d) {
    if (trace.devices[device_row(d)].host != host()) continue;
    for (const std::uint32_t e : part(stats.timelines[d], path.window.begin)) {
      if (trace.events.begin[e] >= path.window.end) break;
      if (end_of(trace, e) <= path.window.begin) continue;
      all.push_back(d);
      break;
    }
  }
  const auto rank = [&](std::size_t d) {
    return std::tuple(d != path.device && d != path.last_device, -path.on_device[d], d);
  };
  gpus = all;
  if (gpus.size() > kMostGpus) {
    std::ranges::sort(gpus, {}, rank);
    gpus.resize(kMostGpus);
    std::ranges::sort(gpus);
    out.caption.push_back(fmt::format(
        "{} of {} GPUs are drawn: those with most of the critical path.", gpus.size(), all.size()));
  }
  if (trace.hosts.size() > 1) {
    out.caption.push_back(
        fmt::format("Of {} hosts this is {}: they share no clock.", trace.hosts.size(),
                    trace.strings[trace.hosts[static_cast<std::size_t>(host())].name]));
  }
}

/// The step, before it a tenth so that launches show, after it what other GPUs still have of it.
void SwimlaneBuilder::choose_axis() {
  out.step = path.window;
  out.has_steps = stats.steps.rule != StepRule::none;
  const Picoseconds tenth = std::max(path.window.length() / 10, Picoseconds{1});
  out.axis = {path.window.begin - tenth, path.window.end + tenth / 5};
  for (const std::size_t gpu : gpus) {
    const auto& end = stats.steps.steps[path.step].devices[gpu].last_end;
    if (end) out.axis.end = std::max(out.axis.end, std::min(*end, path.window.end + tenth));
  }
}

/// Merges, more coarsely if that is still too much to draw.
void SwimlaneBuilder::finish_bars() {
  const NameBar name_work = [&](const RawBar& raw) { return label(raw.event); };
  const NameBar name_host = [&](const RawBar& raw) {
    return BarLabel{std::string(trace.strings[trace.events.name[raw.event]]), ""};
  };
  const NameBar name_wait = [&](const RawBar& raw) {
    if (raw.event == kNoEvent) return BarLabel{"nothing comes afterwards", ""};
    return BarLabel{"before " + label(raw.event).label, ""};
  };
  const NameBar name_path = [&](const RawBar& raw) {
    return is_work(raw.cls) ? name_work(raw) : name_wait(raw);
  };
  for (;; out.pixel *= 2) {
    std::size_t bars = 0;
    for (RawLane& lane : lanes) {
      using Kind = SwimLane::Kind;
      const Kind kind = lane.lane.kind;
      const NameBar& name = kind == Kind::path                            ? name_path
                            : kind == Kind::idle                          ? name_wait
                            : kind == Kind::thread || kind == Kind::calls ? name_host
                                                                          : name_work;
      lane.lane.bars = merge_bars(lane.raw, out.pixel, name);
      bars += lane.lane.bars.size();
    }
    if (bars <= kMostBars) break;
  }
  for (const RawLane& lane : lanes) {
    using Kind = SwimLane::Kind;
    if (lane.lane.kind == Kind::path || lane.lane.kind == Kind::idle) continue;
    out.events += lane.raw.size();
    for (const Bar& bar : lane.lane.bars) out.alone += bar.events == 1 ? 1 : 0;
  }
}

std::optional<std::size_t> shown_step(const Steps& steps) {
  if (steps.median) return steps.median;
  std::optional<std::size_t> longest, first;
  for (std::size_t s = 0; s < steps.steps.size(); ++s) {
    const Step& step = steps.steps[s];
    const bool work =
        std::ranges::any_of(step.devices, [](const DeviceStep& d) { return d.window.has_value(); });
    if (!work) continue;
    if (!first) first = s;
    if (step.fate != StepFate::kept) continue;
    const auto length = [&](std::size_t of) {
      return steps.steps[of].period.value_or(Picoseconds{0});
    };
    if (!longest || length(s) > length(*longest)) longest = s;
  }
  return longest ? longest : first;
}

Swimlane swimlane(const Trace& trace, const SkipStats& stats, const AlignedCollectives& collectives,
                  const CriticalPath& path, int pixels, InstructionOf instruction) {
  if (path.segments.empty()) return {};
  SwimlaneBuilder builder(trace, stats, collectives, path, std::move(instruction));
  Swimlane& out = builder.out;
  out.title = swimlane_title(trace, stats, path);
  out.consists = path_parts(trace, stats, path);
  out.caption = path_caption(builder);
  builder.choose_gpus();
  builder.choose_axis();
  out.pixel = std::max(out.axis.length() / std::max(pixels, 1), Picoseconds{1});
  builder.add_threads();
  builder.add_path();
  for (const std::size_t gpu : builder.gpus) builder.add_gpu(gpu);
  builder.finish_bars();
  builder.add_ticks();
  builder.place_path();
  builder.add_arrivals();
  builder.add_flows();
  out.drawn.push_back(drawn_caption(out));
  for (RawLane& lane : builder.lanes) out.lanes.push_back(std::move(lane.lane));
  return std::move(out);
}

}  // namespace jaxtrace
