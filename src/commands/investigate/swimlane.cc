// Choosing what is shown: the step, its host, the threads that launch for its GPUs, the GPUs and
// their streams; and what is said of it.
#include "commands/investigate/swimlane.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/kernel_family.h"
#include "analysis/times.h"
#include "commands/investigate/bars.h"
#include "commands/investigate/swimlane_words.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kMostGpus = 8;
constexpr std::size_t kMostThreads = 9;  // Python's, and one a GPU
constexpr std::size_t kMostTwoLaneThreads = 3;
constexpr std::size_t kMostStreams = 6;  // Of one GPU; of eight, fewer
constexpr std::size_t kMostBars = 4500;  // Under a megabyte of SVG
constexpr std::size_t kMostArrivals = 24;
constexpr std::size_t kLongestGaps = 5;

struct RawLane {
  SwimLane lane;
  std::vector<RawBar> raw;
};

struct Builder {
  const Trace& trace;
  const SkipStats& stats;
  const AlignedCollectives& collectives;
  const CriticalPath& path;
  HostNames names;
  Blamer blamer;
  Swimlane out{};
  std::vector<RawLane> lanes{};
  std::vector<std::size_t> gpus{};                        // Rows of the timelines
  std::map<std::uint32_t, std::size_t> lane_of_thread{};  // Row of Trace::lanes to row of `lanes`
  std::map<std::size_t, std::size_t> lane_of_stream{};    // Likewise
  std::map<std::size_t, std::size_t> idle_of{};           // Row of the timelines to row of `lanes`
  std::size_t path_lane = 0;

  Builder(const Trace& of, const SkipStats& in, const AlignedCollectives& aligned,
          const CriticalPath& along)
      : trace(of),
        stats(in),
        collectives(aligned),
        path(along),
        names(of),
        blamer(of, in.works, names) {}

  bool in_step(std::uint32_t event) const { return stats.steps.step_of[event] == path.step; }
  HostId host() const { return trace.devices[device_row(path.device)].host; }
  std::size_t device_row(std::size_t timeline) const {
    return static_cast<std::size_t>(stats.timelines[timeline].device);
  }

  void choose_gpus();
  void choose_axis();
  void add_threads();
  void add_thread(std::uint32_t thread, bool two_lanes);
  void add_path();
  void add_gpu(std::size_t gpu);
  void add_streams(std::size_t gpu, std::size_t group);
  void place_path();
  void add_arrivals();
  void add_flows();
  void add_flow(std::uint32_t event);
  void finish_bars();
  void add_ticks();
  std::size_t add_lane(SwimLane::Kind kind, std::size_t group, std::string label);
  void add_raw(std::size_t lane, Window window, BarClass cls, std::uint32_t event);
};

/// The GPUs of one host that have work in the step; where they are too many, those that matter.
void Builder::choose_gpus() {
  std::vector<std::size_t> all;
  for (std::size_t d = 0; d < stats.timelines.size(); ++d) {
    if (trace.devices[device_row(d)].host != host()) continue;
    const auto& events = stats.timelines[d].order;
    if (std::ranges::any_of(events, [&](std::uint32_t e) { return in_step(e); })) all.push_back(d);
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
        "{} of {} GPUs are drawn: those the critical path is on first.", gpus.size(), all.size()));
  }
  if (trace.hosts.size() > 1) {
    out.caption.push_back(
        fmt::format("Of {} hosts this is {}: they share no clock.", trace.hosts.size(),
                    trace.strings[trace.hosts[static_cast<std::size_t>(host())].name]));
  }
}

/// The step, before it a tenth so that launches show, after it what other GPUs still have of it.
void Builder::choose_axis() {
  out.step = path.window;
  out.has_steps = stats.steps.rule != StepRule::none;
  const Picoseconds tenth = std::max(path.window.length() / 10, Picoseconds{1});
  out.axis = {path.window.begin - tenth, path.window.end + tenth / 5};
  for (const std::size_t gpu : gpus) {
    const auto& end = stats.steps.steps[path.step].devices[gpu].last_end;
    if (end) out.axis.end = std::max(out.axis.end, std::min(*end, path.window.end + tenth));
  }
}

std::size_t Builder::add_lane(SwimLane::Kind kind, std::size_t group, std::string label) {
  lanes.push_back({});
  lanes.back().lane.kind = kind;
  lanes.back().lane.group = group;
  lanes.back().lane.label = std::move(label);
  return lanes.size() - 1;
}

void Builder::add_raw(std::size_t lane, Window window, BarClass cls, std::uint32_t event) {
  window.begin = std::max(window.begin, out.axis.begin);
  window.end = std::min(window.end, out.axis.end);
  if (window.begin < window.end) lanes[lane].raw.push_back({window, cls, event});
}

