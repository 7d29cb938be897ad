// Choosing rows and columns of whole tables for the page.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "jaxtrace/report.h"

namespace jaxtrace {

/// The first `most` rows, and of the columns those with these names, in this order.
Table excerpt(const Table& table, std::initializer_list<std::string_view> columns,
              std::size_t most);

/// Adds a table for people, if it has rows.
void show(Report& report, Table table);

/// A sentence of ours that may hold `code` with names from the capture: what is between backticks
/// stays code, the rest is escaped.
std::string escaped_but_code(std::string_view sentence);

/// The same without backticks, for cells.
std::string plain(std::string_view sentence);

}  // namespace jaxtrace
