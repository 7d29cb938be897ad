// Lanes of instructions stand above the streams of their GPU, or where streams run side by side,
// each above its own.
#include "export/trace_layout.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "analysis/times.h"

namespace jaxtrace {
namespace {

// Beyond any stream's number; streams and threads of the capture keep theirs.
constexpr std::uint32_t kDerivedThread = 1'000'001;

std::size_t row(DeviceId id) {
  return static_cast<std::size_t>(id);
}

/// " - from #16", as XProf calls derived lanes of one stream.
std::string from_stream(std::string_view lane) {
  constexpr std::string_view kStream = "Stream ";
  if (lane.starts_with(kStream)) lane.remove_prefix(kStream.size());
  return " - from " + std::string(lane.substr(0, lane.find('(')));
}

std::string numbered(std::string name, std::size_t row) {
  return row == 0 ? name : std::move(name) + " (" + std::to_string(row + 1) + ')';
}

class Layouter {
 public:
  Layouter(const TraceFileInput& input, SliceTexts& texts, TraceThreads& threads,
           TraceFileCounts& counts)
      : in_(input), texts_(texts), threads_(threads), counts_(counts) {}

  TraceLayout run() {
    layout_.row.assign(in_.trace.events.size(), kNotDrawn);
    for (std::size_t l = 0; l < in_.trace.lanes.size(); ++l) place(l);
    for (std::size_t l = 0; l < in_.trace.lanes.size(); ++l) {
      const Lane& lane = in_.trace.lanes[l];
      if (lane.kind != LaneKind::host || rows_[l] == 0) continue;
      layout_.hosts.push_back(lane_threads(l, threads_.process(lane.host, DeviceId::none)));
    }
    const std::vector<std::uint32_t> steps = step_texts(in_.steps, texts_);
    for (std::size_t t = 0; t < in_.timelines.size(); ++t) {
      if (in_.selection.device[row(in_.timelines[t].device)]) device(t, steps);
    }
    align_hosts();
    return std::move(layout_);
  }

 private:
  const Lane& lane(std::size_t l) const { return in_.trace.lanes[l]; }

  /// Rows of a lane's events.
  void place(std::size_t l) {
    const bool work = lane(l).kind == LaneKind::stream;
    SliceRows rows(work ? SliceRows::Inside::never : SliceRows::Inside::whole, Picoseconds{0});
    for (std::size_t i = lane(l).first; i < lane(l).first + lane(l).count; ++i) {
      if (!in_.selection.lane[l]) break;
      if (!has_plausible_time(in_.trace, i) || (work && in_.works.damaged[i])) {
        ++counts_.damaged;
        continue;
      }
      if (!is_drawn(in_.trace, in_.works, in_.steps, in_.selection, lane(l), i)) continue;
      layout_.row[i] = rows.place(in_.trace.events.begin[i], end_of(in_.trace, i));
      if (layout_.row[i] == kNotDrawn) {
        ++counts_.left_out;
      } else {
        ++(work ? counts_.device_events : counts_.host_events);
        if (layout_.row[i] > 0) ++(work ? counts_.moved_kernels : counts_.moved_host);
      }
    }
    rows_.push_back(rows.size());
  }

  LaneLayout lane_threads(std::size_t l, std::uint32_t process) {
    LaneLayout layout{.lane = l, .rows = {}};
    const std::string name(in_.trace.strings[lane(l).name]);
    for (std::size_t r = 0; r < rows_[l]; ++r) {
      const auto wish = static_cast<std::uint32_t>(lane(l).id);
      layout.rows.push_back(threads_.add(process, r == 0 ? wish : wish + 1, numbered(name, r)));
    }
    return layout;
  }

  SpanLayout span_threads(SpanLane spans, std::uint32_t process, const std::string& name) {
    SpanLayout layout{.lane = std::move(spans), .rows = {}};
    for (std::size_t r = 0; r < layout.lane.rows; ++r) {
      layout.rows.push_back(threads_.add(process, kDerivedThread, numbered(name, r)));
    }
    return layout;
  }

  GroupLayout group_threads(DerivedGroup group, std::uint32_t process, const std::string& from) {
    GroupLayout layout{.group = std::move(group), .rows = {}};
    counts_.left_out += layout.group.left_out;
    // Names are those of XProf's derived lines, which tools know to be no device work.
    for (std::size_t r = 0; r < layout.group.rows; ++r) {
      const auto add = [&](const char* name) {
        return threads_.add(process, kDerivedThread, numbered(name + from, r));
      };
      const TraceThread frames = add("Source code");
      const TraceThread scopes = add("Framework Name Scope");
      layout.rows.push_back({frames, scopes, add("XLA Ops")});
    }
    return layout;
  }

