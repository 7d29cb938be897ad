// A stack of open events, walked once over the events of a thread in order of begin.
#include "skip/host_time.h"

#include <algorithm>
#include <tuple>

#include "analysis/times.h"

namespace jaxtrace {
namespace {

using NameTest = std::function<bool(StringId)>;

std::vector<std::uint32_t> events_of(const Trace& trace, std::span<const std::uint32_t> lanes,
                                     const NameTest& transparent) {
  std::vector<std::uint32_t> events;
  for (const std::uint32_t l : lanes) {
    const Lane& lane = trace.lanes[l];
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      if (trace.events.duration[i] <= Picoseconds{0} || !has_plausible_time(trace, i)) continue;
      if (transparent && transparent(trace.events.name[i])) continue;
      events.push_back(static_cast<std::uint32_t>(i));
    }
  }
  if (lanes.size() > 1) {
    std::ranges::sort(events, {}, [&](std::uint32_t i) {
      return std::tuple(trace.events.begin[i], -trace.events.duration[i], i);
    });
  }
  return events;
}

struct Open {
  std::uint32_t event;
  Picoseconds end;
};

/// Segments of a thread, built from the left.
struct Builder {
  HostThread& thread;
  Picoseconds done{Picoseconds::min()};

  void give(std::uint32_t event, Picoseconds until) {
    if (until <= done) return;
    thread.segments.push_back({done, until, event});
    done = until;
  }
};

}  // namespace

HostThread host_thread(const Trace& trace, std::span<const std::uint32_t> lanes,
                       const NameTest& transparent) {
  HostThread thread;
  Builder builder{thread};
  std::vector<Open> open;
  // Closes what is over by `now`, innermost first, and gives each its time.
  const auto close_until = [&](Picoseconds now) {
    while (!open.empty() && open.back().end <= now) {
      builder.give(open.back().event, open.back().end);
      open.pop_back();
    }
  };
  for (const std::uint32_t event : events_of(trace, lanes, transparent)) {
    const Picoseconds begin = trace.events.begin[event];
    const Picoseconds end = end_of(trace, event);
    close_until(begin);
    if (!open.empty()) builder.give(open.back().event, begin);
    builder.done = std::max(builder.done, begin);
    // What ends inside the new event without containing it is cut where the new one begins.
    while (!open.empty() && open.back().end < end) {
      ++thread.cut;
      open.pop_back();
    }
    if (open.empty()) thread.roots.push_back(event);
    open.push_back({event, end});
  }
  close_until(Picoseconds::max());
  return thread;
}

const HostThread::Segment* segment_at(const HostThread& thread, Picoseconds instant) {
  const auto at = std::ranges::upper_bound(thread.segments, instant, {}, &HostThread::Segment::end);
  return at != thread.segments.end() && at->begin <= instant ? &*at : nullptr;
}

std::map<std::uint32_t, Picoseconds> self_time(const HostThread& thread, Window window) {
  std::map<std::uint32_t, Picoseconds> time;
  Picoseconds known{0};
  auto at = std::ranges::upper_bound(thread.segments, window.begin, {}, &HostThread::Segment::end);
  for (; at != thread.segments.end() && at->begin < window.end; ++at) {
    const Picoseconds part = std::min(at->end, window.end) - std::max(at->begin, window.begin);
    time[at->event] += part;
    known += part;
  }
  if (known < window.length()) time[kNoEvent] = window.length() - known;
  return time;
}

std::map<std::uint32_t, Picoseconds> total_time(const Trace& trace,
                                                std::span<const std::uint32_t> lanes,
                                                Window window) {
  std::map<std::uint32_t, Picoseconds> time;
  for (const std::uint32_t event : events_of(trace, lanes, {})) {
    const Picoseconds begin = std::max(trace.events.begin[event], window.begin);
    const Picoseconds end = std::min(end_of(trace, event), window.end);
    if (end > begin) time[event] += end - begin;
  }
  return time;
}

}  // namespace jaxtrace
