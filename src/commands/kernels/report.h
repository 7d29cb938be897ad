// The tables of `jaxtrace kernels`, and the page made of them.
#pragma once

#include <string>
#include <vector>

#include "commands/kernels/sums.h"
#include "jaxtrace/report.h"

namespace jaxtrace {

/// Every kernel and column, for --out.
Table kernels_table(const KernelSums& sums);
Table devices_table(const KernelSums& sums);
Table graphs_table(const KernelSums& sums);

/// `top`: how many kernels the page lists; 0 for all.
Report kernels_report(const std::vector<KernelRun>& runs, const KernelSums& sums, std::size_t top);

/// The page of --att-yaml for one kernel.
Report att_report(const KernelSums& sums, const KernelSumRow& kernel);

}  // namespace jaxtrace
