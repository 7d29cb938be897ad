// See attributes.h.  The order is XLA's: the operation's own attributes come from operations.h.
#include "hlo/text/attributes.h"

#include <algorithm>
#include <array>

#include "hlo/text/append.h"
#include "hlo/text/metadata.h"
#include "hlo/text/operations.h"
#include "hlo/text/shapes.h"
#include "hlo/text/shardings.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

using Proto = pb::HloInstructionProto;

/// An async operation may wrap another; deeper than this, the proto goes in circles.
constexpr int kDeepestAsync = 8;

void append_called(std::string& out, const ModuleIndex& index, const Proto& proto, int i) {
  const std::int64_t id = proto.called_computation_ids(i);
  const std::uint32_t row = index.computation(id);
  if (row == kNoRow) {
    append_instruction_name(out, index, kNoRow, id);
    return;
  }
  out += '%';
  out += index.computations[row].name;
}

void append_one_called(std::string& out, const char* name, const ModuleIndex& index,
                       const Proto& proto, int i) {
  if (i >= proto.called_computation_ids_size()) return;
  out += name;
  append_called(out, index, proto, i);
}

void append_all_called(std::string& out, const ModuleIndex& index, const Proto& proto) {
  for (int i = 0; i < proto.called_computation_ids_size(); ++i) {
    if (i > 0) out += ", ";
    append_called(out, index, proto, i);
  }
}

bool branches_on_pred(const ModuleIndex& index, const InstructionRow& instruction) {
  const Proto& proto = *instruction.proto;
  if (proto.operand_ids_size() == 0) return false;
  const std::uint32_t selector =
      index.instruction(index.computations[instruction.computation], proto.operand_ids(0));
  return selector != kNoRow &&
         index.instructions[selector].proto->shape().element_type() == kPredType;
}

bool applies_computation(std::string_view opcode) {
  constexpr std::array<std::string_view, 10> kOpcodes = {
      "all-reduce",     "all-reduce-start", "call", "map",     "reduce",
      "reduce-scatter", "reduce-window",    "scan", "scatter", "sort"};
  return std::ranges::find(kOpcodes, opcode) != kOpcodes.end();
}

void append_calls(std::string& out, const ModuleIndex& index, const InstructionRow& instruction) {
  const Proto& proto = *instruction.proto;
  const std::string_view opcode = proto.opcode();
  if (opcode == "while") {
    append_one_called(out, ", condition=", index, proto, 1);
    append_one_called(out, ", body=", index, proto, 0);
  } else if (opcode == "select-and-scatter") {
    append_one_called(out, ", select=", index, proto, 0);
    append_one_called(out, ", scatter=", index, proto, 1);
  } else if (opcode == "conditional" && branches_on_pred(index, instruction)) {
    append_one_called(out, ", true_computation=", index, proto, 0);
    append_one_called(out, ", false_computation=", index, proto, 1);
  } else if (opcode == "conditional") {
    out += ", branch_computations={";
    append_all_called(out, index, proto);
    out += '}';
  } else if (applies_computation(opcode)) {
    append_one_called(out, ", to_apply=", index, proto, 0);
    if (opcode == "call" && proto.is_composite()) out += ", is_composite=true";
  } else if (proto.called_computation_ids_size() == 0 || opcode == "async-update" ||
             opcode == "async-done") {
    return;
  } else if (opcode == "custom-call") {
    out += ", called_computations={";
    append_all_called(out, index, proto);
    out += '}';
  } else if (opcode != "async-start" || index.wrapped_operation(instruction) == nullptr) {
    out += ", calls=";
    append_all_called(out, index, proto);
  }
}

void append_control_predecessors(std::string& out, const ModuleIndex& index,
                                 const InstructionRow& instruction) {
  const auto& ids = instruction.proto->control_predecessor_ids();
  if (ids.empty()) return;
  out += ", control-predecessors={";
  append_joined(out, ids, ", ", [&](std::string& to, std::int64_t id) {
    const auto row = index.instruction(index.computations[instruction.computation], id);
    append_instruction_name(to, index, row, id);
  });
  out += '}';
}

