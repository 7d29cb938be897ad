// The first walk measures: which events are edited, and what their lines and planes come to.  The
// second writes.  What is not edited is copied in the longest pieces there are; a plane that is
// damaged in its middle is such a piece.
#include "export/write_xplane.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "export/event_rows.h"
#include "export/plane_edit.h"
#include "export/wire_writer.h"
#include "export/xplane_sink.h"
#include "readers/plane_kinds.h"
#include "readers/times.h"
#include "readers/wire.h"
#include "readers/xplane.h"
#include "readers/xplane_fields.h"

namespace jaxtrace {
namespace {

/// A line of a plane that is not copied as it is.
struct LinePlan {
  const Lane* lane = nullptr;           ///< Its rows, if events of it may be edited.
  std::vector<std::uint32_t> edited{};  ///< By event: its row if it is edited, else kNone.
  bool cut = false;                     ///< The file ends in it.
  std::uint64_t size = 0;               ///< What it comes to.
};

/// A plane that is not copied as it is.
struct PlanePlan {
  const PlaneSpan* plane = nullptr;
  bool cut = false;
  std::optional<PlaneEdit> edit;
  std::map<const LineSpan*, LinePlan> lines;
  std::uint64_t size = 0;
};

std::string_view between(const char* from, const char* to) {
  return {from, static_cast<std::size_t>(to - from)};
}

const char* end_of(std::string_view bytes) {
  return bytes.data() + bytes.size();
}

/// Where the part of a line ends that is kept, given the cursor that has walked it.
const char* line_end(const LinePlan& as, const LineSpan& line, const Wire& walked) {
  return as.cut && walked.end() == WireEnd::cut ? walked.at() : end_of(line.bytes);
}

/// Why the fields of a message end, and the tag of the one that does not.
struct MessageEnd {
  WireEnd why = WireEnd::clean;
  std::uint32_t tag = 0;
};

MessageEnd find_end(std::string_view message) {
  Wire wire(message);
  Field field;
  while (wire.next(field)) {
  }
  return {wire.end(), field.tag};
}

class Rewriter {
 public:
  Rewriter(const Trace& trace, const Attribution& attribution, HostId host,
           std::uint16_t min_confidence)
      : trace_(trace),
        attribution_(attribution),
        host_(host),
        meter_({}, 0),
        input_(open_xplane(std::filesystem::path(trace.strings[row().file]),
                           std::string(trace.strings[row().name]), meter_)) {
    for (const Label& label : attribution.labels) {
      writes_.push_back(is_written(label, min_confidence));
      wrote_.push_back(is_written(label, 0));
    }
  }

  XplaneWritten write(std::ostream& out);

 private:
  using Rows = std::map<const Lane*, EventRows>;

  const Host& row() const { return trace_.hosts[static_cast<std::size_t>(host_)]; }
  const Lane* lane_of(const PlaneSpan& plane, const LineSpan& line) const;
  void plan(const PlaneSpan& plane, bool cut);
  void count(PlaneEdit::Verdict verdict, std::size_t event);
  void measure_line(PlanePlan& plan, const LineSpan& line, Rows& rows);
  void copy_line(PlanePlan& plan, const LineSpan& line, XplaneSink& sink);
  void copy_plane(PlanePlan& plan, XplaneSink& sink);
  void put_plane(const PlaneSpan& plane, XplaneSink& sink);

