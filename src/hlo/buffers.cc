// A value that the proto does not list is followed, one step at a time and never longer than
// kMaxSteps, to the instruction that defines it.
#include "hlo/buffers.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

constexpr std::int32_t kTuple = 13;  // xla_data.proto PrimitiveType
constexpr std::int32_t kOpaque = 14;
constexpr std::int32_t kToken = 17;
constexpr int kMaxSteps = 2000;       // longer than any chain of tuples and loops that XLA makes
constexpr std::size_t kMaxDepth = 8;  // of tuples within tuples
constexpr std::size_t kMaxLeaves = 1 << 16;

void collect_leaves(const pb::ShapeProto& shape, ShapeIndex& index, std::vector<ShapeIndex>& out) {
  if (shape.element_type() != kTuple) {
    if (shape.element_type() != kToken && shape.element_type() != kOpaque) out.push_back(index);
    return;
  }
  if (index.size() >= kMaxDepth) return;
  for (int i = 0; i < shape.tuple_shapes_size() && out.size() < kMaxLeaves; ++i) {
    index.push_back(i);
    collect_leaves(shape.tuple_shapes(i), index, out);
    index.pop_back();
  }
}

struct Value {
  InstructionId id = InstructionId::none;
  ShapeIndex index;
};

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

ShapeIndex tail(const ShapeIndex& index, std::size_t from) {
  return {index.begin() + static_cast<std::ptrdiff_t>(from), index.end()};
}

std::optional<Value> at_operand(const Instruction& i, std::size_t n, ShapeIndex index) {
  if (n >= i.operands.size()) return {};
  return Value{i.operands[n], std::move(index)};
}

std::optional<Value> at_root(const Program& program, ComputationId c, ShapeIndex index) {
  if (program[c].root == InstructionId::none) return {};
  return Value{program[c].root, std::move(index)};
}

/// The result of a start instruction as its done gives it out: the done's whole result is the
/// start's element 1, except where the start has no operand alias in its shape.
std::optional<Value> through_done(const Program& program, const Buffers& buffers,
                                  const Instruction& done, const ShapeIndex& index) {
  if (done.operands.empty()) return {};
  const InstructionId start_id = done.operands[0];
  const Instruction& start = program[start_id];
  if (start.opcode == "async-start" && !start.called.empty()) {
    return at_root(program, start.called[0], index);
  }
  // copy-start: (destination, source, context); recv: (data, context, token); the done gives out
  // (data, token) for recv.
  if (start.opcode == "copy-start") return Value{start_id, {0}};
  if (start.opcode == "recv" || start.opcode == "send") return Value{start_id, index};
  ShapeIndex inner{1};
  inner.insert(inner.end(), index.begin(), index.end());
  const auto& leaves = buffers.leaves[static_cast<std::size_t>(start_id)];
  if (std::ranges::find(leaves, inner) != leaves.end() && start.opcode != "all-reduce-start") {
    return Value{start_id, std::move(inner)};
  }
  return Value{start_id, index};
}

std::optional<Value> parameter_source(const Program& program, const Buffers& buffers,
                                      const Instruction& parameter, const ShapeIndex& index) {
  for (const InstructionId id : buffers.callers[static_cast<std::size_t>(parameter.computation)]) {
    const Instruction& caller = program[id];
    if (caller.opcode == "while") return at_operand(caller, 0, index);
    if (caller.opcode == "call" || caller.opcode == "async-start") {
      return at_operand(caller, static_cast<std::size_t>(parameter.parameter_number), index);
    }
    if (caller.opcode == "conditional") {
      const auto branch = std::ranges::find(caller.called, parameter.computation);
      return at_operand(caller, static_cast<std::size_t>(branch - caller.called.begin()) + 1,
                        index);
    }
  }
  return {};
}