void append_statistics(std::string& out, const pb::StatisticsViz& statistics) {
  if (statistics.statistics_size() == 0) return;
  out += ", statistics={visualizing_index=";
  append_int(out, statistics.stat_index_to_visualize());
  for (const auto& statistic : statistics.statistics()) {
    out += ',';
    out += statistic.stat_name();
    out += '=';
    append_six_digits(out, statistic.stat_val());
  }
  out += '}';
}

/// `outer_frontend` says that the async operation around this one has frontend attributes, which
/// then stand instead of its own.
void append_attributes_at(std::string& out, const ModuleIndex& index,
                          const InstructionRow& instruction, const TextOptions& options,
                          bool outer_frontend, int depth) {
  const Proto& proto = *instruction.proto;
  const bool has_frontend = proto.frontend_attributes().map_size() > 0;
  if (proto.opcode() == "async-start") {
    append_execution_thread(out, proto);
    const InstructionRow* wrapped = index.wrapped_operation(instruction);
    if (wrapped != nullptr && depth < kDeepestAsync) {
      append_attributes_at(out, index, *wrapped, options, has_frontend, depth + 1);
    }
    append_output_aliasing(out, proto);
  } else {
    append_own_attributes(out, index, instruction);
  }
  append_calls(out, index, instruction);
  if (proto.has_sharding()) {
    out += ", sharding=";
    append_sharding_of(out, proto.sharding(), proto.shape(),
                       options.metadata ? ShardingMetadata::shown : ShardingMetadata::hidden);
  }
  if (has_frontend && !outer_frontend) {
    out += ", frontend_attributes=";
    append_frontend_attributes(out, proto.frontend_attributes());
  }
  append_control_predecessors(out, index, instruction);
  append_statistics(out, proto.statistics_viz());
  append_result_accuracy(out, proto);
}

/// What a send, recv, recv-done or infeed carries; null for any other operation.
const pb::ShapeProto* carried_shape(const ModuleIndex& index, const InstructionRow& instruction) {
  const Proto& proto = *instruction.proto;
  const std::string_view opcode = proto.opcode();
  const pb::ShapeProto* from = &proto.shape();
  if (opcode == "send" || opcode == "recv-done") {
    if (proto.operand_ids_size() == 0) return nullptr;
    const std::uint32_t operand =
        index.instruction(index.computations[instruction.computation], proto.operand_ids(0));
    if (operand == kNoRow) return nullptr;
    from = &index.instructions[operand].proto->shape();
    if (opcode == "send") return from;
  } else if (opcode != "recv" && opcode != "infeed") {
    return nullptr;
  }
  return from->tuple_shapes_size() > 0 ? &from->tuple_shapes(0) : nullptr;
}

}  // namespace

void append_attributes(std::string& out, const ModuleIndex& index,
                       const InstructionRow& instruction, const TextOptions& options) {
  append_attributes_at(out, index, instruction, options, false, 0);
}

void append_result_shape(std::string& out, const ModuleIndex& index,
                         const InstructionRow& instruction, Layouts layouts) {
  const std::string_view opcode = instruction.proto->opcode();
  if (opcode == "outfeed" || opcode == "send-done") {
    out += "token[]";
    return;
  }
  const pb::ShapeProto* data = carried_shape(index, instruction);
  if (data == nullptr) {
    append_shape(out, instruction.proto->shape(), layouts);
    return;
  }
  out += '(';
  append_shape(out, *data, layouts);
  out += opcode == "send" || opcode == "recv" ? ", u32[], token[])" : ", token[])";
}

std::string_view modern_opcode(std::string_view opcode) {
  constexpr std::array<std::string_view, 6> kComparisons = {
      "equal-to",  "greater-than",          "greater-than-or-equal-to",
      "less-than", "less-than-or-equal-to", "not-equal-to"};
  return std::ranges::find(kComparisons, opcode) != kComparisons.end() ? "compare" : opcode;
}

void append_instruction_name(std::string& out, const ModuleIndex& index, std::uint32_t row,
                             std::int64_t id) {
  if (row != kNoRow) {
    out += '%';
    out += index.instructions[row].name;
    return;
  }
  out += "null /*id=";
  append_int(out, id);
  out += "*/";
}

}  // namespace jaxtrace::hlo
