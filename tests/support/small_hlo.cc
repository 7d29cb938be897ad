#include "support/small_hlo.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace jaxtrace::synth {
namespace {

// xla_data.proto, PrimitiveType.
constexpr std::int32_t kPred = 1, kS32 = 4, kF32 = 11, kTuple = 13;

pb::ShapeProto array(std::int32_t type, std::vector<std::int64_t> dimensions) {
  pb::ShapeProto out;
  out.set_element_type(type);
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    out.add_dimensions(dimensions[i]);
    out.add_is_dynamic_dimension(false);
    out.mutable_layout()->add_minor_to_major(static_cast<std::int64_t>(dimensions.size() - 1 - i));
  }
  out.mutable_layout()->set_tail_padding_alignment_in_elements(1);
  return out;
}

pb::ShapeProto tuple(const std::vector<pb::ShapeProto>& parts) {
  pb::ShapeProto out;
  out.set_element_type(kTuple);
  for (const pb::ShapeProto& part : parts) *out.add_tuple_shapes() = part;
  return out;
}

pb::ShapeProto state_shape() {
  return tuple({array(kS32, {}), array(kF32, {1024})});
}

std::int32_t frame_id(SmallHlo& hlo, const std::vector<Origin::Frame>& frames, std::size_t at) {
  if (at >= frames.size()) return 0;
  const std::int32_t parent = frame_id(hlo, frames, at + 1);
  const Origin::Frame& frame = frames[at];
  auto& id =
      hlo.frames[fmt::format("{}\n{}\n{}\n{}", frame.file, frame.function, frame.line, parent)];
  if (id != 0) return id;
  pb::StackFrameIndexProto& index = *hlo.proto.mutable_hlo_module()->mutable_stack_frame_index();
  index.add_file_names(frame.file);
  index.add_function_names(frame.function);
  auto* location = index.add_file_locations();
  location->set_file_name_id(index.file_names_size());
  location->set_function_name_id(index.function_names_size());
  location->set_line(frame.line);
  auto* entry = index.add_stack_frames();
  entry->set_file_location_id(index.file_locations_size());
  entry->set_parent_frame_id(parent);
  return id = index.stack_frames_size();
}

void set_origin(SmallHlo& hlo, const Origin& origin, pb::HloInstructionProto& instruction) {
  const std::int32_t frame = frame_id(hlo, origin.frames, 0);
  if (frame == 0 && origin.op_name.empty() && origin.source_file.empty()) return;
  pb::OpMetadata& metadata = *instruction.mutable_metadata();
  metadata.set_op_name(origin.op_name);
  metadata.set_source_file(origin.source_file);
  metadata.set_source_line(origin.source_line);
  metadata.set_stack_frame_id(frame);
}

pb::HloInstructionProto& add(SmallHlo& hlo, Scope& scope, const std::string& name,
                             const std::string& opcode, pb::ShapeProto shape,
                             const std::vector<std::int64_t>& operands) {
  pb::HloInstructionProto& out = *scope.proto.add_instructions();
  out.set_name(name);
  out.set_opcode(opcode);
  *out.mutable_shape() = std::move(shape);
  out.set_id(hlo.options.wide_ids ? (scope.id << 32) | scope.next : hlo.next_instruction);
  ++scope.next;
  ++hlo.next_instruction;
  for (const std::int64_t operand : operands) out.add_operand_ids(operand);
  scope.order.push_back(out.id());
  return out;
}

/// A buffer of its own for (instruction, index).
std::int64_t define(SmallHlo& hlo, std::int64_t instruction, std::vector<std::int64_t> index,
                    std::int64_t bytes, bool parameter = false) {
  pb::BufferAssignmentProto& buffers = *hlo.proto.mutable_buffer_assignment();
  const std::int64_t id = hlo.next_buffer++;
  auto* logical = buffers.add_logical_buffers();
  logical->set_id(id);
  logical->set_size(bytes);
  logical->mutable_defined_at()->set_instruction_id(instruction);
  for (const std::int64_t i : index) logical->mutable_defined_at()->add_shape_index(i);
  auto* allocation = buffers.add_buffer_allocations();
  allocation->set_index(buffers.buffer_allocations_size() - 1);
  allocation->set_size(bytes);
  allocation->set_is_entry_computation_parameter(parameter);
  auto* assigned = allocation->add_assigned();
  assigned->set_logical_buffer_id(id);
  assigned->set_size(bytes);
  return id;
}

