// Kernel times of a capture of the JAX profiler.
#pragma once

#include "jaxtrace/kernel_times.h"
#include "jaxtrace/trace.h"

namespace jaxtrace {

/// The kernels of every GPU: copies, fills and events that stand for whole graphs are left out, the
/// last with a finding.
KernelTimes kernel_times(const Trace& trace, const std::string& file);

}  // namespace jaxtrace
