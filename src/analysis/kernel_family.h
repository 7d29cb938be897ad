// What a piece of device work is, judged by its name: for kernels that XLA did not name.
//
// A family is evidence, never proof: a Triton or Pallas kernel can be called anything.  Names that
// a program predicts for its own kernels always outrank it.
#pragma once

#include <cstdint>
#include <string_view>

namespace jaxtrace {

enum class Family : std::uint8_t {
  unknown,
  gemm,
  gemm_helper,  ///< split-K and stream-K reductions, epilogues: follow a GEMM, never stand alone
  convolution,
  attention,
  sort,
  fft,
  collective,
  copy,
  fill,
  control,  ///< a CUDA graph's own condition kernels
};

/// Which NCCL/RCCL primitive a collective kernel is; send_recv serves several HLO collectives.
enum class Primitive : std::uint8_t {
  unknown,
  all_reduce,
  all_gather,
  reduce_scatter,
  send_recv,
  broadcast,
  reduce,
};

/// The name without what tracers add to it: `.kd`, ` [clone .kd]`.
std::string_view bare_kernel_name(std::string_view name);

/// First pattern that fits; `name` may still have its tracer's suffix.
Family kernel_family(std::string_view name);

Primitive collective_primitive(std::string_view name);

}  // namespace jaxtrace