void Builder::add_threads() {
  std::map<std::uint32_t, std::pair<std::set<std::size_t>, std::uint64_t>> launching;
  for (const std::size_t gpu : gpus) {
    for (const std::size_t l : stats.timelines[gpu].lanes) {
      const Lane& row = trace.lanes[l];
      for (std::size_t i = row.first; i < row.first + row.count; ++i) {
        const std::uint32_t thread = stats.works.thread[i];
        if (thread == kNoEvent || !in_step(static_cast<std::uint32_t>(i))) continue;
        launching[thread].first.insert(gpu);
        ++launching[thread].second;
      }
    }
  }
  std::vector<std::uint32_t> order;
  for (const auto& [thread, of] : launching) order.push_back(thread);
  const std::uint32_t feeder = blamer.feeder(host());
  if (feeder != kNoEvent && !launching.contains(feeder)) order.push_back(feeder);
  const std::size_t all = order.size();
  const auto by_use = [&](std::uint32_t t) {
    return std::tuple(t != feeder, -static_cast<std::int64_t>(launching[t].second), t);
  };
  std::ranges::sort(order, {}, by_use);
  if (order.size() > kMostThreads) {
    order.resize(kMostThreads);
    out.caption.push_back(fmt::format(
        "{} of {} launching threads are drawn: those that launch most.", order.size(), all));
  }
  const auto by_gpu = [&](std::uint32_t t) {
    const auto& of = launching[t].first;
    return std::tuple(t != feeder, of.empty() ? 0 : *of.begin(), t);
  };
  std::ranges::sort(order, {}, by_gpu);
  for (const std::uint32_t thread : order) {
    std::string label(trace.strings[trace.lanes[thread].name]);
    const auto& of = launching[thread].first;
    if (of.size() == 1 && gpus.size() > 1) label += " → " + gpu_name(trace, stats, *of.begin());
    out.groups.push_back(std::move(label));
    add_thread(thread, order.size() <= kMostTwoLaneThreads);
  }
}

void Builder::add_thread(std::uint32_t thread, bool two_lanes) {
  const BlamedThread& of = blamer.thread(thread);
  const std::size_t group = out.groups.size() - 1;
  if (two_lanes) {
    const std::size_t lane = add_lane(SwimLane::Kind::calls, group, "outermost");
    for (const std::uint32_t event : of.time.roots) {
      if (trace.events.begin[event] >= out.axis.end) break;
      add_raw(lane, {trace.events.begin[event], end_of(trace, event)},
              class_of(names.of_event(event)), event);
    }
  }
  const std::size_t lane = add_lane(SwimLane::Kind::thread, group, two_lanes ? "innermost" : "");
  lane_of_thread[thread] = lane;
  auto at =
      std::ranges::upper_bound(of.time.segments, out.axis.begin, {}, &HostThread::Segment::end);
  for (; at != of.time.segments.end() && at->begin < out.axis.end; ++at) {
    add_raw(lane, {at->begin, at->end}, class_of(names.of_event(at->event)), at->event);
  }
}

/// Where launch calls begin: of all that the GPUs were given, whenever it ran.
void Builder::add_ticks() {
  std::map<std::uint32_t, std::vector<std::uint32_t>> calls;
  for (const std::size_t gpu : gpus) {
    for (const std::size_t l : stats.timelines[gpu].lanes) {
      const Lane& row = trace.lanes[l];
      for (std::size_t i = row.first; i < row.first + row.count; ++i) {
        const std::uint32_t call = stats.works.launches.call[i];
        if (call == kNoEvent || stats.works.graph_index[i] != 0) continue;
        const Picoseconds at = trace.events.begin[call];
        if (at >= out.axis.begin && at < out.axis.end) {
          calls[stats.works.thread[i]].push_back(call);
        }
      }
    }
  }
  for (auto& [thread, of] : calls) {
    const auto lane = lane_of_thread.find(thread);
    if (lane == lane_of_thread.end()) continue;
    std::ranges::sort(of, {}, [&](auto c) { return std::pair(trace.events.begin[c], c); });
    of.erase(std::unique(of.begin(), of.end()), of.end());
    SwimLane& drawn = lanes[lane->second].lane;
    drawn.launches = of.size();
    for (const std::uint32_t call : of) {
      const Picoseconds at = trace.events.begin[call];
      if (drawn.ticks.empty() || at - drawn.ticks.back() >= out.pixel) drawn.ticks.push_back(at);
    }
  }
}

