// Which program each piece of device work belongs to.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/launches.h"
#include "attribution/attribution.h"

namespace jaxtrace {

struct Programs {
  std::vector<AttributedProgram> rows;  ///< By host, program id, module name.

  /// Per device event: row of `rows`, or kNone.  Decided by the first of these that says: the
  /// event's own annotation, its host call's annotation, the program run that the call stands in.
  std::vector<std::uint32_t> of_event;
};

/// Programs that the capture carries and programs that its events name; parses the HLO of those
/// that ran.  Unreadable HLO is a finding.
Programs find_programs(const Trace& trace, const Launches& launches,
                       std::vector<Finding>& findings);

}  // namespace jaxtrace
