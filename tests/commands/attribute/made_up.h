// Attributions written by hand, so that tables can be tested without the algorithm that fills them.
#pragma once

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attribution/attribution.h"
#include "attribution/ops.h"
#include "attribution/sums.h"
#include "commands/attribute/tables.h"
#include "jaxtrace/trace_builder.h"

namespace jaxtrace::test {

/// One instruction of a made-up program, with one frame of its own.
struct Line {
  std::string instruction;
  std::string opcode = "fusion";
  std::string op_name{};
  std::string file{};
  std::int32_t line = 0;
  std::string function = "f";
};

inline hlo::Program program_of(const std::vector<Line>& lines) {
  hlo::Program program;
  program.entry = hlo::ComputationId{0};
  program.computations.emplace_back();
  program.instructions.reserve(lines.size());
  for (const Line& line : lines) {
    hlo::Instruction instruction;
    instruction.name = line.instruction;
    instruction.opcode = line.opcode;
    instruction.computation = hlo::ComputationId{0};
    instruction.op_name = line.op_name;
    if (!line.file.empty()) {
      program.frames.push_back({line.file, line.function, line.line, 0});
      instruction.frame = static_cast<hlo::FrameId>(program.frames.size());
    }
    const auto id = static_cast<hlo::InstructionId>(program.instructions.size());
    program.computations[0].instructions.push_back(id);
    program.instructions.push_back(std::move(instruction));
    program.by_name.emplace(program.instructions.back().name, id);
  }
  return program;
}

/// What one event is and how it is labelled.
struct Event {
  std::int64_t begin = 0;
  std::int64_t duration = 0;
  std::string kernel = "k";
  Label label{};
  std::uint32_t execution = kNone;
  std::uint64_t correlation = 0;
  std::string hlo_op{};
  bool in_graph = false;
  std::uint64_t node = 0;
  std::uint64_t graph_id = 0;
};

/// A capture in the making: lanes in the order of Trace (hosts and devices by number).
class MadeUp {
 public:
  std::uint32_t program(std::string_view module, std::int64_t id, std::optional<hlo::Program> hlo,
                        unsigned host = 0) {
    attribution_.programs.push_back({.host = HostId{static_cast<std::uint16_t>(host)},
                                     .module = builder_.intern(module),
                                     .program_id = id,
                                     .trace_module = kNone,
                                     .hlo = std::move(hlo)});
    return static_cast<std::uint32_t>(attribution_.programs.size() - 1);
  }

  StringId intern(std::string_view text) { return builder_.intern(text); }

  /// Opens "Stream #<stream>(Compute)" of a device; hosts and devices come into being as needed.
  void lane(unsigned host, int device, int stream) {
    while (hosts_ <= host) {
      const std::string name = "host" + std::to_string(hosts_++);
      builder_.add_host(name, name + ".xplane.pb");
    }
    const std::pair key(host, device);
    auto known = std::ranges::find(devices_, key, [](const auto& entry) { return entry.first; });
    if (known == devices_.end()) {
      Device made{};
      made.host = HostId{static_cast<std::uint16_t>(host)};
      made.plane = builder_.intern("/device:GPU:" + std::to_string(device));
      made.ordinal = device;
      devices_.emplace_back(key, builder_.add_device(made));
      known = devices_.end() - 1;
    }
    builder_.begin_lane({.host = HostId{static_cast<std::uint16_t>(host)},
                         .kind = LaneKind::stream,
                         .device = known->second,
                         .name = builder_.intern("Stream #" + std::to_string(stream) + "(Compute)"),
                         .id = stream});
  }

  /// Events of a lane must come by begin, for their labels are taken in the order given.
  void event(const Event& event) {
    builder_.add_event({.begin = Picoseconds{event.begin},
                        .duration = Picoseconds{event.duration},
                        .name = builder_.intern(event.kernel),
                        .annotation = annotation(event),
                        .correlation = event.correlation,
                        .graph_node = event.node});
    const auto row = std::ranges::find(attribution_.labels, event.label);
    attribution_.label.push_back(static_cast<std::uint32_t>(row - attribution_.labels.begin()));
    if (row == attribution_.labels.end()) attribution_.labels.push_back(event.label);
    attribution_.execution.push_back(event.execution);
    attribution_.kind.push_back(Kind::kernel);
    attribution_.in_graph.push_back(event.in_graph);
  }

  void finding(Finding finding) { attribution_.findings.push_back(std::move(finding)); }

  void note(std::string text) { builder_.say(std::move(text)); }

  void finish() {
    trace_ = std::move(builder_).finish();
    ops_ = find_ops(trace_, attribution_);
    counted_ = counted_labels(attribution_, options_);
    sums_ = add_up(trace_, attribution_, ops_, counted_);
  }

  void only(std::int64_t program) { options_.program = program; }

  const Trace& trace() const { return trace_; }
  const Attribution& attribution() const { return attribution_; }
  const Ops& ops() const { return ops_; }
  const Counted& counted() const { return counted_; }
  const Sums& sums() const { return sums_; }
  const AttributeOptions& options() const { return options_; }
  Measured measured() const { return {trace_, attribution_, ops_, sums_}; }

 private:
  AnnotationId annotation(const Event& event) {
    Annotation said{};
    said.hlo_op = builder_.intern(event.hlo_op);
    said.graph_id = event.graph_id;
    if (event.label.program != kNone) {
      said.program_id = attribution_.programs[event.label.program].program_id;
    }
    return builder_.annotation(said);
  }

  TraceBuilder builder_;
  std::vector<std::pair<std::pair<unsigned, int>, DeviceId>> devices_;
  unsigned hosts_ = 0;
  Trace trace_;
  Attribution attribution_;
  AttributeOptions options_;
  Ops ops_;
  Counted counted_;
  Sums sums_;
};

inline Label label_of(std::uint32_t program, unsigned instruction, Match match, Rule rule,
                      std::uint16_t confidence = 1000) {
  return {.program = program,
          .instruction = hlo::InstructionId{instruction},
          .match = match,
          .rule = rule,
          .confidence = confidence};
}

inline Label no_label(Rule rule, std::uint32_t program = kNone) {
  return {.program = program, .match = Match::none, .rule = rule};
}

/// The cell of a row under a column's name.
inline const Cell& at(const Table& table, std::size_t row, std::string_view column) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name == column) return table.rows[row][i];
  }
  throw std::out_of_range("no column " + std::string(column));
}

inline std::int64_t sum_of(const Table& table, std::string_view column) {
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (const auto* value = std::get_if<std::int64_t>(&at(table, row, column))) sum += *value;
  }
  return sum;
}

inline std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  return names;
}

}  // namespace jaxtrace::test
