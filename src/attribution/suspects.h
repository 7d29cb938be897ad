// Which slots of a program could have launched a kernel of a given name, and at what cost.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/kernel_family.h"
#include "attribution/aligner.h"
#include "attribution/calls.h"
#include "hlo/schedule.h"
#include "jaxtrace/trace.h"

namespace jaxtrace {

/// A program with what alignment asks of it.  Built once for each program of a capture.
class Suspects {
 public:
  Suspects(const Trace& trace, const hlo::Program& program, SpelledOut spelled, bool amd);

  const hlo::Program& program() const { return *program_; }
  const hlo::Schedule& schedule() const { return schedule_; }

  /// Per slot: its instruction, as a number, for align().
  std::span<const std::uint32_t> instructions() const { return instructions_; }

  /// Per slot: what it costs that it has no kernel, before anything is learned.
  const std::vector<Cost>& miss() const { return miss_; }

  /// The slot is a kernel of a library call that was seen to run it, not predicted.
  bool seen(std::uint32_t slot) const { return seen_[slot]; }

  /// The slots that could have launched this, ascending.  Stable address until the next learn().
  const std::vector<Candidate>& of(StringId name, DetailsId details) const;

  /// The slots of an instruction, as candidates at no cost.
  const std::vector<Candidate>& of(hlo::InstructionId instruction) const;

  /// How many instructions run kernels under this name: 0 if XLA did not name it.
  std::size_t sharers(StringId name) const;

  /// The tracer itself said that `instruction` ran this kernel: for library kernels that is what
  /// tells two calls of one library apart.
  void learn(StringId name, hlo::InstructionId instruction);

  /// The one instruction that the tracer saw running this library kernel; else none.
  hlo::InstructionId only_seen_for(StringId name) const;

  /// The tracer saw kernels of this name under this instruction, and under no other.
  bool seen_only_for(StringId name, hlo::InstructionId instruction) const;

  /// The first slot of the graph that annotation `hlo_op` names, and the slot after its last;
  /// kNoSlot where that is not known.
  std::pair<std::uint32_t, std::uint32_t> graph(std::string_view hlo_op) const;

 private:
  std::vector<Candidate> own(std::string_view bare) const;
  std::vector<Candidate> foreign(std::string_view bare, StringId name,
                                 const Details& details) const;

  const Trace* trace_;
  const hlo::Program* program_;
  hlo::Schedule schedule_;
  std::vector<bool> seen_;  // Per slot: the kernel name is one that was seen (calls.h).
  std::vector<std::uint32_t> instructions_;
  std::vector<Cost> miss_;
  std::unordered_map<std::string_view, std::vector<std::uint32_t>> by_kernel_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> by_own_name_;  // sanitised fusions
  std::map<StringId, std::set<hlo::InstructionId>> learned_;
  std::set<hlo::InstructionId> taught_;  // instructions some kernel of which was learned
  mutable std::map<std::tuple<StringId, Details::Of, std::uint64_t>, std::vector<Candidate>> cache_;
  mutable std::unordered_map<std::uint32_t, std::vector<Candidate>> by_instruction_;
};

/// The instruction that `hlo_op` names, if that is one that launches work by itself: not a call, a
/// while or a conditional (unless `copy`: the copy of its predicate), not a command buffer.
hlo::InstructionId exact_instruction(const hlo::Program& program, std::string_view hlo_op,
                                     bool copy);

/// `hlo_op` names a command buffer: `command_buffer_<N>`, or a call to one (jax ≤ 0.6).
bool names_graph(const hlo::Program* program, std::string_view hlo_op);

}  // namespace jaxtrace
