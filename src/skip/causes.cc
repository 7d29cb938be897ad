// Gap by gap, instant by instant: whose event fills it.
#include "skip/causes.h"
#include "skip/coverage.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace jaxtrace {
namespace {

/// Rows of causes under construction.
struct Tally {
  Picoseconds self{0};
  std::uint64_t gaps = 0;
  HostClass cls = HostClass::none;
  std::size_t last_gap = static_cast<std::size_t>(-1);
};
using CauseKey = std::tuple<std::size_t, std::uint32_t, std::string_view>;

std::uint32_t step_at(const Steps& steps, std::size_t device, Picoseconds instant,
                      const std::vector<std::pair<Picoseconds, std::uint32_t>>& begins) {
  const auto after =
      std::ranges::upper_bound(begins, instant, {}, [](const auto& b) { return b.first; });
  if (after == begins.begin()) return kNoStep;
  const std::uint32_t step = std::prev(after)->second;
  return instant < steps.steps[step].devices[device].window->end ? step : kNoStep;
}

/// How long an event of each cause's name was open on its thread during host_late.
void add_totals(const Trace& trace, Blamer& blamer, HostNames& names,
                const std::vector<Coverage>& late, std::vector<Cause>& causes) {
  std::map<std::uint32_t, std::map<std::string_view, std::vector<Cause*>>> by_thread;
  for (Cause& cause : causes) {
    if (cause.cls == HostClass::none) {
      cause.total = cause.self;
    } else {
      by_thread[cause.thread][cause.event].push_back(&cause);
    }
  }
  for (auto& [lane, wanted] : by_thread) {
    std::map<std::string_view, Picoseconds> covered;  // Of nested events of a name, the outermost
    for (const std::uint32_t l : blamer.thread(lane).lanes) {
      covered.clear();
      const Lane& row = trace.lanes[l];
      for (std::size_t i = row.first; i < row.first + row.count; ++i) {
        const HostName& name = names.of_event(static_cast<std::uint32_t>(i));
        const auto found = wanted.find(name.plain);
        if (found == wanted.end()) continue;
        auto& reached = covered.try_emplace(found->first, Picoseconds::min()).first->second;
        const Picoseconds begin = std::max(trace.events.begin[i], reached);
        const Picoseconds end = trace.events.begin[i] + trace.events.duration[i];
        if (end <= begin) continue;
        reached = end;
        for (Cause* const cause : found->second) {
          cause->total += late[cause->device].within({begin, end});
        }
      }
    }
  }
}

/// Long gaps in which the blamed thread sat in one Python frame while another thread ran Python.
std::uint64_t count_gil_hints(const Trace& trace, Blamer& blamer, HostNames& names,
                              const std::vector<ExplainedGap>& gaps) {
  constexpr Picoseconds kLong = std::chrono::microseconds(50);
  constexpr std::size_t kMostLooked = 1000;
  std::vector<std::uint32_t> python;
  for (std::size_t l = 0; l < trace.lanes.size(); ++l) {
    const Lane& lane = trace.lanes[l];
    if (lane.kind != LaneKind::host) continue;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      if (names.of(trace.events.name[i]).frame) {
        python.push_back(static_cast<std::uint32_t>(l));
        break;
      }
    }
  }
  if (python.size() < 2) return 0;
  std::uint64_t hints = 0;
  std::size_t looked = 0;
  for (const ExplainedGap& gap : gaps) {
    if (gap.top_event == kNoEvent || gap.top_self < kLong || looked == kMostLooked) continue;
    if (!names.of_event(gap.top_event).frame) continue;
    ++looked;
    const auto own = static_cast<std::uint32_t>(lane_of(trace, gap.top_event));
    for (const std::uint32_t lane : python) {
      if (lane == own || trace.lanes[lane].host != trace.lanes[own].host) continue;
      Picoseconds busy{0};
      for (const auto& [event, time] : self_time(blamer.thread(lane).time, gap.gap.window)) {
        if (event != kNoEvent && names.of_event(event).frame) busy += time;
      }
      if (busy * 5 < gap.gap.window.length() * 4) continue;
      ++hints;
      break;
    }
  }
  return hints;
}