/// The value that shares its memory with `value` and is nearer to a definition.
std::optional<Value> step(const Program& program, const Buffers& buffers, const Value& value) {
  const Instruction& i = program[value.id];
  const std::string_view op = i.opcode;
  if (op == "get-tuple-element") {
    ShapeIndex index{i.tuple_index};
    index.insert(index.end(), value.index.begin(), value.index.end());
    return at_operand(i, 0, std::move(index));
  }
  if (op == "tuple" && !value.index.empty()) {
    return at_operand(i, static_cast<std::size_t>(value.index[0]), tail(value.index, 1));
  }
  if (op == "parameter") return parameter_source(program, buffers, i, value.index);
  if (ends_with(op, "-done")) return through_done(program, buffers, i, value.index);
  if (op == "async-start" && !i.called.empty() && !value.index.empty()) {
    // (operands, result, context)
    if (value.index[0] == 1) return at_root(program, i.called[0], tail(value.index, 1));
    if (value.index[0] == 0 && value.index.size() > 1) {
      return at_operand(i, static_cast<std::size_t>(value.index[1]), tail(value.index, 2));
    }
  }
  if ((op == "all-gather-start" || op == "collective-permute-start") && !value.index.empty() &&
      value.index[0] == 0) {
    const std::size_t n = value.index.size() > 1 ? static_cast<std::size_t>(value.index[1]) : 0;
    return at_operand(i, n, {});
  }
  if (op == "call" && !i.called.empty()) return at_root(program, i.called[0], value.index);
  if (op == "conditional" && !i.called.empty()) return at_root(program, i.called[0], value.index);
  if (op == "bitcast" || op == "optimization-barrier" || op == "add-dependency" || op == "while" ||
      op == "domain" || op == "opt-barrier") {
    return at_operand(i, 0, value.index);
  }
  return {};
}

}  // namespace

Buffers read_buffers(const pb::HloProto& proto, const Program& program) {
  Buffers buffers;
  buffers.callers.resize(program.computations.size());
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    for (const ComputationId c : program.instructions[i].called) {
      buffers.callers[static_cast<std::size_t>(c)].push_back(static_cast<InstructionId>(i));
    }
  }
  std::unordered_map<std::int64_t, InstructionId> by_id;
  for (const auto& computation : proto.hlo_module().computations()) {
    for (const auto& in : computation.instructions()) {
      by_id.emplace(in.id(), static_cast<InstructionId>(buffers.leaves.size()));
      ShapeIndex index;
      collect_leaves(in.shape(), index, buffers.leaves.emplace_back());
    }
  }

  const pb::BufferAssignmentProto& assignment = proto.buffer_assignment();
  std::unordered_map<std::int64_t, Slice> slices;  // by logical buffer
  for (const auto& allocation : assignment.buffer_allocations()) {
    buffers.allocations[allocation.index()] = {
        .entry_parameter = allocation.is_entry_computation_parameter(),
        .constant = allocation.is_constant()};
    for (const auto& assigned : allocation.assigned()) {
      slices[assigned.logical_buffer_id()] = {
          .allocation = allocation.index(), .offset = assigned.offset(), .bytes = assigned.size()};
    }
  }
  const auto define = [&](const pb::LogicalBufferProto::Location& at, std::int64_t buffer) {
    // Protos before 2022 name the instruction instead.
    InstructionId id = InstructionId::none;
    if (const auto found = by_id.find(at.instruction_id());
        found != by_id.end() && at.instruction_id() != 0) {
      id = found->second;
    } else if (!at.instruction_name().empty()) {
      id = program.find(at.instruction_name());
    } else if (found != by_id.end()) {
      id = found->second;
    }
    const auto slice = slices.find(buffer);
    if (id == InstructionId::none || slice == slices.end()) return;
    buffers.defined.emplace(
        std::pair(id, ShapeIndex(at.shape_index().begin(), at.shape_index().end())), slice->second);
  };
  for (const auto& logical : assignment.logical_buffers()) {
    define(logical.defined_at(), logical.id());
  }
  for (const auto& alias : assignment.buffer_aliases()) {
    define(alias.location(), alias.source_buffer_id());
  }
  return buffers;
}

std::optional<Slice> slice_of(const Program& program, const Buffers& buffers, InstructionId id,
                              const ShapeIndex& index) {
  std::optional<Value> value = Value{id, index};
  for (int steps = 0; value && steps < kMaxSteps; ++steps) {
    const auto found = buffers.defined.find({value->id, value->index});
    if (found != buffers.defined.end()) return found->second;
    value = step(program, buffers, *value);
  }
  return {};
}

}  // namespace jaxtrace::hlo
