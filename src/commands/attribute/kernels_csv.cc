// Tens of millions of rows, so nothing that repeats is formatted twice: the cells that depend on
// the lane, the kernel's name, the annotation or the label are made once, as CSV bytes.
#include "commands/attribute/kernels_csv.h"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include "report/csv_writer.h"

namespace jaxtrace {
namespace {

/// CSV bytes of the cells that `write` adds.
template <class Write>
std::string as_csv(Write write) {
  constexpr std::size_t kFewCells = 4096;
  std::ostringstream text;
  {
    CsvWriter csv(text, kFewCells);
    write(csv);
  }
  return std::move(text).str();
}

std::string cell_bytes(std::string_view text) {
  return as_csv([&](CsvWriter& csv) { csv.cell(text); });
}

/// The cells of a row that its label decides: before and after `execution`.
struct LabelCells {
  std::string program;  ///< program_id,module
  std::string rest;     ///< instruction … user_frame[,stack]
};

LabelCells label_cells(const Trace& trace, const Attribution& attribution, const Ops& ops,
                       std::size_t row, bool stacks) {
  const Label& label = attribution.labels[row];
  const Op none;
  const Op& op = ops.of_label[row] == kNone ? none : ops.rows[ops.of_label[row]];
  LabelCells cells;
  cells.program = as_csv([&](CsvWriter& csv) {
    if (label.program == kNone) {
      csv.cell();
      csv.cell();
      return;
    }
    const AttributedProgram& program = attribution.programs[label.program];
    csv.cell(program_id_text(program));
    csv.cell(trace.strings[program.module]);
  });
  cells.rest = as_csv([&](CsvWriter& csv) {
    csv.cell(op.name);
    csv.cell(op.opcode);
    csv.cell(text(label.match));
    csv.cell(text(label.rule));
    csv.thousandths(label.confidence);
    csv.cell(op.source.op_name);
    csv.cell(ops.of_label[row] == kNone ? std::string_view() : text(op.source.phase));
    csv.cell(op.source.user.file);
    if (op.source.user.line > 0) {
      csv.cell(op.source.user.line);
    } else {
      csv.cell();
    }
    csv.cell(op.source.user.function);
    csv.cell(user_frame(op.source));
    if (stacks) csv.cell(stack_text(op.source));
  });
  return cells;
}

/// The events of one device, lane after lane merged by begin.  Few lanes, so the next is found by
/// looking at all of them, and only when the current one has been overtaken.
class DeviceEvents {
 public:
  DeviceEvents(const Trace& trace, std::size_t first_lane, std::size_t last_lane)
      : begin_(trace.events.begin) {
    for (std::size_t lane = first_lane; lane < last_lane; ++lane) {
      const Lane& in = trace.lanes[lane];
      if (in.count > 0) cursors_.push_back({in.first, in.first + in.count, lane});
    }
    choose();
  }

  bool done() const { return cursors_.empty(); }
  std::size_t lane() const { return cursors_[current_].lane; }
  std::size_t event() const { return cursors_[current_].at; }

  void advance() {
    Cursor& cursor = cursors_[current_];
    if (++cursor.at == cursor.end) {
      cursors_.erase(cursors_.begin() + static_cast<std::ptrdiff_t>(current_));
      choose();
    } else if (begin_[cursor.at] > limit_ ||
               (begin_[cursor.at] == limit_ && current_ > limit_cursor_)) {
      choose();
    }
  }

 private:
  struct Cursor {
    std::size_t at;
    std::size_t end;
    std::size_t lane;
  };

  /// Finds the earliest lane, and when the second will overtake it; equal begins go by lane.
  void choose() {
    current_ = 0;
    limit_ = Picoseconds::max();
    limit_cursor_ = cursors_.size();
    for (std::size_t i = 1; i < cursors_.size(); ++i) {
      const Picoseconds begin = begin_[cursors_[i].at];
      if (begin < begin_[cursors_[current_].at]) {
        limit_ = begin_[cursors_[current_].at];
        limit_cursor_ = current_;
        current_ = i;
      } else if (begin < limit_) {
        limit_ = begin;
        limit_cursor_ = i;
      }
    }
  }

  const std::vector<Picoseconds>& begin_;
  std::vector<Cursor> cursors_;
  std::size_t current_ = 0;
  std::size_t limit_cursor_ = 0;
  Picoseconds limit_{0};
};

class Rows {
 public:
  Rows(const Trace& trace, const Attribution& attribution, const Ops& ops, const Counted& counted,
       bool stacks, std::ostream& out)
      : trace_(trace),
        attribution_(attribution),
        counted_(counted),
        csv_(out),
        kernel_names_(trace.strings.size()),
        graphs_(trace.annotations.size()) {
    for (std::size_t i = 0; i < attribution.labels.size(); ++i) {
      labels_.push_back(label_cells(trace, attribution, ops, i, stacks));
    }
    for (const Kind kind :
         {Kind::kernel, Kind::memcpy, Kind::memset, Kind::collective, Kind::graph}) {
      kinds_.push_back(text(kind));
    }
  }

  void header(bool stacks) {
    for (const std::string_view name :
         {"host",        "device",         "stream", "start_ps",   "duration_ps", "kernel",
          "kind",        "correlation_id", "graph",  "program_id", "module",      "execution",
          "instruction", "opcode",         "match",  "rule",       "confidence",  "op_name",
          "phase",       "file",           "line",   "function",   "user_frame"}) {
      csv_.cell(name);
    }
    if (stacks) csv_.cell(std::string_view("stack"));
    csv_.end_row();
  }

