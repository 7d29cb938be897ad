// The kernels that a deeper recording is worth it for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jaxtrace/trace.h"

namespace jaxtrace {

struct Investigated;

struct TopKernel {
  StringId name = StringId::empty;
  std::int64_t calls = 0;
  Picoseconds total{0};
  double share = 0;  ///< Of GPU time
};

/// By total, longest first, then name; without copies, collectives and kernels of the runtime, and
/// without those of under `least` of GPU time.  Kernels that one expression finds count as one.
std::vector<TopKernel> top_kernels(const Investigated& in, std::size_t most, double least);

}  // namespace jaxtrace