  const Trace& trace_;
  const Attribution& attribution_;
  HostId host_;
  Meter meter_;
  XplaneFile input_;
  std::vector<bool> writes_;  // By label.
  std::vector<bool> wrote_;   // By label: whether an earlier run may have written it.
  std::map<const PlaneSpan*, PlanePlan> plans_;
  XplaneWritten written_;
  std::string event_;  // The one that is being edited.
};

/// The lane that a line's events are in, if any of its events is to be written, or may have been.
const Lane* Rewriter::lane_of(const PlaneSpan& plane, const LineSpan& line) const {
  for (const Lane& lane : trace_.lanes) {
    if (lane.kind != LaneKind::stream) break;  // Stream lanes come first.
    if (lane.host != host_ || lane.id != line.id || trace_.strings[lane.name] != line.name ||
        trace_.strings[trace_.devices[static_cast<std::size_t>(lane.device)].plane] != plane.name) {
      continue;
    }
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      if (wrote_[attribution_.label[i]]) return &lane;
    }
    return nullptr;
  }
  return nullptr;
}

void Rewriter::count(PlaneEdit::Verdict verdict, std::size_t event) {
  const Amount amount{1, trace_.events.duration[event].count()};
  switch (verdict) {
    case PlaneEdit::Verdict::edited:
      return written_.added.add(amount);
    case PlaneEdit::Verdict::written:
      return written_.before.add(amount);
    case PlaneEdit::Verdict::damaged:
      return written_.damaged.add(amount);
    case PlaneEdit::Verdict::no_work:
      return;
  }
}

/// Finds out which events of a line are edited, and what the line comes to.
void Rewriter::measure_line(PlanePlan& plan, const LineSpan& line, Rows& rows) {
  LinePlan& as = plan.lines.at(&line);
  EventRows* const lane_rows =
      as.lane == nullptr ? nullptr : &rows.try_emplace(as.lane, trace_, *as.lane).first->second;
  const std::int64_t begin = line_begin(line.timestamp_ns, row().origin_ns);
  as.edited.reserve(lane_rows == nullptr ? 0 : line.events);
  std::string head;
  Wire wire(line.bytes);
  Field field;
  meter_.enter(input_.file, line.bytes.data());
  for (const char* from = wire.at(); wire.next(field); from = wire.at()) {
    meter_.reach(from);
    if (field.tag != kLineEvents || lane_rows == nullptr) continue;
    as.edited.push_back(kNone);
    const auto event = lane_rows->of_event(field.bytes, begin, plan.edit->names());
    if (!event || !wrote_[attribution_.label[*event]]) continue;
    if (!writes_[attribution_.label[*event]]) {
      if (plan.edit->is_edited(field.bytes)) {
        written_.unsure.add({1, trace_.events.duration[*event].count()});
      }
      continue;
    }
    const PlaneEdit::Verdict verdict = plan.edit->edit(field.bytes, *event, event_);
    count(verdict, *event);
    if (verdict != PlaneEdit::Verdict::edited) continue;
    as.edited.back() = static_cast<std::uint32_t>(*event);
    head.clear();
    put_head(head, kLineEvents, event_.size());
    as.size += head.size() + event_.size() - static_cast<std::size_t>(wire.at() - from);
  }
  as.size += between(line.bytes.data(), line_end(as, line, wire)).size();
  meter_.leave(wire.at());
}

void Rewriter::copy_line(PlanePlan& plan, const LineSpan& line, XplaneSink& sink) {
  const LinePlan& as = plan.lines.at(&line);
  const char* copied = line.bytes.data();
  auto row = as.edited.begin();
  std::string head;
  Wire wire(line.bytes);
  Field field;
  meter_.enter(input_.file, copied);
  for (const char* from = copied; wire.next(field); from = wire.at()) {
    if (from - copied >= static_cast<std::ptrdiff_t>(XplaneSink::kPiece)) {
      sink.copy(between(copied, from));
      copied = from;
    }
    meter_.reach(copied);
    if (field.tag != kLineEvents || row == as.edited.end() || *row++ == kNone) continue;
    plan.edit->edit(field.bytes, *std::prev(row), event_);
    sink.copy(between(copied, from));
    head.clear();
    put_head(head, kLineEvents, event_.size());
    sink.put(head);
    sink.put(event_);
    copied = wire.at();
  }
  sink.copy(between(copied, line_end(as, line, wire)));
  meter_.leave(wire.at());
}

/// The content of a plane, lines by their plans.
void Rewriter::copy_plane(PlanePlan& plan, XplaneSink& sink) {
  const char* copied = plan.plane->bytes.data();
  Wire wire(plan.plane->bytes);
  Field field;
  auto line = plan.plane->lines.begin();
  const auto put_line = [&](const char* from) {
    const auto found = plan.lines.find(&*line);
    if (found != plan.lines.end()) {
      sink.copy(between(copied, from));
      std::string head;
      put_head(head, kPlaneLines, found->second.size);
      sink.put(head);
      if (sink.counts_only()) {
        sink.count(found->second.size);
      } else {
        copy_line(plan, *line, sink);
      }
      copied = wire.at();
    }
    ++line;
  };
  const char* from = copied;
  for (; wire.next(field); from = wire.at()) {
    if (field.tag == kPlaneLines) put_line(from);
  }
  if (plan.cut && wire.end() == WireEnd::cut) {
    if (field.tag == kPlaneLines) put_line(from);
    sink.copy(between(copied, wire.at()));
  } else {
    sink.copy(between(copied, end_of(plan.plane->bytes)));
  }
  if (plan.edit) sink.put(plan.edit->metadata());
}

/// Finds out what becomes of a plane, and what that comes to.
void Rewriter::plan(const PlaneSpan& plane, bool cut) {
  const MessageEnd end = find_end(plane.bytes);
  const bool readable = end.why == WireEnd::clean || (cut && end.why == WireEnd::cut);
  PlanePlan plan{.plane = &plane, .cut = cut, .edit = std::nullopt, .lines = {}};
  if (cut && end.why == WireEnd::cut && end.tag == kPlaneLines) {
    plan.lines[&plane.lines.back()].cut = true;
  }
  if (readable && gpu_ordinal(plane.name)) {
    const DeviceLines device = device_lines(plane);
    for (const LineSpan* line : device.work) {
      const Lane* const lane = device.derived ? nullptr : lane_of(plane, *line);
      if (lane == nullptr) continue;
      plan.lines[line].lane = lane;
      if (!plan.edit) plan.edit.emplace(trace_, attribution_, plane.bytes, cut);
    }
  }

  Rows rows;
  const std::int64_t before = written_.added.events;
  for (const LineSpan& line : plane.lines) {  // In the order of the file, as they are written.
    if (!plan.lines.contains(&line)) continue;
    measure_line(plan, line, rows);
  }
  if (!cut && written_.added.events == before) return;  // Copied as it is.
  XplaneSink count(input_.file, nullptr);
  copy_plane(plan, count);
  plan.size = count.size();
  if (plan.edit) plan.edit->forget();
  plans_.emplace(&plane, std::move(plan));
}

void Rewriter::put_plane(const PlaneSpan& plane, XplaneSink& sink) {
  PlanePlan& plan = plans_.at(&plane);
  std::string head;
  put_head(head, kSpacePlanes, plan.size);
  sink.put(head);
  copy_plane(plan, sink);
  plans_.erase(&plane);
}

XplaneWritten Rewriter::write(std::ostream& out) {
  const std::string_view bytes = input_.file.bytes();
  const MessageEnd end = find_end(bytes);
  if (end.why == WireEnd::cut) written_.cut_at = bytes.size();
  const std::vector<PlaneSpan>& planes = input_.survey.planes;
  for (const PlaneSpan& plane : planes) {
    plan(plane, end.why == WireEnd::cut && end.tag == kSpacePlanes && &plane == &planes.back());
  }

  XplaneSink sink(input_.file, &out);
  auto plane = planes.begin();
  const char* copied = bytes.data();
  const char* from = copied;
  Wire wire(bytes);
  Field field;
  for (; wire.next(field); from = wire.at()) {
    if (field.tag != kSpacePlanes) continue;
    if (plans_.contains(&*plane)) {
      sink.copy(between(copied, from));
      put_plane(*plane, sink);
      copied = wire.at();
    }
    ++plane;
  }
  if (!written_.cut_at) {
    sink.copy(between(copied, end_of(bytes)));
  } else {
    sink.copy(between(copied, from));
    if (plane != planes.end()) put_plane(*plane, sink);
    std::string warning;
    put_bytes(warning, kSpaceWarnings,
              fmt::format("{}the file that this one was made from is cut at byte {}; what was "
                          "incomplete there, and all that would have followed, is lost",
                          kWrittenCut, bytes.size()));
    sink.put(warning);
  }
  sink.flush();
  return written_;
}

}  // namespace

bool is_written(const Label& label, std::uint16_t min_confidence) {
  return (label.match == Match::name || label.match == Match::order) && label.program != kNone &&
         label.instruction != hlo::InstructionId::none && label.confidence >= min_confidence;
}

void Amount::add(const Amount& other) {
  events += other.events;
  if (__builtin_add_overflow(total_ps, other.total_ps, &total_ps)) {
    total_ps = other.total_ps < 0 ? std::numeric_limits<std::int64_t>::min()
                                  : std::numeric_limits<std::int64_t>::max();
  }
}

XplaneWritten write_xplane(const Trace& trace, const Attribution& attribution, HostId host,
                           std::uint16_t min_confidence, std::ostream& out) {
  return Rewriter(trace, attribution, host, min_confidence).write(out);
}

}  // namespace jaxtrace