  void device(std::size_t first_lane, std::size_t last_lane) {
    std::vector<std::string> heads;
    for (std::size_t i = first_lane; i < last_lane; ++i) {
      const Lane& lane = trace_.lanes[i];
      heads.push_back(as_csv([&](CsvWriter& csv) {
        csv.cell(trace_.strings[trace_.hosts[static_cast<std::size_t>(lane.host)].name]);
        csv.cell(device_name(trace_, lane.device));
        csv.cell(stream_name(trace_.strings[lane.name]));
      }));
    }
    for (DeviceEvents events(trace_, first_lane, last_lane); !events.done(); events.advance()) {
      row(events.event(), heads[events.lane() - first_lane]);
    }
  }

 private:
  void row(std::size_t event, const std::string& head) {
    const std::uint32_t label = attribution_.label[event];
    if (!counted_.shown[label]) return;
    const LabelCells& cells = labels_[label];
    csv_.raw(head);
    csv_.cell(trace_.events.begin[event].count());
    csv_.cell(trace_.events.duration[event].count());
    csv_.raw(kernel_name(trace_.events.name[event]));
    csv_.raw(kinds_[static_cast<std::size_t>(attribution_.kind[event])]);
    if (const std::uint64_t correlation = trace_.events.correlation[event]; correlation != 0) {
      csv_.cell(correlation);
    } else {
      csv_.cell();
    }
    if (attribution_.in_graph[event]) {
      csv_.raw(graph(trace_.events.annotation[event], label));
    } else {
      csv_.cell();
    }
    csv_.raw(cells.program);
    if (const std::uint32_t execution = attribution_.execution[event]; execution != kNone) {
      csv_.cell(execution);
    } else {
      csv_.cell();
    }
    csv_.raw(cells.rest);
    csv_.end_row();
  }

  const std::string& kernel_name(StringId id) {
    std::string& bytes = kernel_names_[static_cast<std::size_t>(id)];
    if (bytes.empty() && id != StringId::empty) bytes = cell_bytes(trace_.strings[id]);
    return bytes;
  }

  /// What identifies the graph: what the tracer wrote where the instruction would stand, else
  /// CUDA's number, for tracers that name the instruction itself.
  const std::string& graph(AnnotationId id, std::uint32_t label) {
    std::string& bytes = graphs_[static_cast<std::size_t>(id)];
    if (!bytes.empty()) return bytes;
    const Annotation& said = trace_.annotations[static_cast<std::size_t>(id)];
    const bool names_instruction = attribution_.labels[label].rule == Rule::tracer ||
                                   attribution_.labels[label].rule == Rule::tracer_text;
    if (said.hlo_op != StringId::empty && !names_instruction) {
      bytes = cell_bytes(trace_.strings[said.hlo_op]);
    } else if (const std::uint64_t number = said.graph_id != 0 ? said.graph_id : said.graph_exec_id;
               number != 0) {
      bytes = std::to_string(number);
    } else {
      bytes = "graph";
    }
    return bytes;
  }

  const Trace& trace_;
  const Attribution& attribution_;
  const Counted& counted_;
  CsvWriter csv_;
  std::vector<LabelCells> labels_;
  std::vector<std::string_view> kinds_;
  std::vector<std::string> kernel_names_;  // By StringId; empty until asked for.
  std::vector<std::string> graphs_;        // By annotation; likewise.
};

}  // namespace

void write_kernels_csv(const Trace& trace, const Attribution& attribution, const Ops& ops,
                       const Counted& counted, bool stacks, std::ostream& out) {
  Rows rows(trace, attribution, ops, counted, stacks, out);
  rows.header(stacks);
  for (std::size_t first = 0; first < trace.lanes.size();) {
    if (trace.lanes[first].kind != LaneKind::stream) break;  // Stream lanes come first.
    std::size_t last = first + 1;
    while (last < trace.lanes.size() && trace.lanes[last].kind == LaneKind::stream &&
           trace.lanes[last].device == trace.lanes[first].device) {
      ++last;
    }
    rows.device(first, last);
    first = last;
  }
}

std::string_view device_name(const Trace& trace, DeviceId device) {
  if (device == DeviceId::none) return {};
  std::string_view plane = trace.strings[trace.devices[static_cast<std::size_t>(device)].plane];
  constexpr std::string_view kPrefix = "/device:";
  if (plane.starts_with(kPrefix)) plane.remove_prefix(kPrefix.size());
  return plane;
}

std::string_view stream_name(std::string_view lane_name) {
  constexpr std::string_view kPrefix = "Stream #";
  if (!lane_name.starts_with(kPrefix)) return lane_name;
  const std::string_view rest = lane_name.substr(kPrefix.size());
  const auto end = std::ranges::find_if(rest, [](char c) { return c < '0' || c > '9'; });
  const auto digits = static_cast<std::size_t>(end - rest.begin());
  return digits == 0 ? lane_name : rest.substr(0, digits);
}

std::string_view user_frame(const hlo::Provenance& source) {
  switch (source.origin) {
    case hlo::Origin::none:
      return "none";
    case hlo::Origin::own:
    case hlo::Origin::member:
      return source.library ? "library" : "yes";
    case hlo::Origin::inherited:
      break;
  }
  return source.library ? "inherited-library" : "inherited";
}

std::string stack_text(const hlo::Provenance& source) {
  std::string text;
  for (const hlo::Location& frame : source.stack) {
    if (!text.empty()) text += " < ";
    text += frame.file + ':' + std::to_string(frame.line);
    if (!frame.function.empty()) text += " (" + frame.function + ')';
  }
  return text;
}

}  // namespace jaxtrace
