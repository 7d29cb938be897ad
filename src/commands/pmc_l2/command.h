// `jaxtrace pmc-l2`: what L2 and memory counters say of each kernel.
#pragma once

#include "jaxtrace/command.h"

namespace jaxtrace {

Command pmc_l2_command();

}  // namespace jaxtrace
