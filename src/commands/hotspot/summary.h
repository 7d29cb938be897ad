// The report on stdout: where the cycles went, the first few rows of each question, and what to
// try.
#pragma once

#include "commands/hotspot/tables.h"
#include "jaxtrace/report.h"

namespace jaxtrace {

Report hotspot_report(Dispatches dispatches, const HotspotOptions& options);

}  // namespace jaxtrace
