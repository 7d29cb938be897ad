// Kernels that always follow each other: SKIP's proximity score, and which chains could be fused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "skip/idle.h"
#include "skip/latency.h"

namespace jaxtrace {

struct Chain {
  std::vector<StringId> kernels;  ///< At least two, in order
  std::uint64_t count = 0;  ///< f(C): consecutive in one stream, within a step and no wait; >= 2
  std::uint64_t first_count = 0;  ///< f(c_1): the first kernel anywhere
  std::uint64_t chosen = 0;       ///< Instances that do not overlap a chain chosen before
  Picoseconds time{0};            ///< Sum of durations of all `count` instances
  Picoseconds gaps{0};            ///< Between their members
  Picoseconds host_gaps{0};       ///< Of `gaps` in chosen instances: what the host caused
  bool fusable = true;            ///< No member is a collective, a copy or a library's kernel
  double score() const { return static_cast<double>(count) / static_cast<double>(first_count); }
};

struct Chains {
  std::vector<Chain> chains;  ///< Score at least `threshold`; chosen first, then longest …
  std::uint64_t kernels = 0;  ///< Looked at
  std::uint64_t launches = 0, launches_fused = 0;  ///< Before and after fusing what was chosen
  bool limited = false;                            ///< There were more kernels than were looked at
  std::vector<Picoseconds> host_gaps;  ///< By step: inside chosen chains, what the host caused
};

/// Chains of 2 to `longest` kernels on the streams of a device, over its kept steps.  No chain
/// crosses a step or a wait of the launching thread.
Chains find_chains(const Scope& scope, std::size_t device, double threshold = 1.0,
                   std::size_t longest = 8);

}  // namespace jaxtrace
