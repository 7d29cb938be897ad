// `jaxtrace investigate`: the seven-step report of one capture.
#pragma once

#include "jaxtrace/command.h"

namespace jaxtrace {

Command investigate_command();

}  // namespace jaxtrace
