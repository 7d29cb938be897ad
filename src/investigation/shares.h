// Shares of time that an analysis left out or is not sure of, as entries of the trust list.
#pragma once

#include <vector>

#include "investigation/trust.h"

namespace jaxtrace {

/// Of attribution: no instruction, doubtful ones, no line, lines that are not the instruction's
/// own.  `no_hlo_said`: a check has said already that programs lack HLO.
std::vector<Distrust> attribution_shares(const Investigated& in, bool no_hlo_said);

/// Of the time budget: events without a launch or of no known kind, idle time without a cause.
/// Left out is what the checks `join` and `classified` say.
std::vector<Distrust> budget_shares(const Investigated& in, const std::vector<CheckResult>& checks);

/// What it leaves out or rests on an assumption.
std::vector<Distrust> roofline_shares(const Investigated& in, const Roofline& roofline,
                                      bool no_hlo_said);

/// An entry with the affects and remedy of its code.
Distrust distrust(const Investigated& in, std::string code);

}  // namespace jaxtrace
