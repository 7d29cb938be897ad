// Reading an op_name, the path that JAX writes on every operation:
//
//   jit(train_step)/transpose(jvp(attention))/checkpoint/rematted_computation/mul
//
// Every part but the last is a scope: a function being traced, a transformation, a loop body or a
// named scope.  The last is the primitive.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace jaxtrace::hlo {

/// What part of a training step an operation belongs to.
enum class Phase : std::uint8_t {
  forward,    ///< inside `jvp(…)` or a checkpoint, not transposed
  backward,   ///< inside `transpose(…)`
  recompute,  ///< inside `rematted_computation`: the forward pass done again for the backward one
  other,      ///< none of these: an optimizer, a program without gradients, no op_name
};

std::string_view text(Phase phase);  ///< "fwd", "bwd", "recompute", "other"

Phase phase_of(std::string_view op_name);

/// The parts of an op_name, split at slashes outside parentheses; views into `op_name`.
std::vector<std::string_view> path_parts(std::string_view op_name);

/// The scopes of an op_name from the outside in, each as the whole path down to it: `jit(f)`,
/// `jit(f)/while`, `jit(f)/while/body`.  The last part is a scope too if it has parentheses, for
/// then it is a call and no primitive.
std::vector<std::string_view> scopes_of(std::string_view op_name);

}  // namespace jaxtrace::hlo
