// At each instant one thread is blamed: the launching one, unless it has no event open or waits,
// and the thread that feeds it is at work.
#include "skip/blame.h"

#include <algorithm>
#include <utility>

#include "skip/anchors.h"

namespace jaxtrace {
namespace {

/// A wait that ends at most this long after the GPU fell idle was waiting for the GPU.
constexpr Picoseconds kSyncSlack = std::chrono::microseconds(50);

/// The thread that dispatches: the lane with the most outermost calls, else one called "python".
std::map<HostId, std::uint32_t> find_feeders(const Trace& trace) {
  std::map<HostId, std::pair<std::size_t, std::uint32_t>> best;
  for (std::size_t l = 0; l < trace.lanes.size(); ++l) {
    const Lane& lane = trace.lanes[l];
    if (lane.kind != LaneKind::host || lane.count == 0) continue;
    std::size_t calls = 2 * outermost_calls(trace, l).size();
    if (calls == 0 && trace.strings[lane.name].starts_with("python")) calls = 1;
    if (calls == 0) continue;
    const auto [at, added] = best.try_emplace(lane.host, calls, static_cast<std::uint32_t>(l));
    if (!added && calls > at->second.first) at->second = {calls, static_cast<std::uint32_t>(l)};
  }
  std::map<HostId, std::uint32_t> feeders;
  for (const auto& [host, lane] : best) feeders[host] = lane.second;
  return feeders;
}

/// Every stretch of `window`, with the innermost event or kNoEvent.
template <typename Visit>
void walk(const HostThread& time, Window window, const Visit& visit) {
  Picoseconds now = window.begin;
  auto at = std::ranges::upper_bound(time.segments, now, {}, &HostThread::Segment::end);
  for (; at != time.segments.end() && at->begin < window.end; ++at) {
    if (at->begin > now) {
      visit(kNoEvent, Window{now, at->begin});
      now = at->begin;
    }
    const Picoseconds end = std::min(at->end, window.end);
    visit(at->event, Window{now, end});
    now = end;
  }
  if (now < window.end) visit(kNoEvent, Window{now, window.end});
}

}  // namespace

HostNames::HostNames(const Trace& trace) : trace_(trace), rows_(2 * trace.strings.size(), 0) {
  for (const Annotation& annotation : trace.annotations) {
    if (annotation.hlo_op != StringId::empty) ops_.insert(annotation.hlo_op);
  }
}

const HostName& HostNames::of(StringId name, bool launches) {
  std::uint32_t& row = rows_[2 * static_cast<std::size_t>(name) + (launches ? 1 : 0)];
  if (row == 0) {
    names_.push_back(describe(name, launches));
    row = static_cast<std::uint32_t>(names_.size());
  }
  return names_[row - 1];
}

HostName HostNames::describe(StringId name, bool launches) const {
  const std::string_view text = trace_.strings[name];
  const bool op = ops_.contains(name);
  HostName out{.cls = host_class(text, op || launches),
               .wait = is_wait(text),
               .frame = text.starts_with('$'),
               .plain = plain_host_name(text)};
  // CUPTI names a launch after its kernel, and XLA a thunk after its op: as causes they are one.
  if (out.cls == HostClass::launch && op) {
    out.plain = "(thunk)";
  } else if (out.cls == HostClass::launch && launches && !is_driver_call(text)) {
    out.plain = "(kernel launch)";
  }
  return out;
}

Blamer::Blamer(const Trace& trace, const Works& works, HostNames& names)
    : trace_(trace), names_(names), feeders_(find_feeders(trace)) {
  std::uint32_t at = kNoEvent;  // The lane of the last call: the next is most often in the same.
  for (std::size_t i = 0; i < trace.device_events; ++i) {
    if (works.thread[i] == kNoEvent || works.launches.interval[i] == kNoEvent) continue;
    const std::uint32_t call = works.launches.call[i];
    const auto holds = [&](std::uint32_t l) {
      const Lane& lane = trace.lanes[l];
      return call >= lane.first && call < lane.first + lane.count;
    };
    if (holds(works.thread[i])) continue;
    if (at == kNoEvent || !holds(at)) at = static_cast<std::uint32_t>(lane_of(trace, call));
    api_[works.thread[i]].insert(at);
  }
}

std::uint32_t Blamer::feeder(HostId host) const {
  const auto found = feeders_.find(host);
  return found == feeders_.end() ? kNoEvent : found->second;
}

const BlamedThread* Blamer::feeder_of(std::uint32_t launcher) {
  const std::uint32_t lane = feeder(trace_.lanes[launcher].host);
  return lane == kNoEvent || lane == launcher ? nullptr : &thread(lane);
}

void Blamer::blame(std::uint32_t launcher, Window window, std::vector<BlamedPiece>& pieces) {
  const BlamedThread& own = thread(launcher);
  const BlamedThread* const fed_by = feeder_of(launcher);
  walk(own.time, window, [&](std::uint32_t event, Window part) {
    const bool idle = event == kNoEvent || names_.of_event(event).wait;
    if (!idle || fed_by == nullptr) {
      pieces.push_back({launcher, event, part.length()});
      return;
    }
    walk(fed_by->time, part, [&](std::uint32_t other, Window inner) {
      const bool works = other != kNoEvent && !names_.of_event(other).wait;
      if (works || (event == kNoEvent && other != kNoEvent)) {
        pieces.push_back({fed_by->lane, other, inner.length()});
      } else {
        pieces.push_back({launcher, event, inner.length()});
      }
    });
  });
}

std::uint32_t Blamer::sync_before(std::uint32_t launcher, Picoseconds idle_since) {
  for (const BlamedThread* const at : {&thread(launcher), feeder_of(launcher)}) {
    if (at == nullptr) continue;
    const HostThread::Segment* const open = segment_at(at->time, idle_since);
    if (open == nullptr || !names_.of_event(open->event).wait) continue;
    const Picoseconds end = trace_.events.begin[open->event] + trace_.events.duration[open->event];
    if (end - idle_since <= kSyncSlack) return open->event;
  }
  return kNoEvent;
}

std::string_view Blamer::nothing_on(std::uint32_t lane) {
  return thread(lane).observed ? "(no event)" : "(unobserved)";
}

const BlamedThread& Blamer::thread(std::uint32_t lane) {
  const auto [at, added] = threads_.try_emplace(lane);
  BlamedThread& made = at->second;
  if (!added) return made;
  made.lane = lane;
  made.lanes.push_back(lane);
  if (const auto api = api_.find(lane); api != api_.end()) {
    made.lanes.insert(made.lanes.end(), api->second.begin(), api->second.end());
  }
  made.time = host_thread(trace_, made.lanes,
                          [&](StringId name) { return names_.of(name).cls == HostClass::pool; });
  for (const HostThread::Segment& segment : made.time.segments) {
    if (!names_.of_event(segment.event).wait) made.active.add({segment.begin, segment.end});
  }
  made.observed = std::ranges::any_of(made.time.segments, [&](const HostThread::Segment& s) {
    return trace_.events.correlation[s.event] == 0;
  });
  return made;
}

std::uint64_t Blamer::cut_events() const {
  std::uint64_t cut = 0;
  for (const auto& [lane, made] : threads_) cut += made.time.cut;
  return cut;
}

}  // namespace jaxtrace
