// Which counters to collect next, in passes that hardware can do.
#pragma once

#include <string>
#include <vector>

#include "counters/l2.h"

namespace jaxtrace {

/// Names of counters, a vector a pass; empty if nothing is missing.  A pass has at most four L2
/// counters, which is what one L2 instance counts at once; rocprofv3 asked for more runs several
/// passes of its own accord, which has hung GPUs.
std::vector<std::vector<std::string>> passes_to_collect(const std::vector<L2Row>& rows);

}  // namespace jaxtrace