  /// Those of `events` that are drawn and have an instruction.
  std::vector<std::uint32_t> attributed(std::span<const std::uint32_t> events) const {
    std::vector<std::uint32_t> out;
    for (const std::uint32_t event : events) {
      const std::uint32_t label = in_.attribution.label[event];
      if (layout_.row[event] != kNotDrawn && texts_.instruction(label) != kNone) {
        out.push_back(event);
      }
    }
    return out;
  }

  bool on_one_stream(std::span<const std::uint32_t> events) const {
    const std::size_t first = lane_of(in_.trace, events.front());
    const std::size_t begin = lane(first).first, end = begin + lane(first).count;
    return std::ranges::all_of(events,
                               [&](std::uint32_t event) { return event >= begin && event < end; });
  }

  void device(std::size_t t, std::span<const std::uint32_t> steps) {
    const DeviceTimeline& timeline = in_.timelines[t];
    const Device& gpu = in_.trace.devices[row(timeline.device)];
    const std::uint32_t process = threads_.process(gpu.host, timeline.device);
    DeviceLayout layout;
    layout.steps =
        span_threads(step_spans(in_.steps, in_.selection, t, steps, counts_.cut), process, "Steps");
    std::vector<std::uint32_t> drawn;
    for (const std::uint32_t event : timeline.order) {
      if (layout_.row[event] != kNotDrawn) drawn.push_back(event);
    }
    layout.modules =
        span_threads(module_spans(in_.trace, in_.attribution, texts_, drawn, counts_.cut), process,
                     "XLA Modules");
    DerivedGroup all = group_of(in_.trace, attributed(drawn));
    const bool together = all.rows <= 1 || on_one_stream(all.events);
    if (together) layout.groups.push_back(group_threads(std::move(all), process, ""));
    for (const std::size_t l : timeline.lanes) {
      if (rows_[l] == 0) continue;
      if (!together) {
        layout.groups.push_back(
            group_threads(group_of(in_.trace, attributed(lane_order(in_.trace, in_.works, l))),
                          process, from_stream(in_.trace.strings[lane(l).name])));
      }
      layout.lanes.push_back(lane_threads(l, process));
    }
    layout_.devices.push_back(std::move(layout));
  }

  /// Times count from the start of each host's session.  Where all hosts tell when that was, they
  /// are set against each other by it; and nothing begins before zero, which Perfetto drops.
  void align_hosts() {
    const std::vector<Host>& hosts = in_.trace.hosts;
    constexpr std::int64_t kFarNs = 86'400'000'000'000;  // A day: no common session.
    std::vector<std::int64_t> start;
    for (const Host& host : hosts) {
      if (host.origin_ns != 0) {
        start.push_back(host.origin_ns);
      } else if (host.profile_start_ns && *host.profile_start_ns >= 0) {
        start.push_back(*host.profile_start_ns);
      }
    }
    layout_.later.assign(hosts.size(), Picoseconds{0});
    if (hosts.size() > 1 && start.size() == hosts.size()) {
      const auto [least, most] = std::ranges::minmax(start);
      for (std::size_t h = 0; h < hosts.size() && most - least < kFarNs; ++h) {
        layout_.later[h] = Picoseconds{(start[h] - least) * 1000};
      }
    }
    Picoseconds first{0};
    for (const Lane& of : in_.trace.lanes) {
      for (std::size_t i = of.first; i < of.first + of.count; ++i) {
        if (layout_.row[i] == kNotDrawn) continue;
        const Picoseconds begin = in_.trace.events.begin[i];
        first = std::min(first, begin + layout_.later[static_cast<std::size_t>(of.host)]);
        break;  // They come by begin.
      }
    }
    constexpr std::int64_t kMicro = 1'000'000;
    counts_.shift = Picoseconds{(-first.count() + kMicro - 1) / kMicro * kMicro};
    for (Picoseconds& later : layout_.later) later += counts_.shift;
  }

  const TraceFileInput& in_;
  SliceTexts& texts_;
  TraceThreads& threads_;
  TraceFileCounts& counts_;
  TraceLayout layout_;
  std::vector<std::size_t> rows_;  // By lane.
};

}  // namespace

TraceLayout lay_out(const TraceFileInput& input, SliceTexts& texts, TraceThreads& threads,
                    TraceFileCounts& counts) {
  return Layouter(input, texts, threads, counts).run();
}

}  // namespace jaxtrace
