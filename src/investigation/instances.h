// How often each instruction ran, which is not how many kernels it has: a library call takes
// several and a loop repeats an instruction within one execution of its program.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "attribution/attribution.h"
#include "attribution/ops.h"
#include "attribution/sums.h"

namespace jaxtrace {

/// How the number of instances is known; surest first.
enum class InstancesBy : std::uint8_t {
  executions,  ///< Outside loops: one in each execution on each device
  kernels,     ///< Each instance launches a known number of kernels.
  neighbours,  ///< As often as the kernels of XLA's own in the same loop body
  trips,       ///< As often as the loops around it go round, by the HLO
  guess,       ///< As often as the rarest of its kernels ran
};

std::string_view text(InstancesBy by);

struct Instances {
  std::int64_t count = 0;  ///< On all devices
  InstancesBy by = InstancesBy::executions;

  /// Instances had different numbers of kernels: some may not be recorded.
  bool uneven = false;
};

/// By row of Ops::rows.
std::vector<Instances> count_instances(const Trace& trace, const Attribution& attribution,
                                       const Ops& ops, const Counted& counted);

}  // namespace jaxtrace
