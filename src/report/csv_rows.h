// The rows of a table without its header: for tables that are written piece by piece.
#pragma once

#include <ostream>

#include "jaxtrace/report.h"

namespace jaxtrace {

void write_csv_rows(const Table& table, std::ostream& out);

}  // namespace jaxtrace
