// All lanes merged by time.  Each is in order by itself, so of every lane only the next slice is
// held.
#include "export/trace_file.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "analysis/times.h"
#include "export/own_files.h"
#include "export/trace_event_text.h"
#include "export/trace_layout.h"
#include "export/trace_text.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20U;

/// An event of the capture, or a derived slice.
struct Drawn {
  Picoseconds begin{0}, duration{0};
  TraceThread thread;
  std::uint32_t event = kNoEvent;
  std::uint32_t text = 0;
  std::uint64_t kernels = 0;
  std::uint32_t execution = kNone;
};

using Next = std::function<bool(Drawn&)>;

Drawn drawn_of(const DerivedSlice& slice) {
  return {slice.begin, slice.duration, slice.thread, kNoEvent, slice.text, slice.kernels, kNone};
}

class TraceFile {
 public:
  TraceFile(const TraceFileInput& input, const std::function<void(std::string_view)>& out)
      : in_(input),
        out_(out),
        texts_(input.trace, input.attribution, input.ops, input.user),
        threads_(input.trace),
        layout_(lay_out(input, texts_, threads_, counts_)),
        events_(input.trace, input.attribution, input.works, texts_) {}

  TraceFileCounts run() {
    find_arrows();
    open_lanes();
    buffer_ = "{\"displayTimeUnit\":\"ns\",\"metadata\":{\"highres-ticks\":true},\n";
    buffer_ += kTraceFileMark;
    buffer_ += " attribute\"";
    if (counts_.shift.count() != 0) append_number(buffer_, "shift_ps", counts_.shift.count());
    buffer_ += "},\n\"traceEvents\":[\n";
    buffer_ += threads_.metadata();
    merge();
    // Every event ends with a comma and a line feed; the last must not.
    if (buffer_.ends_with(",\n")) buffer_.resize(buffer_.size() - 2);
    buffer_ += "\n]}\n";
    give(buffer_);
    return counts_;
  }

 private:
  /// From a call to the first event that it launched on a device.
  struct Arrow {
    std::uint32_t call = 0, event = 0;
    auto operator<=>(const Arrow&) const = default;
  };

  Picoseconds begin_of(std::uint32_t event) const { return in_.trace.events.begin[event]; }

  void give(std::string_view text) {
    counts_.bytes += text.size();
    out_(text);
  }

  void find_arrows() {
    for (std::uint32_t i = 0; i < in_.trace.device_events; ++i) {
      const std::uint32_t call = in_.works.launches.call[i];
      if (call == kNoEvent || in_.works.graph_index[i] != 0) continue;
      if (layout_.row[i] == kNotDrawn || layout_.row[call] == kNotDrawn) continue;
      if (begin_of(i) < begin_of(call)) {
        ++counts_.backwards;
        continue;
      }
      arrows_.push_back({call, i});
    }
    std::ranges::sort(arrows_);
    counts_.arrows = arrows_.size();
  }

  void add(Picoseconds later, Next next) { lanes_.push_back({later, std::move(next), {}}); }

  void open_lanes() {
    for (const LaneLayout& lane : layout_.hosts) add_events(lane);
    for (const DeviceLayout& device : layout_.devices) {
      add_spans(device.steps, device);
      add_spans(device.modules, device);
      for (const GroupLayout& group : device.groups) {
        for (std::size_t r = 0; r < group.rows.size(); ++r) {
          auto lanes = std::make_shared<DerivedLanes>(in_.trace, in_.attribution, texts_,
                                                      group.group, static_cast<std::uint8_t>(r),
                                                      group.rows[r], counts_.cut);
          add(later_of(device), [lanes](Drawn& drawn) {
            DerivedSlice slice;
            if (!lanes->next(slice)) return false;
            drawn = drawn_of(slice);
            return true;
          });
        }
      }
      for (const LaneLayout& lane : device.lanes) add_events(lane);
    }
  }

  Picoseconds later_of(const DeviceLayout& device) const {
    if (device.lanes.empty()) return Picoseconds{0};
    const Lane& lane = in_.trace.lanes[device.lanes.front().lane];
    return layout_.later[static_cast<std::size_t>(lane.host)];
  }

  void add_events(const LaneLayout& layout) {
    const Lane& lane = in_.trace.lanes[layout.lane];
    add(layout_.later[static_cast<std::size_t>(lane.host)],
        [this, &layout, i = lane.first, end = lane.first + lane.count](Drawn& drawn) mutable {
          while (i < end && layout_.row[i] == kNotDrawn) ++i;
          if (i == end) return false;
          drawn = {in_.trace.events.begin[i],
                   in_.trace.events.duration[i],
                   layout.rows[layout_.row[i]],
                   static_cast<std::uint32_t>(i),
                   0,
                   0,
                   kNone};
          ++i;
          return true;
        });
  }

