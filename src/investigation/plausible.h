// The checks of plausibility() one by one.
#pragma once

#include <vector>

#include "investigation/run_coverage.h"
#include "skip/check_parts.h"

namespace jaxtrace {
struct Investigated;
}

namespace jaxtrace::check {

// ---- plausible_records.cc: whether all that ran can be there
CheckResult sums(const Investigated& in);
CheckResult coverage(const Investigated& in, const std::vector<RunCoverage>& programs);
CheckResult gpus(const Investigated& in);
CheckResult hlo_carried(const Investigated& in);
CheckResult empty_steps(const Investigated& in);
CheckResult edges(const Investigated& in);
CheckResult limits(const Investigated& in);
CheckResult copies(const Investigated& in, const std::vector<RunCoverage>& programs);

// ---- plausible_values.cc: whether what is there can be so
CheckResult dominant_event(const Investigated& in);
CheckResult outlier_events(const Investigated& in);
CheckResult collective_skew(const Investigated& in);
CheckResult streams(const Investigated& in);
CheckResult host_clocks(const Investigated& in);
CheckResult registers(const Investigated& in);
CheckResult occupancy(const Investigated& in);

}  // namespace jaxtrace::check