void alias(SmallHlo& hlo, std::int64_t buffer, std::int64_t instruction,
           const std::vector<std::int64_t>& index) {
  auto* out = hlo.proto.mutable_buffer_assignment()->add_buffer_aliases();
  out->set_source_buffer_id(buffer);
  out->mutable_location()->set_instruction_id(instruction);
  for (const std::int64_t i : index) out->mutable_location()->add_shape_index(i);
}

Scope open(SmallHlo& hlo, const std::string& name) {
  Scope out;
  out.name = name;
  out.id = hlo.next_computation++;
  return out;
}

/// Root: a tuple of `values`.
void add_root(SmallHlo& hlo, Scope& scope, const std::vector<std::int64_t>& values) {
  std::vector<pb::ShapeProto> shapes;
  for (const std::int64_t value : values) {
    for (const auto& instruction : scope.proto.instructions()) {
      if (instruction.id() == value) shapes.push_back(instruction.shape());
    }
  }
  add(hlo, scope, fmt::format("tuple.{}", scope.id), "tuple", tuple(shapes), values);
}

/// Adds a finished computation to the module; its last instruction is the root.
std::int64_t close(SmallHlo& hlo, Scope scope, bool fused = false) {
  const auto& root = scope.proto.instructions(scope.proto.instructions_size() - 1);
  scope.proto.set_name(scope.name);
  scope.proto.set_id(scope.id);
  scope.proto.set_root_id(root.id());
  scope.proto.set_is_fusion_computation(fused);
  scope.proto.set_execution_thread("main");
  pb::ProgramShapeProto& shape = *scope.proto.mutable_program_shape();
  for (const auto& instruction : scope.proto.instructions()) {
    if (instruction.opcode() == "parameter") {
      *shape.add_parameters() = instruction.shape();
      shape.add_parameter_names(instruction.name());
    }
  }
  *shape.mutable_result() = root.shape();
  pb::HloModuleProto& module = *hlo.proto.mutable_hlo_module();
  if (!fused && hlo.options.schedule) {
    auto* sequence = module.mutable_schedule()->add_sequences();
    sequence->set_key(scope.id);
    for (const std::int64_t id : scope.order) sequence->mutable_value()->add_instruction_ids(id);
  }
  *module.add_computations() = std::move(scope.proto);
  return scope.id;
}

/// The body of a fusion: a chain of operations that spells the body's number.
std::int64_t fused_computation(SmallHlo& hlo, const Node& node, const std::string& body,
                               std::int64_t elements, bool predicate) {
  Scope fused = open(hlo, "fused_" + node.name);
  auto& number = hlo.bodies[body];
  if (number == 0) number = static_cast<std::int64_t>(hlo.bodies.size());
  const pb::ShapeProto shape = array(kF32, {elements});
  std::int64_t value =
      add(hlo, fused, fmt::format("param_0.{}", fused.id), "parameter", array(kF32, {1024}), {})
          .id();
  std::size_t count = 0;
  const auto chain = [&](const std::string& opcode) {
    pb::HloInstructionProto& next =
        add(hlo, fused, fmt::format("{}.{}.{}", opcode, fused.id, count), opcode, shape, {value});
    if (count < node.members.size()) set_origin(hlo, node.members[count], next);
    ++count;
    value = next.id();
  };
  for (std::int64_t rest = number; rest > 0; rest >>= 1) chain(rest & 1 ? "sine" : "cosine");
  while (count < node.members.size()) chain("negate");
  if (predicate) {
    add(hlo, fused, fmt::format("is-finite.{}", fused.id), "is-finite", array(kPred, {}), {value});
  }
  return close(hlo, std::move(fused), true);
}

}  // namespace

SmallHlo::SmallHlo(const std::string& module, const SmallProgramOptions& of) : options(of) {
  proto.mutable_hlo_module()->set_name(module);
  proto.mutable_hlo_module()->set_id(of.program_id);
}

Scope open_entry(SmallHlo& hlo) {
  Scope out = open(hlo, "main");
  out.operand = add(hlo, out, "param.0", "parameter", array(kF32, {1024}), {}).id();
  out.buffer = define(hlo, out.operand, {}, 4096, true);
  out.parameter_class = "16";
  return out;
}

