// `jaxtrace hotspot`: where a GPU kernel stalls, why, and what to try.
#pragma once

#include "jaxtrace/command.h"

namespace jaxtrace {

Command hotspot_command();

}  // namespace jaxtrace
