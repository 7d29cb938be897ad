// The tables that the page shows: a choice of rows and columns.  The files (tables.h) have all of
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commands/attribute/tables.h"

namespace jaxtrace {

/// "model.py:77"; empty of no location.
std::string short_location(const hlo::Location& at);

/// "jit_step(17)" of a row of Attribution::programs; empty of kNone.
std::string program_text(const Measured& measured, std::uint32_t row);

/// Of all counted time, what has a Python line; `costs` is cost_by_op().
std::int64_t time_with_a_line(const Measured& measured, const std::vector<Cost>& costs);

/// What was counted, and how much of it is attributed; `with_line` is time_with_a_line().
std::string opening(const Measured& measured, std::int64_t with_line);

Table match_table(const Measured& measured);        ///< By class of match
Table unexplained_table(const Measured& measured);  ///< What has no instruction, by reason
Table top_ops(const Measured& measured, const std::vector<Cost>& costs, std::size_t most);
Table top_lines(const Measured& measured, std::size_t most);

}  // namespace jaxtrace
