// Made-up but plausible names for the kernels that libraries launch: cuBLAS, hipBLASLt, cuDNN,
// MIOpen, NCCL, RCCL …  XLA does not name these, so no truth is lost by inventing them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/recording.h"
#include "support/thunks.h"

namespace jaxtrace::synth {

struct LibraryKernel {
  std::string name;
  bool fill = false;  ///< A memset of a workspace, not a kernel of the library.
  Dim3 grid{64, 1, 1}, block{256, 1, 1};
  std::uint32_t shared_memory = 0;
};

/// Whether a thunk of this kind is a collective's work (and not merely its end).
bool is_collective(const std::string& kind);

/// What the library call of this thunk launches: the same for the same (thunk, seed), and between
/// one and four kernels.  `variation` above 0 lets the number of helpers differ from call to call,
/// as autotuned convolutions do.
std::vector<LibraryKernel> library_kernels(const Thunk& thunk, const Facts& facts, Style style,
                                           std::uint64_t seed, std::uint64_t variation = 0);

}  // namespace jaxtrace::synth
