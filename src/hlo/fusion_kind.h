// How XLA:GPU runs a fusion: as one generated kernel, as plain copies, as a sort, or as a call
// into a library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hlo/launches.h"

namespace jaxtrace::hlo {

enum class FusionKind : std::uint8_t {
  kernel,         ///< one kernel, named after a fusion
  copies,         ///< a memcpy for each result
  dynamic_slice,  ///< a copy, GEMM or collective on slices whose offset the host computes
  dynamic_copy,   ///< the same for a copy alone, until jax 0.9
  sort,           ///< copies into place, then one kernel for each run of sorting stages
  library,        ///< a cuDNN graph or a prebuilt kernel
};

FusionKind fusion_kind(const Program& program, const ProtoRows& rows, InstructionId fusion);

/// The results that the fused computation gives out: its root, or the operands of a tuple root.
std::vector<InstructionId> fusion_roots(const Program& program, InstructionId fusion);

/// The parameter that a copied result of a FusionKind::copies fusion comes from.
InstructionId copied_parameter(const Program& program, InstructionId root);

/// The value of the string field `key` in JSON `text`, the first at or after `from`; empty if none.
std::string_view json_string(std::string_view text, std::string_view key, std::string_view from);

}  // namespace jaxtrace::hlo
