// Parts of the report that have rules of their own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/hotspot/tables.h"
#include "jaxtrace/report.h"
#include "report/words.h"

namespace jaxtrace {

/// What the recording itself lacks, and what to change about it: one sentence each.
std::vector<std::string> remedies(const HotspotDispatch& dispatch);

/// Why a trace has no cycles to report, and what to record instead: goes on after the file's name.
std::string no_timing(Timing timing);

/// The copied source around the lines with the most stall, and their instructions.
void add_details(Report& report, const HotspotDispatch& dispatch, const HotspotOptions& options,
                 bool several);

/// The waits that cost most, with what they wait for.
void add_waits(Report& report, const HotspotDispatch& dispatch);

/// The loops with the most stall.
void add_loops(Report& report, const HotspotDispatch& dispatch);

/// What the CU could hold, what kept it from more, and what it did hold.
void add_occupancy(Report& report, Dispatches dispatches);

/// Stall Summary, Hotspot Analysis, Priority Order.
void add_plan(Report& report, Dispatches dispatches);

/// --verify, as a sentence for each dispatch.
void add_verification(Report& report, Dispatches dispatches);

}  // namespace jaxtrace
