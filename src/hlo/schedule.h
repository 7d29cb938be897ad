// What a program launches, in launch order: a tree of slots, loops and branches.
//
// XLA:GPU walks the schedule of the entry computation and emits one or more thunks an instruction,
// entering while, conditional, call and async computations where they stand.  That order is the
// order in which the host launches work, the order in which kernels are named, and the order of the
// thunk numbers that `command_buffer_<N>` refers to.  Loops are kept as loops: a training run of
// 100,000 launches may come from 40 slots.
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/program.h"

namespace jaxtrace::hlo {

/// Kinds of device work that an instruction may cause.
enum class Work : std::uint8_t {
  own_kernel,   ///< one kernel, named by XLA
  gemm,         ///< cuBLAS, hipBLASLt …: one to a few library kernels
  convolution,  ///< cuDNN, MIOpen: one to many
  collective,   ///< NCCL, RCCL
  sort,         ///< XLA's own sort, or cub
  library,      ///< fft, triangular solve, cholesky …
  custom_call,  ///< anything, also nothing
  copy,         ///< a device-to-device memcpy
  host_copy,    ///< a copy to or from the host
  fill,         ///< a memset
};

/// A piece of the schedule that launches work by itself.
struct Slot {
  InstructionId instruction = InstructionId::none;  ///< As the tracer's hlo_op would name it.
  Work work = Work::own_kernel;
  std::int32_t thunk = 0;  ///< Predicted thunk number, 1-based; 0 if unknown.
  bool optional = false;   ///< It may well launch nothing.
};

}  // namespace jaxtrace::hlo
