// Random worlds: one with enough to do for its GPUs, and then one cause of loss on top.
#pragma once

#include <cstdint>

#include "support/world.h"

namespace jaxtrace::world {

struct Injected {
  World world;
  Cause cause = Cause::nothing;
};

/// The same world for the same number, everywhere.  Causes take turns.
Injected random_world(std::uint64_t seed);

}  // namespace jaxtrace::world
