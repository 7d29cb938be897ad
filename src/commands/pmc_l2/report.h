// The page that `jaxtrace pmc-l2` prints, and the table behind it.
#pragma once

#include "counters/l2.h"
#include "jaxtrace/report.h"

namespace jaxtrace {

/// Every column, for --out.
Table l2_table(const CounterData& data, const L2Result& result, const L2Options& options);

/// At most 20 kernels in the table, and 3 in detail.
Report l2_report(const CounterData& data, const L2Result& result, const L2Options& options);

}  // namespace jaxtrace
