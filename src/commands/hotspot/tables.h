// The CSV files: every row, where the report shows the first few.
#pragma once

#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "commands/hotspot/dispatch.h"
#include "jaxtrace/report.h"

namespace jaxtrace {

using Dispatches = std::span<const std::unique_ptr<HotspotDispatch>>;

Cell optional_cell(std::optional<double> value);
Cell optional_cell(std::optional<std::int64_t> value);
/// Absent if empty.
Cell text_cell(std::string_view text);
/// "0x1f18"
std::string hex(std::int64_t address);

/// By dispatch, then place in the file; written as it goes, since there may be millions.
void write_instructions_csv(Dispatches dispatches, std::ostream& out);

/// Cycles of each loop, inner loops included.
std::vector<Cycles> cycles_of_loops(const HotspotDispatch& dispatch);

Table lines_csv(Dispatches dispatches);
Table stalls_csv(Dispatches dispatches);
Table waits_csv(Dispatches dispatches);
Table loops_csv(Dispatches dispatches);
Table occupancy_csv(Dispatches dispatches);
Table plan_csv(Dispatches dispatches);

}  // namespace jaxtrace