  void add_spans(const SpanLayout& layout, const DeviceLayout& device) {
    add(later_of(device), [&layout, i = std::size_t{0}](Drawn& drawn) mutable {
      const std::vector<SpanLane::Span>& spans = layout.lane.spans;
      while (i < spans.size() && spans[i].row == kNotDrawn) ++i;
      if (i == spans.size()) return false;
      const SpanLane::Span& span = spans[i++];
      drawn = {span.begin, span.end - span.begin, layout.rows[span.row], kNoEvent,
               span.text,  span.kernels,          span.execution};
      return true;
    });
  }

  void merge() {
    // By begin, then lane: hosts before devices, so that an arrow begins before it ends.
    using Head = std::pair<Picoseconds, std::size_t>;
    std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
    const auto advance = [&](std::size_t l) {
      Source& source = lanes_[l];
      if (!source.next(source.drawn)) return;
      source.drawn.begin += source.later;
      heads.emplace(source.drawn.begin, l);
    };
    for (std::size_t l = 0; l < lanes_.size(); ++l) advance(l);
    while (!heads.empty()) {
      const std::size_t l = heads.top().second;
      heads.pop();
      write(lanes_[l].drawn);
      advance(l);
      if (buffer_.size() < kPiece) continue;
      // The last event stays, whose comma may have to go.
      const std::size_t last = buffer_.rfind('\n', buffer_.size() - 2);
      give(std::string_view(buffer_).substr(0, last + 1));
      buffer_.erase(0, last + 1);
    }
  }

  void write(const Drawn& drawn) {
    begin_event("X", drawn);
    buffer_ += R"(,"dur":)";
    append_micros(buffer_, drawn.duration);
    buffer_ += ',';
    if (drawn.event != kNoEvent) {
      events_.append(buffer_, drawn.event);
      write_arrows(drawn);
      return;
    }
    ++counts_.derived;
    const SliceText& text = texts_[drawn.text];
    buffer_ += text.name;
    buffer_ += text.marks;
    buffer_ += R"(,"args":{)";
    buffer_ += text.args;
    if (!text.args.empty()) buffer_ += ',';
    if (drawn.execution != kNone) {
      buffer_ += R"("execution":)";
      append_integer(buffer_, drawn.execution);
      buffer_ += ',';
    }
    buffer_ += R"("kernels":)";
    append_integer(buffer_, static_cast<std::int64_t>(drawn.kernels));
    buffer_ += "}},\n";
  }

  void begin_event(std::string_view phase, const Drawn& drawn) {
    buffer_ += R"({"ph":")";
    buffer_ += phase;
    buffer_ += R"(","pid":)";
    append_integer(buffer_, drawn.thread.process);
    buffer_ += R"(,"tid":)";
    append_integer(buffer_, drawn.thread.thread);
    buffer_ += R"(,"ts":)";
    append_micros(buffer_, drawn.begin);
  }

  /// Right after the slice that they are tied to, at its begin.
  void write_arrows(const Drawn& drawn) {
    if (drawn.event < in_.trace.device_events) {
      const Arrow arrow{in_.works.launches.call[drawn.event], drawn.event};
      if (arrow.call == kNoEvent || in_.works.graph_index[drawn.event] != 0) return;
      const auto found = std::ranges::lower_bound(arrows_, arrow);
      if (found != arrows_.end() && *found == arrow) {
        write_arrow("f", drawn, found - arrows_.begin());
      }
      return;
    }
    if (in_.trace.events.correlation[drawn.event] == 0) return;
    auto at = std::ranges::lower_bound(arrows_, drawn.event, {}, &Arrow::call);
    for (; at != arrows_.end() && at->call == drawn.event; ++at) {
      write_arrow("s", drawn, at - arrows_.begin());
    }
  }

  void write_arrow(std::string_view phase, const Drawn& drawn, std::ptrdiff_t row) {
    begin_event(phase, drawn);
    buffer_ += R"(,"id":)";
    append_integer(buffer_, row + 1);
    buffer_ += R"(,"cat":"launch","name":"launch")";
    if (phase == "f") buffer_ += R"(,"bp":"e")";
    buffer_ += "},\n";
  }

  struct Source {
    Picoseconds later;
    Next next;
    Drawn drawn;
  };

  const TraceFileInput& in_;
  const std::function<void(std::string_view)>& out_;
  TraceFileCounts counts_;
  SliceTexts texts_;
  TraceThreads threads_;
  TraceLayout layout_;
  EventTexts events_;
  std::vector<Arrow> arrows_;
  std::vector<Source> lanes_;
  std::string buffer_;
};

}  // namespace

TraceFileCounts write_trace_file(const TraceFileInput& input,
                                 const std::function<void(std::string_view)>& out) {
  return TraceFile(input, out).run();
}

}  // namespace jaxtrace
