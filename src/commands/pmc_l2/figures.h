// The sentences about one kernel: each figure with what it is made of and what it means.
#pragma once

#include <string>
#include <vector>

#include "counters/l2.h"

namespace jaxtrace {

/// Hits, sizes of requests, bytes, bandwidth; the legacy figure if it was asked for.
std::vector<std::string> figure_items(const L2Row& row, const L2Options& options);

}  // namespace jaxtrace
