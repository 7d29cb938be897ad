// Collectives of a step, each on all the GPUs that take part: the i-th of one instruction in a step
// on one GPU is the i-th on every other of its host.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "skip/steps.h"

namespace jaxtrace {

/// One collective on two GPUs or more of one host, whose kernels overlap.
struct AlignedCollective {
  std::uint32_t step = 0;
  std::vector<std::pair<std::size_t, std::uint32_t>> parts;  ///< (row of the timelines, event)
  Picoseconds arrival{0};         ///< The last begin: from here on all are there
  Picoseconds arrival_before{0};  ///< The last begin but one
  Picoseconds release{0};         ///< The first end
  std::size_t last = 0;           ///< Row of `parts` that arrives last; the first of equals
  Picoseconds waited{0};          ///< Of all the others for the last, summed
};

struct AlignedCollectives {
  std::vector<AlignedCollective> all;  ///< By host, step, instruction, occurrence
  std::vector<std::uint32_t> row_of;   ///< By device event: row of `all`, or kNoEvent
};

AlignedCollectives align_collectives(const Trace& trace, const Works& works,
                                     const std::vector<DeviceTimeline>& timelines,
                                     const Steps& steps);

}  // namespace jaxtrace
