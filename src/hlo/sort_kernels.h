// How many kernels XLA's own sort takes.
#pragma once

#include "hlo/launches.h"
#include "hlo/program.h"

namespace jaxtrace::hlo {

/// One for each run of bitonic stages within a tile, one for each stage across tiles.
int sort_kernels(const Program& program, const ProtoRows& rows, InstructionId sort);

}  // namespace jaxtrace::hlo
