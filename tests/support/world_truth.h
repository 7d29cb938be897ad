// What is true of a world's GPUs over a window, found by brute force: between any two neighbouring
// begins and ends nothing changes, so each such piece is one thing.
#pragma once

#include "support/world.h"

namespace jaxtrace::world {

/// Sums of a window of one device, in picoseconds.
struct Truth {
  Ps compute = 0, collective = 0, copy = 0, idle = 0;
  // Parts of idle.
  Ps host_late = 0;    ///< The host had not asked.
  Ps launch_path = 0;  ///< Asked, on the way
  Ps in_graph = 0;     ///< Between two events of one graph launch
  Ps queued = 0;       ///< Asked before the GPU fell idle
  Ps tail = 0;         ///< Nothing comes afterwards.
};

Truth truth_of(const History& history, int device, Ps begin, Ps end);

}  // namespace jaxtrace::world