Scope open_computation(SmallHlo& hlo, const Scope& outer, const std::string& name) {
  Scope out = open(hlo, name);
  out.operand =
      add(hlo, out, fmt::format("param.{}", out.id), "parameter", array(kF32, {1024}), {}).id();
  out.buffer = outer.buffer;
  out.parameter_class = outer.parameter_class;
  alias(hlo, out.buffer, out.operand, {});
  return out;
}

void add_fusion(SmallHlo& hlo, Scope& scope, const Node& node, const std::string& body,
                bool predicate) {
  const std::int64_t fused = fused_computation(hlo, node, body, node.elements, predicate);
  pb::HloInstructionProto& out =
      add(hlo, scope, node.name, "fusion",
          predicate ? array(kPred, {}) : array(kF32, {node.elements}), {scope.operand});
  out.set_fusion_kind("kLoop");
  out.add_called_computation_ids(fused);
  set_origin(hlo, node.origin, out);
  define(hlo, out.id(), {}, predicate ? 1 : 4 * node.elements);
  scope.values.push_back(out.id());
}

void add_plain(SmallHlo& hlo, Scope& scope, const Node& node, const std::string& opcode) {
  pb::HloInstructionProto& out =
      add(hlo, scope, node.name, opcode, array(kF32, {node.elements}), {scope.operand});
  set_origin(hlo, node.origin, out);
  // What does nothing leaves the array where it is.
  if (node.of == Node::Of::nothing) {
    alias(hlo, scope.buffer, out.id(), {});
  } else {
    define(hlo, out.id(), {}, 4 * node.elements);
  }
  scope.values.push_back(out.id());
}

void add_custom_call(SmallHlo& hlo, Scope& scope, const Node& node) {
  pb::HloInstructionProto& out =
      add(hlo, scope, node.name, "custom-call", array(kF32, {node.elements}), {scope.operand});
  out.set_custom_call_target(node.opcode);
  const bool library = node.opcode.starts_with("__");
  out.set_custom_call_api_version(library ? 1 : 4);  // original, typed FFI
  out.set_backend_config(library ? R"({"operation_queue_id":"0"})" : "{scale = 16 : i64}");
  set_origin(hlo, node.origin, out);
  define(hlo, out.id(), {}, 4 * node.elements);
  scope.values.push_back(out.id());
}

namespace {

pb::HloInstructionProto& add_collective_as(SmallHlo& hlo, Scope& scope, const Node& node,
                                           const std::string& opcode, bool sync) {
  pb::HloInstructionProto& out =
      add(hlo, scope, node.name, opcode, array(kF32, {node.elements}), {scope.operand});
  out.set_backend_config(fmt::format(
      R"({{"operation_queue_id":"0","collective_backend_config":{{"is_sync":{}}}}})", sync));
  out.set_channel_id(1);
  set_origin(hlo, node.origin, out);
  define(hlo, out.id(), {}, 4 * node.elements);
  return out;
}

}  // namespace

void add_collective(SmallHlo& hlo, Scope& scope, const Node& node) {
  scope.values.push_back(add_collective_as(hlo, scope, node, node.opcode, true).id());
}

void add_direct_start(SmallHlo& hlo, Scope& scope, const Node& node, const std::string& opcode) {
  hlo.starts[node.name] = add_collective_as(hlo, scope, node, opcode + "-start", false).id();
}

void add_wrapped_start(SmallHlo& hlo, Scope& scope, const Node& node, Scope wrapped) {
  // The result is what the wrapped operation makes, or a tuple of several.
  if (wrapped.values.size() != 1) add_root(hlo, wrapped, wrapped.values);
  const auto& root = wrapped.proto.instructions(wrapped.proto.instructions_size() - 1);
  const pb::ShapeProto shape = tuple({tuple({array(kF32, {1024})}), root.shape(), array(kS32, {})});
  wrapped.proto.set_execution_thread("parallel");
  const std::int64_t computation = close(hlo, std::move(wrapped));
  pb::HloInstructionProto& out = add(hlo, scope, node.name, "async-start", shape, {scope.operand});
  out.add_called_computation_ids(computation);
  out.set_async_execution_thread("parallel");
  set_origin(hlo, node.origin, out);
  hlo.starts[node.name] = out.id();
}

std::string add_done(SmallHlo& hlo, Scope& scope, const Node& node, const std::string& opcode) {
  std::string name = node.name;
  const std::size_t at = name.find("-start");
  if (at == std::string::npos) {
    name += "-done";
  } else {
    name.replace(at, 6, "-done");
  }
  add(hlo, scope, name, opcode.empty() ? "async-done" : opcode + "-done",
      array(kF32, {node.elements}), {hlo.starts[node.name]});
  return name;
}

