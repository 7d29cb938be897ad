// The sweep keeps, for each class, when the work met so far ends.  Between two begins nothing new
// starts, so the first class that is still at work has the time until it ends.
#include "skip/timeline.h"

#include <algorithm>
#include <tuple>

#include "analysis/times.h"

namespace jaxtrace {
namespace {

/// Sorted runs, one after another, to one sorted run.
void merge_runs(const Trace& trace, Order& order, std::vector<std::size_t> bounds) {
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(trace.events.begin[a], a) < std::tuple(trace.events.begin[b], b);
  };
  const auto at = [&](std::size_t bound) {
    return order.begin() + static_cast<std::ptrdiff_t>(bound);
  };
  while (bounds.size() > 2) {
    std::vector<std::size_t> merged{0};
    for (std::size_t b = 0; b + 1 < bounds.size(); b += 2) {
      const std::size_t end = b + 2 < bounds.size() ? bounds[b + 2] : bounds[b + 1];
      std::inplace_merge(at(bounds[b]), at(bounds[b + 1]), at(end), before);
      merged.push_back(end);
    }
    bounds = std::move(merged);
  }
}

constexpr std::size_t kBlock = 256;

/// What is at work at an instant.
struct Active {
  Picoseconds end{0};
  std::uint32_t event = kNoEvent;
};

}  // namespace

Order lane_order(const Trace& trace, const Works& works, std::size_t lane) {
  const Lane& row = trace.lanes[lane];
  Order order;
  order.reserve(row.count);
  for (std::size_t i = row.first; i < row.first + row.count; ++i) {
    if (works.timed[i]) order.push_back(static_cast<std::uint32_t>(i));
  }
  return order;
}

std::vector<DeviceTimeline> device_timelines(const Trace& trace, const Works& works) {
  std::vector<DeviceTimeline> timelines(trace.devices.size());
  for (std::size_t d = 0; d < timelines.size(); ++d) {
    timelines[d].device = static_cast<DeviceId>(d);
  }
  std::vector<std::vector<std::size_t>> bounds(timelines.size(), {0});
  for (std::size_t l = 0; l < trace.lanes.size(); ++l) {
    const Lane& lane = trace.lanes[l];
    if (lane.kind != LaneKind::stream || lane.count == 0) continue;
    DeviceTimeline& timeline = timelines[static_cast<std::size_t>(lane.device)];
    timeline.lanes.push_back(l);
    timeline.events += lane.count;
    const Order order = lane_order(trace, works, l);
    timeline.order.insert(timeline.order.end(), order.begin(), order.end());
    bounds[static_cast<std::size_t>(lane.device)].push_back(timeline.order.size());
  }
  for (std::size_t d = 0; d < timelines.size(); ++d) {
    DeviceTimeline& timeline = timelines[d];
    merge_runs(trace, timeline.order, std::move(bounds[d]));
    if (timeline.order.empty()) continue;
    timeline.span = {trace.events.begin[timeline.order.front()], Picoseconds::min()};
    for (std::size_t i = 0; i < timeline.order.size(); ++i) {
      if (i % kBlock == 0) timeline.reached.push_back(timeline.span.end);
      timeline.span.end = std::max(timeline.span.end, end_of(trace, timeline.order[i]));
    }
  }
  return timelines;
}

std::span<const std::uint32_t> part(const DeviceTimeline& timeline, Picoseconds begin) {
  const auto after = std::ranges::upper_bound(timeline.reached, begin);
  // The block before the first that reaches `begin`, and one more: for what ended last before it.
  const auto block = std::max<std::ptrdiff_t>(0, after - timeline.reached.begin() - 2);
  return std::span(timeline.order).subspan(static_cast<std::size_t>(block) * kBlock);
}

std::size_t devices_with_events(const std::vector<DeviceTimeline>& timelines) {
  return static_cast<std::size_t>(
      std::ranges::count_if(timelines, [](const DeviceTimeline& t) { return t.events > 0; }));
}

Budget sweep(const Trace& trace, const Works& works, std::span<const std::uint32_t> order,
             Window window, const SweepHooks& hooks) {
  Budget budget;
  budget.window = window;
  std::array<Active, kWorkClasses> active;
  active.fill({window.begin, kNoEvent});
  Active last{window.begin, kNoEvent};  // Of all classes
  Picoseconds now = window.begin;

  // Gives away the time up to `until`, where `next` begins.
  const auto advance = [&](Picoseconds until, std::uint32_t next) {
    while (now < until) {
      const auto at_work =
          std::ranges::find_if(active, [&](const Active& a) { return a.end > now; });
      if (at_work == active.end()) {
        budget.idle += until - now;
        if (hooks.gap) hooks.gap({{now, until}, last.event, next});
        now = until;
        return;
      }
      const Picoseconds end = std::min(at_work->end, until);
      budget.exclusive[static_cast<std::size_t>(at_work - active.begin())] += end - now;
      if (hooks.exposed) hooks.exposed(at_work->event, end - now);
      now = end;
    }
  };

  std::uint32_t after = kNoEvent;
  Picoseconds before = Picoseconds::min();  // The last end of what ended before the window
  for (const std::uint32_t event : order) {
    const Picoseconds begin = trace.events.begin[event];
    const Picoseconds end = end_of(trace, event);
    if (begin >= window.end) {
      after = event;
      break;
    }
    if (end <= window.begin) {
      if (end >= before) {
        before = end;
        last.event = event;
      }
      continue;
    }
    advance(std::max(begin, window.begin), event);
    const auto cls = static_cast<std::size_t>(works.cls[event]);
    const Picoseconds clipped = std::min(end, window.end);
    const Picoseconds from = std::max({begin, window.begin, active[cls].end});
    if (clipped > from) budget.total[cls] += clipped - from;
    if (end > active[cls].end) active[cls] = {end, event};
    if (end > last.end) last = {end, event};
  }
  advance(window.end, after);
  return budget;
}

}  // namespace jaxtrace
