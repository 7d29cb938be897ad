// Small programs, written down in a test as a tree, and what XLA would make of them: a scheduled
// HloProto with metadata and buffers, and the thunk sequence that goes with it.
//
//   Program p = small_program("jit_step", {graph({fusion("a"), fusion("a.1", "body of a")}),
//                                          loop("while.3", 12, {fusion("b"), gemm("dot.7")})});
//
// Kernel names follow XLA's rule, told again here on purpose: the first fusion emitted with a body
// and a kind of argument names the kernel of all others like it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/random.h"
#include "support/thunks.h"

namespace jaxtrace::synth {

/// Where an instruction comes from in Python.
struct Origin {
  struct Frame {
    std::string file, function;
    std::int32_t line = 0;
  };
  std::string op_name{};
  std::vector<Frame> frames{};  ///< Innermost first, as stack_frame_id leads to them
  std::string source_file{};    ///< OpMetadata.source_file, as older JAX writes it
  std::int32_t source_line = 0;
};

struct Node {
  enum class Of : std::uint8_t {
    fusion,      ///< one kernel, named by XLA
    copy,        ///< a device-to-device copy
    custom,      ///< a custom call: kernels of a library
    collective,  ///< synchronous: all-reduce, all-gather …
    nothing,     ///< an instruction without device work: bitcast, elided copy …
    loop,        ///< while; parts: condition, body
    branch,      ///< conditional; parts: the branches
    call,        ///< HLO-level command buffer; parts: its content
    graph,       ///< thunk-level command buffer: the HLO shows no trace of it
    async,       ///< start and done; parts: what is started, what runs meanwhile
  };
  Of of = Of::fusion;
  std::string name;
  std::string body{};    ///< fusion: equal bodies share a kernel; empty: its name
  std::string opcode{};  ///< collective, nothing: HLO opcode; custom: custom_call_target
  std::optional<std::uint64_t> trips{};
  std::vector<std::vector<Node>> parts{};
  std::vector<std::string> launches{};  ///< custom: its kernels; empty: made up
  std::int64_t elements = 1024;         ///< of the f32 result
  Origin origin{};
  std::vector<Origin> members{};  ///< fusion: of the instructions inside
};

Node fusion(std::string name, std::string body = "", Origin origin = {});
Node copy(std::string name, std::int64_t elements = 1024);
Node gemm(std::string name, std::vector<std::string> launches = {});
Node custom(std::string name, std::string target, std::vector<std::string> launches = {});
Node collective(std::string name, std::string opcode);
Node nothing(std::string name, std::string opcode = "bitcast");
Node loop(std::string name, std::optional<std::uint64_t> trips, std::vector<Node> body,
          std::vector<Node> condition = {});
Node branch(std::string name, std::vector<std::vector<Node>> branches);
Node call(std::string name, std::vector<Node> content);
Node graph(std::vector<Node> content);
/// `started` is one fusion, custom call or collective; several collectives are a group, which runs
/// as one kernel under the start's name.
Node async(std::string name, std::vector<Node> started, std::vector<Node> meanwhile);

struct SmallProgramOptions {
  std::int64_t program_id = 17;
  bool schedule = true;
  bool buffers = true;   ///< BufferAssignmentProto
  bool wide_ids = true;  ///< Instruction ids as (computation << 32) | index, as since jax 0.8
};

Program small_program(const std::string& module, const std::vector<Node>& nodes,
                      const SmallProgramOptions& options = {});

/// A random tree of everything above, about `size` instructions of it: for property tests.
std::vector<Node> random_nodes(Random& random, int size);

}  // namespace jaxtrace::synth
