// Dealing device events out to steps, by one rule each.
#pragma once

#include <cstdint>
#include <vector>

#include "skip/anchors.h"

namespace jaxtrace {

/// Which step each device event belongs to.
struct Dealt {
  std::vector<Step> steps;             ///< number, anchor and host are set
  std::vector<std::uint32_t> step_of;  ///< By device event; kNoStep if none
  std::string name;
};

/// A launch belongs to the last anchor before it.  A thread that runs programs for the anchors'
/// thread may be behind; its k-th run of `jit_f` belongs to the step of the k-th call of f.
Dealt deal_by_anchors(const Trace& trace, const Works& works,
                      const std::vector<DeviceTimeline>& timelines, const AnchorSet& anchors);

/// The k-th run of the program with the most device time on each device is in step k.
Dealt deal_by_runs(const Trace& trace, const Works& works,
                   const std::vector<DeviceTimeline>& timelines);

/// Every p-th kernel of a device's busiest stream begins a step, if names repeat after p of them.
Dealt deal_by_period(const Trace& trace, const std::vector<DeviceTimeline>& timelines);

/// The smallest p after which at least 90 % of the names repeat, three times or more; 0 if none.
std::size_t find_period(const std::vector<StringId>& names);

}  // namespace jaxtrace
