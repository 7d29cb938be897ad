// What is drawn across the lanes: the path, last arrivals, and flows from launch to kernel.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "commands/investigate/swimlane_builder.h"
#include "commands/investigate/swimlane_words.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kMostArrivals = 24;
constexpr std::size_t kLongestGaps = 5;

}  // namespace

/// The lane that each stretch of the path lies in, no finer than a pixel.
void SwimlaneBuilder::place_path() {
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
  std::vector<SwimPath> stretches;
  std::size_t s = 0;
  for (Picoseconds now = path.window.begin; now < path.window.end; now += out.pixel) {
    const Picoseconds end = std::min(now + out.pixel, path.window.end);
    // Of what shares a pixel, the lane with most of it.
    std::map<std::size_t, Picoseconds> time;
    for (;; ++s) {
      const PathSegment& segment = path.segments[s];
      time[lane_at(segment)] +=
          std::min(segment.window.end, end) - std::max(segment.window.begin, now);
      if (segment.window.end > end || s + 1 == path.segments.size()) break;
    }
    const std::size_t lane =
        std::ranges::max_element(time, {}, [](const auto& of) { return of.second; })->first;
    if (!stretches.empty() && stretches.back().lane == lane) {
      stretches.back().window.end = end;
    } else {
      stretches.push_back({{now, end}, lane});
    }
  }
  // A line that leaves its lane for a pixel or two shows nothing; the path's own lane has it all.
  constexpr std::int64_t kLeast = 3;
  for (const SwimPath& stretch : stretches) {
    const bool slight = stretch.window.length() < kLeast * out.pixel;
    if (!out.path.empty() && (slight || out.path.back().lane == stretch.lane)) {
      out.path.back().window.end = stretch.window.end;
    } else {
      out.path.push_back(stretch);
    }
  }
}

void SwimlaneBuilder::add_arrivals() {
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
    out.drawn.push_back(
        fmt::format("Last arrivals are marked at {} of {} collectives: those waited for longest.",
                    found.size(), all));
  }
  std::ranges::sort(found, {}, [&](auto* c) { return std::pair(c->arrival, first(c)); });
  for (const AlignedCollective* const row : found) {
    const std::string op = label(first(row)).label;
    out.arrivals.push_back(
        {row->arrival, op,
         fmt::format("{}: {} arrives last; the others wait {} for it in all", op,
                     gpu_name(trace, stats, row->parts[row->last].first), exact_us(row->waited))});
  }
}

void SwimlaneBuilder::add_flow(std::uint32_t event) {
  if (event == kNoEvent || stats.works.join[event] != Join::strong) return;
  const std::uint32_t call = stats.works.launches.call[event];
  const auto from = lane_of_thread.find(stats.works.thread[event]);
  const auto to = lane_of_stream.find(lane_of(trace, event));
  if (from == lane_of_thread.end() || to == lane_of_stream.end()) return;
  const SwimFlow flow{from->second, to->second, trace.events.begin[call], trace.events.begin[event],
                      fmt::format("{} was launched {} before it began", label(event).label,
                                  exact_us(trace.events.begin[event] - trace.events.begin[call]))};
  const auto same = [&](const SwimFlow& f) { return f.to == flow.to && f.to_lane == flow.to_lane; };
  if (std::ranges::none_of(out.flows, same)) out.flows.push_back(flow);
}

/// Of the first work of the step and of what ends the longest gaps that can be seen, on the GPU
/// whose step it is.
void SwimlaneBuilder::add_flows() {
  const Order& order = stats.timelines[path.device].order;
  const auto first = std::ranges::find_if(order, [&](std::uint32_t e) { return in_step(e); });
  if (first != order.end()) add_flow(*first);
  std::vector<Gap> gaps;
  sweep(trace, stats.works, part(stats.timelines[path.device], path.window.begin), path.window,
        {.gap =
             [&](const Gap& gap) {
               if (gap.window.length() >= out.pixel) gaps.push_back(gap);
             },
         .exposed = {}});
  std::ranges::sort(gaps, {},
                    [](const Gap& g) { return std::pair(-g.window.length(), g.window.begin); });
  for (std::size_t i = 0; i < gaps.size() && i < kLongestGaps; ++i) add_flow(gaps[i].next);
}

}  // namespace jaxtrace
