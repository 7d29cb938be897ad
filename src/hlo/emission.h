// The walk by which XLA:GPU emits a program: which computations an instruction enters, in which
// order, and the order of instructions within each.  Kernel names and thunk numbers both follow
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/program.h"

namespace jaxtrace::hlo {

/// The instructions of `computation` in launch order; without a schedule, in the proto's order.
const std::vector<InstructionId>& sequence(const Program& program, ComputationId computation);

/// The computations whose content is emitted where `id` stands: a loop's condition and body, the
/// branches of a conditional, what a call or an asynchronous start wraps.  Not reducers and the
/// like, which are compiled into their user.
std::vector<ComputationId> entered(const Program& program, InstructionId id);

/// For a loop; `none` where the proto is damaged.
struct LoopParts {
  ComputationId condition = ComputationId::none;
  ComputationId body = ComputationId::none;
};
LoopParts loop_parts(const Program& program, InstructionId loop);

/// The trip count that XLA found at compile time, from the loop's backend_config.
std::optional<std::uint64_t> known_trip_count(const Instruction& loop);

/// What a walk over a damaged proto may spend, so that it ends: computations that call each other
/// in a circle or fan out without end are cut.
struct WalkBudget {
  explicit WalkBudget(const Program& program);
  std::uint64_t steps;  ///< instructions yet to visit
  int depth = 0;        ///< computations entered and not left

  /// Whether one more instruction may be visited; counts it.
  bool step();
};

/// Nesting beyond this is no program that XLA emits.
inline constexpr int kMaxNesting = 100;

}  // namespace jaxtrace::hlo
