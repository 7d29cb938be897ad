// A compiled XLA program as attribution needs it: computations, instructions, Python frames, and
// the kernel name that XLA gave to each fusion.  Plain values, made once from a serialized
// HloProto.
//
// Everything that the HLO proto says but attribution does not need stays in the proto; text.h
// prints from there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace jaxtrace::hlo {

/// Rows of Program tables.
enum class InstructionId : std::uint32_t { none = 0xffffffff };
enum class ComputationId : std::uint32_t { none = 0xffffffff };

/// A frame of Program::frames; 0 is none, as in the proto.
using FrameId = std::uint32_t;

/// Where a value lies in device memory, from the buffer assignment.
struct Slice {
  std::int64_t allocation = -1;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;

  bool operator==(const Slice&) const = default;
};

struct Instruction {
  std::string name;
  std::string opcode;  ///< XLA's spelling: "custom-call", "all-reduce-start"
  std::int64_t proto_id = 0;
  ComputationId computation = ComputationId::none;
  std::vector<InstructionId> operands;
  std::vector<ComputationId> called;  ///< while: body, condition, in the proto's order
  std::int64_t parameter_number = 0;
  std::int64_t tuple_index = 0;

  std::string op_name;      ///< OpMetadata.op_name, empty if none
  std::string source_file;  ///< OpMetadata.source_file; newer JAX leaves it empty and sets `frame`
  std::int32_t source_line = 0;
  FrameId frame = 0;  ///< innermost Python frame

  std::string fusion_kind;         ///< "kLoop", "kInput", "kCustom" …; empty unless a fusion
  std::string custom_call_target;  ///< empty unless a custom call
  std::string backend_config;      ///< raw text, may be anything
  bool pred_root = false;         ///< result is a scalar PRED (tells a while condition from a body)
  std::int64_t result_bytes = 0;  ///< size of all array leaves of the result; -1 if unknown
  std::int64_t result_elements = 0;  ///< elements of the first array leaf

  /// The name under which a profiler sees the kernel of this fusion (kernel_names.h); empty for
  /// what has no kernel of its own name.
  std::string kernel_name;
};

struct Computation {
  std::string name;
  std::int64_t proto_id = 0;
  std::vector<InstructionId> instructions;  ///< in the proto's order: operands before users
  std::vector<InstructionId> schedule;      ///< in launch order; empty if the proto has none for it
  InstructionId root = InstructionId::none;
  bool fused = false;  ///< the body of a fusion
};

/// One Python stack frame.  Ids are 1-based; `parent` 0 ends the chain.
struct Frame {
  std::string file;
  std::string function;
  std::int32_t line = 0;
  FrameId parent = 0;
};

struct Program {
  std::string module_name;
  std::int64_t proto_id = 0;
  bool scheduled = false;  ///< The proto has a schedule for the entry computation.
  ComputationId entry = ComputationId::none;
  std::vector<Computation> computations;
  std::vector<Instruction> instructions;
  std::vector<Frame> frames;                                    ///< frames[id - 1]
  std::unordered_map<std::string_view, InstructionId> by_name;  ///< names are unique in a module

  const Instruction& operator[](InstructionId id) const {
    return instructions[static_cast<std::size_t>(id)];
  }
  const Computation& operator[](ComputationId id) const {
    return computations[static_cast<std::size_t>(id)];
  }
  InstructionId find(std::string_view name) const;

  Program() = default;
  Program(Program&&) = default;  // by_name views into `instructions`, so no copies
  Program& operator=(Program&&) = default;
};

/// Parses a serialized HloProto.  nullopt if it is not one.  Damaged references (an operand, a
/// frame or a computation that is not there) are dropped, never followed.
std::optional<Program> parse_program(std::string_view hlo_proto);

}  // namespace jaxtrace::hlo
