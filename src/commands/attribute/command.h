// `jaxtrace attribute`: every GPU kernel → HLO instruction → op_name → Python line.
#pragma once

#include "jaxtrace/command.h"

namespace jaxtrace {

Command attribute_command();

}  // namespace jaxtrace
