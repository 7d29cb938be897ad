// One step at a time: the events of its host's GPUs are put in order of their ends, so that "what
// ended last before" is one binary search.
#include "skip/critical_path.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/times.h"

namespace jaxtrace {
namespace {

/// Neighbours on a stream that collide by less are taken for one after the other: the clocks that
/// wrote them are no better.
constexpr Picoseconds kCollision = std::chrono::microseconds(1);

using ByEnd = std::vector<std::uint32_t>;

HostId host_of(const Scope& scope, std::size_t device) {
  return scope.trace.devices[static_cast<std::size_t>(scope.timelines[device].device)].host;
}

/// The walk: where it is, and what it looks things up in.
struct Walk {
  const Scope& scope;
  const AlignedCollectives& collectives;
  const Picoseconds short_gap;
  CriticalPath& path;
  std::vector<ByEnd> of_device{};          // By row of the timelines
  std::map<std::size_t, ByEnd> of_lane{};  // By row of Trace::lanes
  std::size_t device = 0;
  std::uint32_t event = kNoEvent;
  Picoseconds now{0};                           // All after it is given away.
  Picoseconds handed_over{Picoseconds::max()};  // Where a wait was last followed to another GPU

  Picoseconds begin(std::uint32_t e) const { return scope.trace.events.begin[e]; }
  Picoseconds end(std::uint32_t e) const { return end_of(scope.trace, e); }