void Builder::add_path() {
  out.groups.emplace_back("critical path");
  path_lane = add_lane(SwimLane::Kind::path, out.groups.size() - 1, "");
  for (const PathSegment& segment : path.segments) {
    add_raw(path_lane, segment.window, class_of(segment.kind), segment.event);
  }
}

void Builder::add_gpu(std::size_t gpu) {
  out.groups.push_back(gpu_name(trace, stats, gpu));
  const std::size_t group = out.groups.size() - 1;
  const std::size_t idle = add_lane(SwimLane::Kind::idle, group, "idle");
  idle_of[gpu] = idle;
  const auto divide = [&](const Gap& gap) {
    const IdleSplit parts = split_gap(trace, stats.works, gap, stats.short_gap);
    Picoseconds now = gap.window.begin;
    for (std::size_t p = 0; p < kIdleParts; ++p) {
      const Window part{now, now + parts.parts[p]};
      add_raw(idle, part, class_of(static_cast<IdlePart>(p)), gap.next);
      now = part.end;
    }
  };
  sweep(trace, stats.works, part(stats.timelines[gpu], out.axis.begin), out.axis,
        {.gap = divide, .exposed = {}});
  add_streams(gpu, group);
}

/// The busiest streams have a lane each, in the order of the capture; the others share one.
void Builder::add_streams(std::size_t gpu, std::size_t group) {
  std::map<std::size_t, Picoseconds> busy;
  std::map<std::size_t, std::vector<std::uint32_t>> work;
  Picoseconds all{0};
  for (const std::uint32_t event : part(stats.timelines[gpu], out.axis.begin)) {
    const Window window{std::max(trace.events.begin[event], out.axis.begin),
                        std::min(end_of(trace, event), out.axis.end)};
    if (window.begin >= out.axis.end) break;
    if (window.begin >= window.end) continue;
    const std::size_t lane = lane_of(trace, event);
    busy[lane] += window.length();
    work[lane].push_back(event);
    all += window.length();
  }
  const std::size_t most = gpus.size() <= 2 ? kMostStreams : gpus.size() <= 4 ? 4 : 3;
  std::vector<std::size_t> order;
  for (const auto& [lane, time] : busy) order.push_back(lane);
  std::ranges::sort(order, {}, [&](std::size_t l) { return std::pair(-busy[l], l); });
  std::size_t own = std::min(order.size(), most);
  while (own > 1 && busy[order[own - 1]] * 100 < all) --own;
  if (order.size() == own + 1) ++own;  // A lane for one other takes as much room.
  std::ranges::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(own));

  std::vector<std::uint32_t> others;
  Picoseconds little{0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t lane = order[i];
    if (i >= own) {
      others.insert(others.end(), work[lane].begin(), work[lane].end());
      little += busy[lane];
      continue;
    }
    const std::size_t drawn =
        add_lane(SwimLane::Kind::stream, group, stream_name(trace.strings[trace.lanes[lane].name]));
    lane_of_stream[lane] = drawn;
    for (const std::uint32_t event : work[lane]) {
      add_raw(drawn, {trace.events.begin[event], end_of(trace, event)},
              class_of(stats.works.cls[event]), event);
    }
  }
  if (others.empty()) return;
  const std::size_t drawn = add_lane(
      SwimLane::Kind::folded, group,
      fmt::format("{} more, {}", order.size() - own, share_text(little.count(), all.count())));
  for (std::size_t i = own; i < order.size(); ++i) lane_of_stream[order[i]] = drawn;
  std::ranges::sort(others, {}, [&](auto e) { return std::pair(trace.events.begin[e], e); });
  for (const std::uint32_t event : others) {
    add_raw(drawn, {trace.events.begin[event], end_of(trace, event)},
            class_of(stats.works.cls[event]), event);
  }
}

/// The lane that each stretch of the path lies in, no finer than a pixel.
void Builder::place_path() {
  const auto lane_at = [&](const PathSegment& segment) {
    if (segment.kind == PathKind::host_late && lane_of_thread.contains(segment.thread)) {
      return lane_of_thread[segment.thread];
    }
    const bool work = segment.event != kNoEvent && !is_wait(segment.kind);
    if (work) {
      const auto at = lane_of_stream.find(lane_of(trace, segment.event));
      if (at != lane_of_stream.end()) return at->second;
    }
    const auto idle = idle_of.find(segment.device);
    return idle == idle_of.end() ? path_lane : idle->second;
  };
  std::size_t s = 0;
  for (Picoseconds now = path.window.begin; now < path.window.end; now += out.pixel) {
    const Picoseconds end = std::min(now + out.pixel, path.window.end);
    const Picoseconds middle = now + (end - now) / 2;
    while (path.segments[s].window.end <= middle) ++s;
    const std::size_t lane = lane_at(path.segments[s]);
    if (!out.path.empty() && out.path.back().lane == lane) {
      out.path.back().window.end = end;
    } else {
      out.path.push_back({{now, end}, lane});
    }
  }
}

