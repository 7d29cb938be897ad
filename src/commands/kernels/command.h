// `jaxtrace kernels`: which kernels take the time of a GPU, and how to trace one of them.
#pragma once

#include "jaxtrace/command.h"

namespace jaxtrace {

Command kernels_command();

}  // namespace jaxtrace