  void collect();
  void start();
  void give(PathKind kind, Picoseconds from, std::uint32_t to_event);
  void give_work();
  void give_gap(std::uint32_t last, Picoseconds from);
  void follow_wait(const AlignedCollective& waited_in);
  std::uint32_t ended_before(const ByEnd& ends, Picoseconds at, Picoseconds slack) const;
  std::uint32_t predecessor();
  void run();
};

void Walk::collect() {
  of_device.resize(scope.timelines.size());
  for (std::size_t d = 0; d < scope.timelines.size(); ++d) {
    if (host_of(scope, d) != host_of(scope, path.device)) continue;
    for (const std::uint32_t e : part(scope.timelines[d], path.window.begin)) {
      if (begin(e) >= path.window.end) break;
      of_device[d].push_back(e);
      of_lane[lane_of(scope.trace, e)].push_back(e);
    }
  }
  const auto by_end = [&](std::uint32_t e) { return std::pair(end(e), e); };
  for (ByEnd& ends : of_device) std::ranges::sort(ends, {}, by_end);
  for (auto& [lane, ends] : of_lane) std::ranges::sort(ends, {}, by_end);
}

/// Where the walk begins: at what ends last in the step; and what is between that and the step's
/// end.
void Walk::start() {
  for (std::size_t d = 0; d < of_device.size(); ++d) {
    for (const std::uint32_t e : of_device[d]) {
      if (scope.steps.step_of[e] != path.step) continue;
      // Where several end at once, the GPU that the step is of.
      const auto rank = [&](std::uint32_t of, std::size_t on) {
        return std::tuple(end(of), on == path.device);
      };
      if (event != kNoEvent && rank(e, d) <= rank(event, device)) continue;
      event = e;
      device = d;
    }
  }
  path.last = event;
  path.last_device = device;
  now = path.window.end;
  if (event == kNoEvent) return;
  const Picoseconds reached = end(event);
  if (reached >= now) return;
  const Order& order = scope.timelines[path.device].order;
  const auto next = std::ranges::lower_bound(order, now, {}, [&](auto e) { return begin(e); });
  const std::uint32_t last = std::exchange(event, next == order.end() ? kNoEvent : *next);
  const std::size_t last_on = std::exchange(device, path.device);
  give_gap(last, reached);
  event = last;
  device = last_on;
}

/// Gives the time down to `from` away, as far as it is in the step.
void Walk::give(PathKind kind, Picoseconds from, std::uint32_t to_event) {
  from = std::max(from, path.window.begin);
  if (from >= now) return;
  const bool host = is_host(kind) && to_event != kNoEvent;
  path.segments.push_back({.window = {from, now},
                           .kind = kind,
                           .device = static_cast<std::uint32_t>(device),
                           .event = to_event,
                           .thread = host ? scope.works.thread[to_event] : kNoEvent});
  path.time[static_cast<std::size_t>(kind)] += now - from;
  path.on_device[device] += now - from;
  now = from;
}

/// The time from `from`, where `last` ended, to `now`, where `event` begins.
void Walk::give_gap(std::uint32_t last, Picoseconds from) {
  if (from >= now) return;
  if (event == kNoEvent) return give(PathKind::unknown, from, event);
  const IdleSplit parts =
      split_gap(scope.trace, scope.works, {{from, now}, last, event}, short_gap);
  // In order of time the host is late first; the others fill a gap alone.
  give(PathKind::launch_path, now - parts.of(IdlePart::launch_path), event);
  give(PathKind::graph_internal, now - parts.of(IdlePart::graph_internal), event);
  give(PathKind::queued_short, now - parts.of(IdlePart::queued_short), event);
  give(PathKind::queued_long, now - parts.of(IdlePart::queued_long), event);
  give(PathKind::unknown, now - parts.of(IdlePart::unknown), event);
  give(PathKind::host_late, now - parts.of(IdlePart::host_late), event);
}

/// `event` waits at `now` for a GPU that is not there yet: on to what that one does.
void Walk::follow_wait(const AlignedCollective& waited_in) {
  handed_over = now;
  ++path.handovers;
  const auto& [other, arriving] = waited_in.parts[waited_in.last];
  device = other;
  event = arriving;
  std::uint32_t last = kNoEvent;
  for (const std::uint32_t e : of_device[device]) {
    if (begin(e) < now && (last == kNoEvent || end(e) > end(last))) last = e;
  }
  if (last == kNoEvent) return give_gap(kNoEvent, path.window.begin);
  give_gap(last, end(last));
  event = last;
}

/// The work of `event` before `now`.  Leaves `now` at the begin of `event`, which may be another's.
void Walk::give_work() {
  const std::uint32_t row = collectives.row_of[event];
  if (row == kNoEvent) {
    const WorkClass cls = scope.works.cls[event];
    const bool copy = cls == WorkClass::memcpy || cls == WorkClass::memset;
    return give(cls == WorkClass::collective ? PathKind::collective
                : copy                       ? PathKind::copy
                                             : PathKind::compute,
                begin(event), event);
  }
  const AlignedCollective& all = collectives.all[row];
  if (now <= all.arrival && all.parts[all.last].first != device && handed_over != now) {
    return follow_wait(all);
  }
  // Other hosts may take part, whose arrivals are on another clock.
  const bool alone = scope.trace.hosts.size() == 1 && now > all.arrival;
  if (now <= all.arrival) return give(PathKind::collective, begin(event), event);
  give(alone ? PathKind::transfer : PathKind::collective, all.arrival, event);
  const auto& [last_device, last_event] = all.parts[all.last];
  if (begin(event) == all.arrival || now <= path.window.begin) return;
  ++path.handovers;
  device = last_device;
  event = last_event;
}

/// What ended last, by `at` and `slack`, of what began before `at`.
std::uint32_t Walk::ended_before(const ByEnd& ends, Picoseconds at, Picoseconds slack) const {
  auto after = std::ranges::upper_bound(ends, at + slack, {}, [&](auto e) { return end(e); });
  while (after != ends.begin()) {
    if (begin(*--after) < at) return *after;
  }
  return kNoEvent;
}

/// What `event`, which begins now, waited for.
std::uint32_t Walk::predecessor() {
  const std::size_t lane = lane_of(scope.trace, event);
  const std::uint32_t own = ended_before(of_lane[lane], now, kCollision);
  if (own != kNoEvent && now - end(own) <= short_gap) return own;
  const std::uint32_t any = ended_before(of_device[device], now, Picoseconds{0});
  if (any == kNoEvent || (own != kNoEvent && end(own) >= end(any))) return own;
  path.guesses += lane_of(scope.trace, any) == lane ? 0 : 1;
  return any;
}

void Walk::run() {
  collect();
  start();
  if (event == kNoEvent) return give(PathKind::unknown, path.window.begin, kNoEvent);
  while (now > path.window.begin) {
    give_work();
    if (now <= path.window.begin) return;
    // A wait that was followed to another GPU leaves the walk inside what ran there.
    if (now > begin(event)) continue;
    const std::uint32_t before = predecessor();
    give_gap(before, before == kNoEvent ? path.window.begin : std::min(end(before), now));
    if (before == kNoEvent) return;
    event = before;
  }
}

/// The GPU whose step is walked: `device`, else the one on which the step is longest.
std::size_t device_of(const Step& step, std::size_t device) {
  if (step.devices[device].window) return device;
  std::size_t longest = device;
  Picoseconds length{0};
  for (std::size_t d = 0; d < step.devices.size(); ++d) {
    if (step.devices[d].window && step.devices[d].window->length() > length) {
      length = step.devices[d].window->length();
      longest = d;
    }
  }
  return longest;
}

Window window_of(const Scope& scope, const Step& step, std::size_t device) {
  if (!step.devices[device].window) return {};
  Window window = *step.devices[device].window;
  if (scope.steps.rule != StepRule::none) return window;
  for (std::size_t d = 0; d < step.devices.size(); ++d) {
    if (!step.devices[d].window || host_of(scope, d) != host_of(scope, device)) continue;
    window.begin = std::min(window.begin, step.devices[d].window->begin);
    window.end = std::max(window.end, step.devices[d].window->end);
  }
  return window;
}

}  // namespace

std::string_view name_of(PathKind kind) {
  constexpr std::array<std::string_view, kPathKinds> kNames = {
      "compute",     "transfer",       "collective",   "copy",        "host_late",
      "launch_path", "graph_internal", "queued_short", "queued_long", "unknown"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool is_host(PathKind kind) {
  return kind == PathKind::host_late || kind == PathKind::launch_path;
}

CriticalPath critical_path(const Scope& scope, const AlignedCollectives& collectives,
                           std::size_t step, std::size_t device, Picoseconds short_gap) {
  CriticalPath path;
  path.step = step;
  path.on_device.resize(scope.timelines.size());
  if (step >= scope.steps.steps.size() || device >= scope.timelines.size()) return path;
  path.device = device_of(scope.steps.steps[step], device);
  path.window = window_of(scope, scope.steps.steps[step], path.device);
  if (path.window.length() <= Picoseconds{0}) return path;

  Walk walk{scope, collectives, short_gap, path};
  walk.run();
  std::ranges::reverse(path.segments);
  return path;
}

std::vector<PathCause> path_causes(const CriticalPath& path, Blamer& blamer, HostNames& names) {
  std::map<std::pair<std::uint32_t, std::string_view>, PathCause> found;
  std::vector<BlamedPiece> pieces;
  for (const PathSegment& segment : path.segments) {
    if (segment.kind != PathKind::host_late || segment.thread == kNoEvent) continue;
    pieces.clear();
    blamer.blame(segment.thread, segment.window, pieces);
    for (const BlamedPiece& piece : pieces) {
      const HostName* const name = piece.event == kNoEvent ? nullptr : &names.of_event(piece.event);
      const std::string_view text =
          name != nullptr ? std::string_view(name->plain) : blamer.nothing_on(piece.thread);
      PathCause& cause = found[{piece.thread, text}];
      cause.cls = name != nullptr ? name->cls : HostClass::none;
      cause.time += piece.time;
    }
  }
  std::vector<PathCause> causes;
  for (auto& [key, cause] : found) {
    cause.thread = key.first;
    cause.event = std::string(key.second);
    causes.push_back(std::move(cause));
  }
  std::ranges::sort(causes, {}, [](const PathCause& c) {
    return std::tuple(-c.time, c.thread, std::string_view(c.event));
  });
  return causes;
}

}  // namespace jaxtrace
