// HloProto → Program: ids become indices once, here, so that nothing downstream can follow a bad
// one.
#include "hlo/program.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "hlo/buffers.h"
#include "hlo/kernel_names.h"
#include "hlo/launches.h"
#include "hlo/shape.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

template <class Id>
using IdMap = std::unordered_map<std::int64_t, Id>;

template <class Id>
Id look_up(const IdMap<Id>& map, std::int64_t key) {
  const auto found = map.find(key);
  return found == map.end() ? Id::none : found->second;
}

template <class Id, class Range>
std::vector<Id> resolve(const IdMap<Id>& map, const Range& keys) {
  std::vector<Id> ids;
  for (const std::int64_t key : keys) {
    if (const Id id = look_up(map, key); id != Id::none) ids.push_back(id);
  }
  return ids;
}

/// XLA moves backend_config into a table of payloads when asked to deduplicate them.
std::string backend_config(const pb::HloInstructionProto& in, const pb::HloModuleProto& module) {
  if (!in.backend_config().empty()) return in.backend_config();
  const pb::Payload& payload = in.backend_config_payload();
  if (payload.has_value()) return payload.value();
  if (payload.has_id() && payload.id() >= 0 && payload.id() < module.payloads_size()) {
    return module.payloads(static_cast<int>(payload.id()));
  }
  return {};
}

std::vector<Frame> read_frames(const pb::StackFrameIndexProto& index) {
  const auto string_at = [](const auto& strings, std::int32_t id) {
    return id >= 1 && id <= strings.size() ? strings.Get(id - 1) : std::string();
  };
  std::vector<Frame> frames;
  for (const auto& in : index.stack_frames()) {
    Frame frame;
    if (const int at = in.file_location_id(); at >= 1 && at <= index.file_locations_size()) {
      const auto& location = index.file_locations(at - 1);
      frame.file = string_at(index.file_names(), location.file_name_id());
      frame.function = string_at(index.function_names(), location.function_name_id());
      frame.line = location.line();
    }
    const int parent = in.parent_frame_id();
    if (parent >= 1 && parent <= index.stack_frames_size()) {
      frame.parent = static_cast<FrameId>(parent);
    }
    frames.push_back(std::move(frame));
  }
  return frames;
}

Instruction read_instruction(const pb::HloInstructionProto& in, const pb::HloModuleProto& module) {
  Instruction out;
  out.name = in.name();
  out.opcode = in.opcode();
  out.proto_id = in.id();
  out.parameter_number = in.parameter_number();
  out.tuple_index = in.tuple_index();
  out.op_name = in.metadata().op_name();
  out.source_file = in.metadata().source_file();
  out.source_line = in.metadata().source_line();
  if (const int frame = in.metadata().stack_frame_id();
      frame >= 1 && frame <= module.stack_frame_index().stack_frames_size()) {
    out.frame = static_cast<FrameId>(frame);
  }
  out.fusion_kind = in.fusion_kind();
  out.custom_call_target = in.custom_call_target();
  out.backend_config = backend_config(in, module);
  out.pred_root = is_scalar_pred(in.shape());
  out.result_bytes = byte_size(in.shape());
  out.result_elements = first_leaf_elements(in.shape());
  return out;
}

}  // namespace

InstructionId Program::find(std::string_view name) const {
  const auto found = by_name.find(name);
  return found == by_name.end() ? InstructionId::none : found->second;
}

std::optional<Program> parse_program(std::string_view hlo_proto) {
  if (hlo_proto.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return {};
  // protobuf writes what it finds wrong with a damaged file to stderr; the result says it too.
  const google::protobuf::LogSilencer silencer;
  google::protobuf::Arena arena;
  auto& proto = *google::protobuf::Arena::CreateMessage<pb::HloProto>(&arena);
  if (!proto.ParseFromArray(hlo_proto.data(), static_cast<int>(hlo_proto.size()))) return {};
  const pb::HloModuleProto& module = proto.hlo_module();
  if (module.computations().empty()) return {};

  Program program;
  program.module_name = module.name();
  program.proto_id = module.id();
  program.frames = read_frames(module.stack_frame_index());

  // Ids are unique in the whole module, whether small or composed of (computation << 32 | index).
  IdMap<ComputationId> computation_of;
  IdMap<InstructionId> instruction_of;
  for (const auto& in : module.computations()) {
    const auto id = static_cast<ComputationId>(program.computations.size());
    computation_of.emplace(in.id(), id);
    Computation computation;
    computation.name = in.name();
    computation.proto_id = in.id();
    computation.fused = in.is_fusion_computation();
    for (const auto& instruction : in.instructions()) {
      const auto at = static_cast<InstructionId>(program.instructions.size());
      instruction_of.emplace(instruction.id(), at);
      computation.instructions.push_back(at);
      program.instructions.push_back(read_instruction(instruction, module));
      program.instructions.back().computation = id;
    }
    program.computations.push_back(std::move(computation));
  }

  std::size_t at = 0;
  for (int c = 0; c < module.computations_size(); ++c) {
    program.computations[static_cast<std::size_t>(c)].root =
        look_up(instruction_of, module.computations(c).root_id());
    for (const auto& in : module.computations(c).instructions()) {
      Instruction& out = program.instructions[at++];
      out.operands = resolve(instruction_of, in.operand_ids());
      out.called = resolve(computation_of, in.called_computation_ids());
    }
  }
  for (const auto& sequence : module.schedule().sequences()) {
    if (const auto id = look_up(computation_of, sequence.key()); id != ComputationId::none) {
      program.computations[static_cast<std::size_t>(id)].schedule =
          resolve(instruction_of, sequence.value().instruction_ids());
    }
  }

  program.entry = look_up(computation_of, module.entry_computation_id());
  if (program.entry == ComputationId::none) {
    const auto named = std::ranges::find(program.computations, module.entry_computation_name(),
                                         &Computation::name);
    program.entry = named != program.computations.end()
                        ? static_cast<ComputationId>(named - program.computations.begin())
                        : static_cast<ComputationId>(program.computations.size() - 1);
  }
  program.scheduled = !program[program.entry].schedule.empty();

  program.by_name.reserve(program.instructions.size());
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    program.by_name.emplace(program.instructions[i].name, static_cast<InstructionId>(i));
  }
  const Buffers buffers = read_buffers(proto, program);
  find_launches(proto, buffers, program);
  predict_kernel_names(proto, buffers, program);
  return program;
}

}  // namespace jaxtrace::hlo
