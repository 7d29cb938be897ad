// Choosing rows and columns of whole tables for the page.
#pragma once

#include <initializer_list>
#include <string_view>

#include "jaxtrace/report.h"

namespace jaxtrace {

/// The first `most` rows, and of the columns those with these names, in this order.
Table excerpt(const Table& table, std::initializer_list<std::string_view> columns,
              std::size_t most);

/// Adds a table for people, if it has rows.
void show(Report& report, Table table);

}  // namespace jaxtrace