void Builder::add_arrivals() {
  std::vector<const AlignedCollective*> found;
  for (const AlignedCollective& row : collectives.all) {
    const bool drawn = row.arrival >= out.axis.begin && row.arrival < out.axis.end &&
                       std::ranges::find(gpus, row.parts[row.last].first) != gpus.end();
    if (drawn && row.step == path.step) found.push_back(&row);
  }
  const std::size_t all = found.size();
  const auto first = [](const AlignedCollective* c) { return c->parts[c->last].second; };
  std::ranges::sort(found, {}, [&](auto* c) { return std::pair(-c->waited, first(c)); });
  if (all > kMostArrivals) {
    found.resize(kMostArrivals);
    out.caption.push_back(
        fmt::format("Last arrivals are marked at {} of {} collectives: those waited for longest.",
                    found.size(), all));
  }
  std::ranges::sort(found, {}, [&](auto* c) { return std::pair(c->arrival, first(c)); });
  for (const AlignedCollective* const row : found) {
    const std::string op = event_label(trace, first(row)).label;
    out.arrivals.push_back(
        {row->arrival, op,
         fmt::format("{}: {} arrives last; the others wait {} for it in all", op,
                     gpu_name(trace, stats, row->parts[row->last].first), exact_us(row->waited))});
  }
}

void Builder::add_flow(std::uint32_t event) {
  if (event == kNoEvent || stats.works.join[event] != Join::strong) return;
  const std::uint32_t call = stats.works.launches.call[event];
  const auto from = lane_of_thread.find(stats.works.thread[event]);
  const auto to = lane_of_stream.find(lane_of(trace, event));
  if (from == lane_of_thread.end() || to == lane_of_stream.end()) return;
  const SwimFlow flow{
      from->second, to->second, trace.events.begin[call], trace.events.begin[event],
      fmt::format("{} was launched {} before it began", event_label(trace, event).label,
                  exact_us(trace.events.begin[event] - trace.events.begin[call]))};
  const auto same = [&](const SwimFlow& f) { return f.to == flow.to && f.to_lane == flow.to_lane; };
  if (std::ranges::none_of(out.flows, same)) out.flows.push_back(flow);
}

/// Of the first work of the step and of what ends the longest gaps, on the GPU whose step it is.
void Builder::add_flows() {
  const Order& order = stats.timelines[path.device].order;
  const auto first = std::ranges::find_if(order, [&](std::uint32_t e) { return in_step(e); });
  if (first != order.end()) add_flow(*first);
  std::vector<Gap> gaps;
  sweep(trace, stats.works, part(stats.timelines[path.device], path.window.begin), path.window,
        {.gap = [&](const Gap& gap) { gaps.push_back(gap); }, .exposed = {}});
  std::ranges::sort(gaps, {},
                    [](const Gap& g) { return std::pair(-g.window.length(), g.window.begin); });
  for (std::size_t i = 0; i < gaps.size() && i < kLongestGaps; ++i) add_flow(gaps[i].next);
}

/// Merges, more coarsely if that is still too much to draw.
void Builder::finish_bars() {
  const NameBar name_work = [&](const RawBar& raw) { return event_label(trace, raw.event); };
  const NameBar name_host = [&](const RawBar& raw) {
    return BarLabel{std::string(trace.strings[trace.events.name[raw.event]]), ""};
  };
  const NameBar name_wait = [&](const RawBar& raw) {
    if (raw.event == kNoEvent) return BarLabel{"nothing comes afterwards", ""};
    return BarLabel{"before " + event_label(trace, raw.event).label, ""};
  };
  const NameBar name_path = [&](const RawBar& raw) {
    return is_work(raw.cls) ? name_work(raw) : name_wait(raw);
  };
  for (std::size_t bars = kMostBars + 1; bars > kMostBars; out.pixel *= 2) {
    bars = 0;
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

}  // namespace

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
                  const CriticalPath& path, int pixels) {
  if (path.segments.empty()) return {};
  Builder builder(trace, stats, collectives, path);
  Swimlane& out = builder.out;
  out.title = swimlane_title(trace, stats, path);
  out.caption = path_caption(trace, stats, path, builder.blamer, builder.names);
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
  out.caption.push_back(drawn_caption(out));
  for (RawLane& lane : builder.lanes) out.lanes.push_back(std::move(lane.lane));
  return std::move(out);
}

}  // namespace jaxtrace