bool has_frames(const Trace& trace, HostNames& names) {
  for (std::size_t i = trace.device_events; i < trace.events.size(); ++i) {
    if (names.of(trace.events.name[i]).frame) return true;
  }
  return false;
}

}  // namespace

Causes find_causes(const Scope& scope, Blamer& blamer, HostNames& names, Picoseconds short_gap) {
  const Trace& trace = scope.trace;
  const Works& works = scope.works;
  const Steps& steps = scope.steps;
  const std::vector<DeviceTimeline>& timelines = scope.timelines;
  Causes out;
  std::map<CauseKey, Tally> tallies;
  std::vector<Coverage> late(timelines.size());
  std::vector<BlamedPiece> pieces;
  out.by_device.resize(timelines.size());
  out.by_step.resize(timelines.size());

  for (std::size_t d = 0; d < timelines.size(); ++d) {
    out.by_step[d].resize(steps.steps.size());
    std::vector<std::pair<Picoseconds, std::uint32_t>> begins;
    for (std::size_t s = 0; s < steps.steps.size(); ++s) {
      const DeviceStep& step = steps.steps[s].devices[d];
      if (step.window) begins.emplace_back(step.window->begin, static_cast<std::uint32_t>(s));
    }
    std::ranges::sort(begins);

    const auto explain = [&](const Gap& gap) {
      ExplainedGap explained{.device = static_cast<std::uint32_t>(d), .gap = gap};
      explained.step = step_at(steps, d, gap.window.begin, begins);
      const Picoseconds asked = split_gap(trace, works, gap, short_gap).of(IdlePart::host_late);
      if (asked > Picoseconds{0}) {
        const Window window{gap.window.begin, gap.window.begin + asked};
        const std::uint32_t launcher = works.thread[gap.next];
        late[d].add(window);
        pieces.clear();
        blamer.blame(launcher, window, pieces);
        std::map<std::uint32_t, Picoseconds> by_event;
        for (const BlamedPiece& piece : pieces) {
          const HostName* const name =
              piece.event == kNoEvent ? nullptr : &names.of_event(piece.event);
          const HostClass cls = name ? name->cls : HostClass::none;
          const std::string_view text =
              name ? std::string_view(name->plain) : blamer.nothing_on(piece.thread);
          Tally& tally = tallies[{d, piece.thread, text}];
          tally.self += piece.time;
          tally.cls = cls;
          if (tally.last_gap != out.gaps.size()) ++tally.gaps;
          tally.last_gap = out.gaps.size();
          out.by_device[d][static_cast<std::size_t>(cls)] += piece.time;
          if (explained.step != kNoStep) {
            out.by_step[d][explained.step][static_cast<std::size_t>(cls)] += piece.time;
          }
          if (name == nullptr) continue;
          const Picoseconds self = by_event[piece.event] += piece.time;
          if (self > explained.top_self) {
            explained.top_self = self;
            explained.top_event = piece.event;
          }
        }
        explained.sync = blamer.sync_before(launcher, gap.window.begin);
      }
      out.gaps.push_back(explained);
    };
    sweep(trace, works, part(timelines[d], steps.steady[d].begin), steps.steady[d],
          {.gap = explain, .exposed = {}});
  }

  for (const auto& [key, tally] : tallies) {
    const auto& [device, thread, event] = key;
    out.causes.push_back({.device = device,
                          .thread = thread,
                          .event = std::string(event),
                          .cls = tally.cls,
                          .self = tally.self,
                          .total = Picoseconds{0},
                          .gaps = tally.gaps});
  }
  add_totals(trace, blamer, names, late, out.causes);
  std::ranges::sort(out.causes, {}, [](const Cause& c) {
    return std::tuple(c.device, -c.self, c.thread, std::string_view(c.event));
  });
  out.cut_events = blamer.cut_events();
  out.python_tracer = has_frames(trace, names);
  if (out.python_tracer) out.gil_hints = count_gil_hints(trace, blamer, names, out.gaps);
  return out;
}

}  // namespace jaxtrace
