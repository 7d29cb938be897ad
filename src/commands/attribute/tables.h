// ops.csv, lines.csv, how.csv and fusions.csv: the same time, grouped in four ways.
//
// Every table holds all that is counted, so that its total_ps column adds up to Sums::all: what has
// no instruction or no line gets a row that says so.
#pragma once

#include "attribution/attribution.h"
#include "attribution/ops.h"
#include "attribution/sums.h"
#include "jaxtrace/report.h"

namespace jaxtrace {

/// What the tables are made from.
struct Measured {
  const Trace& trace;
  const Attribution& attribution;
  const Ops& ops;
  const Sums& sums;
};

Table ops_table(const Measured& measured);
Table lines_table(const Measured& measured);
Table how_table(const Measured& measured);

/// Fusions whose members come from more than one line: which line was given the time, and the rest.
Table fusions_table(const Measured& measured);

/// Cost by op; the last is what has no instruction.
std::vector<Cost> cost_by_op(const Measured& measured);

/// part / whole, or not measured if the whole is nothing.
Cell share(std::int64_t part, std::int64_t whole);

}  // namespace jaxtrace
