// The kernels that a deeper recording is worth it for, and how to name them to a profiler.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jaxtrace/trace.h"

namespace jaxtrace {

struct Investigated;

struct TopKernel {
  std::string name;     ///< Without templates and arguments where that tells it from others
  std::string pattern;  ///< A regular expression that finds it, and as few others as can be typed
  std::int64_t calls = 0;
  Picoseconds total{0};
  double share = 0;  ///< Of GPU time
};

/// By total, longest first, then name; without copies, collectives and kernels of the runtime, and
/// without those of under `least` of GPU time.
std::vector<TopKernel> top_kernels(const Investigated& in, std::size_t most, double least);

}  // namespace jaxtrace
