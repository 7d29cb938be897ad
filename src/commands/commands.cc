// The table of subcommands.  It is explicit, because a linker drops the static initialisers of a
// static library's unused objects, and registration by them would go with it.
#include "jaxtrace/command.h"

#include "commands/attribute/command.h"
#include "commands/hotspot/command.h"
#include "commands/investigate/command.h"
#include "commands/kernels/command.h"
#include "commands/pmc_l2/command.h"
#include "commands/skip_stats/command.h"

namespace jaxtrace {

std::span<const Command> commands() {
  static const std::vector<Command> table = {
      investigate_command(), skip_stats_command(), attribute_command(),
      hotspot_command(),     kernels_command(),    pmc_l2_command(),
  };
  return table;
}

}  // namespace jaxtrace
