// Which GPU the others wait for: the last to arrive at each collective.
//
// Collective kernels occupy their GPU while they wait for the others, and end together, so the
// latest begin divides each into waiting and transfer.  Hosts do not share a clock, so only GPUs
// of one host are compared.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "skip/steps.h"

namespace jaxtrace {

struct StepStraggler {
  std::size_t step = 0;
  std::optional<std::size_t> device;  ///< Row of the timelines; absent: none stands out
  Picoseconds caused{0};              ///< Waiting of the others for it, summed over collectives
  Picoseconds lead{0};                ///< Of its arrivals, and of its end if the host waits for
                                      ///< it, over the last but one's: what the step would gain
                                      ///< if it came with the others
  Picoseconds spread{0};              ///< Greatest end minus median end
  std::uint64_t collectives = 0;      ///< Aligned over all GPUs
};

struct Stragglers {
  std::vector<StepStraggler> steps;         ///< Of the kept steps
  std::optional<std::size_t> device;        ///< The one of most steps
  double persistence = 0;                   ///< Share of kept steps in which it is that one
  std::vector<Picoseconds> wait, transfer;  ///< By device: of its exposed collectives, over all
                                            ///< kept steps; sums to what could be aligned
};

Stragglers find_stragglers(const Trace& trace, const Works& works,
                           const std::vector<DeviceTimeline>& timelines, const Steps& steps);

}  // namespace jaxtrace
