// Whether the capture, taken as a whole, can be a record of what ran: checks beyond those that
// skip-stats makes of its records, and all of them in the order of the report.
#pragma once

#include <vector>

#include "skip/checks.h"

namespace jaxtrace {

struct Investigated;

/// Beyond skip-stats' own; none of them says what one of those does.
std::vector<CheckResult> plausibility(const Investigated& in);

/// All checks: first the five that decide whether records agree at all (counts of the JSON and the
/// xplane, joins, kernels per step, same work on all GPUs, sums), then the rest of skip-stats',
/// then plausibility().
std::vector<CheckResult> integrity(const Investigated& in);

}  // namespace jaxtrace
