// --baseline: the report's section and its CSV.
#pragma once

#include "att/compare.h"
#include "commands/hotspot/tables.h"
#include "jaxtrace/report.h"

namespace jaxtrace {

CompareSide side_of(Dispatches dispatches);

void add_comparison(Report& report, const Comparison& comparison, const HotspotOptions& options);

Table changes_csv(const Comparison& comparison);

}  // namespace jaxtrace
