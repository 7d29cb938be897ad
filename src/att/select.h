// Which kernel, and several dispatches as one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jaxtrace/thread_trace.h"

namespace jaxtrace {

/// The name to show: demangled if the trace has that, else the symbol; empty if it has neither.
std::string_view name_of(const TracedKernel& kernel);

/// The kernels that `wanted` means among all these traces, by name_of(): those named exactly so,
/// else those that begin so, else those that hold it.  More than one name means that it is
/// ambiguous.
std::vector<std::string> matching_kernels(std::span<const ThreadTrace> traces,
                                          std::string_view wanted);

/// Every name in these traces, sorted.
std::vector<std::string> kernel_names(std::span<const ThreadTrace> traces);

/// Leaves only the instructions of the kernel of that name.
void keep_kernel(ThreadTrace& trace, std::string_view name);

/// One trace with the cycles of all: instructions are the same if kernel, address and text are.
/// Sources, and the resources if there is one kernel, are those of the first; wave files and
/// occupancy belong to one dispatch and are gone.
ThreadTrace merge(std::span<const ThreadTrace> traces);

}  // namespace jaxtrace
