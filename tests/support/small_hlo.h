// Spelling of HLO for small_program.h: instructions of a computation that all read one array, so
// that only the schedule says what comes first.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "proto/hlo.pb.h"
#include "support/small_program.h"

namespace jaxtrace::synth {

/// A computation under construction.
struct Scope {
  std::string name;
  std::int64_t id = 0;
  pb::HloComputationProto proto;
  std::vector<std::int64_t> order;   ///< The schedule
  std::int64_t next = 0;             ///< Index of the next instruction
  std::int64_t operand = 0;          ///< The array that everything reads,
  std::int64_t buffer = 0;           ///< the logical buffer it lies in,
  std::string parameter_class;       ///< and the alignment of that: "16" or "128".
  std::vector<std::int64_t> values;  ///< Arrays made here, for the root
};

struct SmallHlo {
  SmallHlo(const std::string& module, const SmallProgramOptions& of);

  SmallProgramOptions options;
  pb::HloProto proto;
  std::int64_t next_computation = 1;
  std::int64_t next_instruction = 1;  ///< Where ids are small
  std::int64_t next_buffer = 1;
  std::map<std::string, std::int64_t> bodies;  ///< Numbers of fusion bodies
  std::map<std::string, std::int32_t> frames;  ///< Ids in the stack frame index
  std::map<std::string, std::int64_t> starts;  ///< Instruction ids of async starts, by name
};

Scope open_entry(SmallHlo& hlo);
/// A computation that gets the array of `outer`.
Scope open_computation(SmallHlo& hlo, const Scope& outer, const std::string& name);

void add_fusion(SmallHlo& hlo, Scope& scope, const Node& node, const std::string& body,
                bool predicate);
void add_plain(SmallHlo& hlo, Scope& scope, const Node& node, const std::string& opcode);
void add_custom_call(SmallHlo& hlo, Scope& scope, const Node& node);
void add_collective(SmallHlo& hlo, Scope& scope, const Node& node);
void add_direct_start(SmallHlo& hlo, Scope& scope, const Node& node, const std::string& opcode);
void add_wrapped_start(SmallHlo& hlo, Scope& scope, const Node& node, Scope wrapped);
/// The done of an async node; returns its name.
std::string add_done(SmallHlo& hlo, Scope& scope, const Node& node, const std::string& opcode);

struct Loop {
  Scope condition, body;
  std::int64_t init = 0;    ///< The tuple that goes in
  std::int64_t buffer = 0;  ///< Where the loop's array lies
};
Loop open_loop(SmallHlo& hlo, Scope& scope, const Node& node);
void close_loop(SmallHlo& hlo, Scope& scope, const Node& node, Loop loop);
void close_branches(SmallHlo& hlo, Scope& scope, const Node& node, std::vector<Scope> branches);
void close_call(SmallHlo& hlo, Scope& scope, const Node& node, Scope content);

/// Closes the entry and hands out the proto.
pb::HloProto finish(SmallHlo& hlo, Scope entry);

}  // namespace jaxtrace::synth
