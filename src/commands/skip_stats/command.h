#pragma once

#include "jaxtrace/command.h"

namespace jaxtrace {

Command skip_stats_command();

}  // namespace jaxtrace
