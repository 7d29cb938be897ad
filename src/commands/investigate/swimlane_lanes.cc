// The lanes: threads that launch for the GPUs, the critical path, and of each GPU its idle time and
// its streams.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/times.h"
#include "commands/investigate/swimlane_builder.h"
#include "commands/investigate/swimlane_words.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kMostThreads = 9;  // Python's, and one a GPU
constexpr std::size_t kMostTwoLaneThreads = 3;
constexpr std::size_t kMostStreams = 6;  // Of one GPU; of eight, fewer

/// Events of the step that each thread (row of Trace::lanes) launched, by GPU.
using ThreadLaunches = std::map<std::uint32_t, std::map<std::size_t, std::int64_t>>;

/// The feeder first, then threads by the GPU they launch for.  Where they are too many: of each GPU
/// the one that launches most for it, then those that launch most.
std::vector<std::uint32_t> order_of(const ThreadLaunches& launching, std::uint32_t feeder) {
  std::map<std::size_t, std::pair<std::int64_t, std::uint32_t>> most;  // By GPU
  std::map<std::uint32_t, std::int64_t> all;
  for (const auto& [thread, of] : launching) {
    for (const auto& [gpu, count] : of) {
      all[thread] += count;
      if (count > most[gpu].first) most[gpu] = {count, thread};
    }
  }
  std::vector<std::uint32_t> order;
  for (const auto& [thread, of] : launching) order.push_back(thread);
  if (feeder != kNoEvent && !launching.contains(feeder)) order.push_back(feeder);
  const auto leads = [&](std::uint32_t t) {
    return std::ranges::any_of(most, [&](const auto& of) { return of.second.second == t; });
  };
  const auto by_use = [&](std::uint32_t t) {
    return std::tuple(t != feeder, !leads(t), -all[t], t);
  };
  std::ranges::sort(order, {}, by_use);
  order.resize(std::min(order.size(), kMostThreads));
  const auto by_gpu = [&](std::uint32_t t) {
    const auto at = launching.find(t);
    return std::tuple(t != feeder, at == launching.end() ? 0 : at->second.begin()->first, t);
  };
  std::ranges::sort(order, {}, by_gpu);
  return order;
}

}  // namespace

std::size_t SwimlaneBuilder::add_lane(SwimLane::Kind kind, std::size_t group, std::string label) {
  lanes.push_back({});
  lanes.back().lane.kind = kind;
  lanes.back().lane.group = group;
  lanes.back().lane.label = std::move(label);
  return lanes.size() - 1;
}

void SwimlaneBuilder::add_raw(std::size_t lane, Window window, BarClass cls, std::uint32_t event) {
  window.begin = std::max(window.begin, out.axis.begin);
  window.end = std::min(window.end, out.axis.end);
  if (window.begin < window.end) lanes[lane].raw.push_back({window, cls, event});
}

/// Whether a thread has an event inside the axis.
bool SwimlaneBuilder::is_seen(std::uint32_t thread) {
  const auto& segments = blamer.thread(thread).time.segments;
  const auto at = std::ranges::upper_bound(segments, out.axis.begin, {}, &HostThread::Segment::end);
  return at != segments.end() && at->begin < out.axis.end;
}

void SwimlaneBuilder::add_threads() {
  ThreadLaunches launching;
  for (const std::size_t gpu : gpus) {
    for (const std::size_t l : stats.timelines[gpu].lanes) {
      const Lane& row = trace.lanes[l];
      for (std::size_t i = row.first; i < row.first + row.count; ++i) {
        const std::uint32_t thread = stats.works.thread[i];
        if (thread != kNoEvent && in_step(static_cast<std::uint32_t>(i))) ++launching[thread][gpu];
      }
    }
  }
  // What was launched long before needs no lane.
  std::erase_if(launching, [&](const auto& of) { return !is_seen(of.first); });
  const std::uint32_t feeder = blamer.feeder(host());
  const std::vector<std::uint32_t> order = order_of(launching, feeder);
  const std::size_t all =
      launching.size() + (feeder == kNoEvent || launching.contains(feeder) ? 0 : 1);
  if (order.size() < all) {
    out.drawn.push_back(fmt::format(
        "{} of {} threads are drawn: those that launch most for each GPU.", order.size(), all));
  }
  for (const std::uint32_t thread : order) {
    std::string label(trace.strings[trace.lanes[thread].name]);
    const auto of = launching.find(thread);
    if (of != launching.end() && of->second.size() == 1 && gpus.size() > 1) {
      label += " → " + gpu_name(trace, stats, of->second.begin()->first);
    }
    out.groups.push_back(std::move(label));
    add_thread(thread, order.size() <= kMostTwoLaneThreads);
  }
}

void SwimlaneBuilder::add_thread(std::uint32_t thread, bool two_lanes) {
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
void SwimlaneBuilder::add_ticks() {
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

void SwimlaneBuilder::add_path() {
  out.groups.emplace_back("critical path");
  path_lane = add_lane(SwimLane::Kind::path, out.groups.size() - 1, "");
  for (const PathSegment& segment : path.segments) {
    add_raw(path_lane, segment.window, class_of(segment.kind), segment.event);
  }
}

void SwimlaneBuilder::add_gpu(std::size_t gpu) {
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
void SwimlaneBuilder::add_streams(std::size_t gpu, std::size_t group) {
  std::map<std::size_t, Picoseconds> busy;
  std::map<std::size_t, std::vector<std::uint32_t>> work;
  Picoseconds all{0};
  for (const std::uint32_t event : part(stats.timelines[gpu], out.axis.begin)) {
    const Window window{std::max(trace.events.begin[event], out.axis.begin),
                        std::min(end_of(trace, event), out.axis.end)};
    if (window.begin >= out.axis.end) break;
    if (window.begin >= window.end) continue;
    const std::size_t lane = lane_of(trace, event);
    add_time(busy[lane], window.length());
    work[lane].push_back(event);
    add_time(all, window.length());
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
      add_time(little, busy[lane]);
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

}  // namespace jaxtrace