Loop open_loop(SmallHlo& hlo, Scope& scope, const Node& node) {
  Loop out;
  auto& zero = add(hlo, scope, "constant." + node.name, "constant", array(kS32, {}), {});
  zero.mutable_literal();
  const std::int64_t counter = zero.id();
  out.init =
      add(hlo, scope, "tuple." + node.name, "tuple", state_shape(), {counter, scope.operand}).id();
  out.buffer = hlo.next_buffer;
  for (Scope* part : {&out.condition, &out.body}) {
    *part = open(hlo, fmt::format("{}_{}", node.name, part == &out.body ? "body" : "condition"));
    const std::int64_t state =
        add(hlo, *part, fmt::format("state.{}", part->id), "parameter", state_shape(), {}).id();
    if (part == &out.condition) out.buffer = define(hlo, state, {1}, 4096);
    pb::HloInstructionProto& value = add(hlo, *part, fmt::format("get-tuple-element.{}", part->id),
                                         "get-tuple-element", array(kF32, {1024}), {state});
    value.set_tuple_index(1);
    part->operand = value.id();
    part->buffer = out.buffer;
    part->parameter_class = "128";
    alias(hlo, out.buffer, value.id(), {});
    if (part == &out.body) alias(hlo, out.buffer, state, {1});
  }
  return out;
}

void close_loop(SmallHlo& hlo, Scope& scope, const Node& node, Loop loop) {
  pb::HloInstructionProto& count =
      add(hlo, loop.body, fmt::format("count.{}", loop.body.id), "get-tuple-element",
          array(kS32, {}), {loop.body.proto.instructions(0).id()});
  add(hlo, loop.body, fmt::format("tuple.{}", loop.body.id), "tuple", state_shape(),
      {count.id(), loop.body.operand});
  const std::int64_t body = close(hlo, std::move(loop.body));
  const std::int64_t condition = close(hlo, std::move(loop.condition));
  pb::HloInstructionProto& out = add(hlo, scope, node.name, "while", state_shape(), {loop.init});
  out.add_called_computation_ids(body);
  out.add_called_computation_ids(condition);
  if (node.trips) {
    out.set_backend_config(fmt::format(R"({{"known_trip_count":{{"n":"{}"}}}})", *node.trips));
  }
  set_origin(hlo, node.origin, out);
  alias(hlo, loop.buffer, out.id(), {1});
}

void close_branches(SmallHlo& hlo, Scope& scope, const Node& node, std::vector<Scope> branches) {
  pb::HloInstructionProto& index =
      add(hlo, scope, "index." + node.name, "constant", array(kS32, {}), {});
  index.mutable_literal();
  std::vector<std::int64_t> operands = {index.id()};
  std::vector<std::int64_t> called;
  for (Scope& branch : branches) {
    add_root(hlo, branch, {});
    called.push_back(close(hlo, std::move(branch)));
    operands.push_back(scope.operand);
  }
  pb::HloInstructionProto& out = add(hlo, scope, node.name, "conditional", tuple({}), operands);
  for (const std::int64_t id : called) out.add_called_computation_ids(id);
  set_origin(hlo, node.origin, out);
}

void close_call(SmallHlo& hlo, Scope& scope, const Node& node, Scope content) {
  add_root(hlo, content, content.values);
  const pb::ShapeProto shape =
      content.proto.instructions(content.proto.instructions_size() - 1).shape();
  const std::int64_t computation = close(hlo, std::move(content));
  pb::HloInstructionProto& out = add(hlo, scope, node.name, "call", shape, {scope.operand});
  out.add_called_computation_ids(computation);
  set_origin(hlo, node.origin, out);
}

pb::HloProto finish(SmallHlo& hlo, Scope entry) {
  add_root(hlo, entry, entry.values);
  pb::HloModuleProto& module = *hlo.proto.mutable_hlo_module();
  module.set_entry_computation_name(entry.name);
  module.set_entry_computation_id(entry.id);
  close(hlo, std::move(entry));
  *module.mutable_host_program_shape() =
      module.computations(module.computations_size() - 1).program_shape();
  if (!hlo.options.buffers) hlo.proto.clear_buffer_assignment();
  return std::move(hlo.proto);
}

}  // namespace jaxtrace::synth
