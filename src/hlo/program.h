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

/// What kind of device work an instruction launches, as far as the HLO tells.
enum class Work : std::uint8_t {
  own_kernel,   ///< exactly one kernel, under Slot::kernel_name
  gemm,         ///< cuBLAS, hipBLASLt …: one to a few library kernels
  convolution,  ///< cuDNN, MIOpen: one to many library kernels
  attention,    ///< cuDNN fMHA and the like: one to many
  collective,   ///< NCCL, RCCL, or XLA's own collective kernels
  sort,         ///< a library sort (cub, rocprim): several kernels
  library,      ///< fft, triangular solve, cholesky, cuDNN fusions …: one to many
  custom_call,  ///< an FFI or legacy custom call: none to many kernels of any name
  copy,         ///< a device-to-device memcpy (a kernel `__amd_rocclr_copyBuffer` on ROCm)
  host_copy,    ///< a copy to or from the host, such as a loop's predicate
  fill,         ///< a memset (a kernel `__amd_rocclr_fillBufferAligned` on ROCm)
};

/// Which collective, for matching `ncclDevKernel_<Func>_…`.
enum class Collective : std::uint8_t {
  none,
  all_reduce,
  all_gather,
  reduce_scatter,
  send_recv,
  broadcast
};

/// One piece of device work that an instruction launches.
struct Launch {
  Work work = Work::own_kernel;
  Collective collective = Collective::none;
  std::string kernel = {};  ///< its name, see Slot::kernel_name
  std::int64_t bytes = -1;  ///< copy, fill: size; -1 if unknown
  bool optional = false;    ///< It may well launch nothing (copy onto itself, no-op custom call).
  /// The instruction within a fusion that the tracer names instead of the fusion; else none.
  InstructionId inner = InstructionId::none;
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

  /// Fusions that compute the same have the same number, never 0.  The kernel of each is named
  /// after itself or after a member of its group that is emitted earlier; which one, only the
  /// buffer assignment tells.  0: not a fusion.
  std::uint32_t name_group = 0;

  /// What the instruction itself launches, in order; not what the computations it calls launch.
  std::vector<Launch> launches;
  std::uint8_t thunks_before = 0;  ///< Thunk numbers taken before those of `launches` …
  std::uint8_t thunks_after = 0;   ///< … and after, by thunks that only hold others.
  bool sync = false;               ///< Of a start: it is no asynchronous operation, so no done.
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

/// Which generation of XLA's thunk emitter compiled a program.  They number thunks, run slices and
/// sort differently; up to jax 0.6, command buffers are computations of the program.
enum class Emitter : std::uint8_t { until_jax_0_6, until_jax_0_9, since_jax_0_10 };

struct Program {
  std::string module_name;
  std::int64_t proto_id = 0;
  bool scheduled = false;  ///< The proto has a schedule for the entry computation.
  ComputationId entry = ComputationId::none;
  std::vector<Computation> computations;
  std::vector<Instruction> instructions;
  Emitter emitter = Emitter::since_jax_0_10;
  /// The buffer assignment is in the proto, so that kernel names are as good as certain.
  bool names_certain = false;
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
