#include "commands/investigate/words.h"

#include <algorithm>
#include <utility>

namespace jaxtrace {

Table excerpt(const Table& table, std::initializer_list<std::string_view> columns,
              std::size_t most) {
  Table out{.id = table.id, .caption = table.caption, .columns = {}, .rows = {}};
  out.rows.resize(std::min(most, table.rows.size()));
  for (const std::string_view name : columns) {
    const auto column = std::ranges::find(table.columns, name, &Column::name);
    const auto place = static_cast<std::size_t>(column - table.columns.begin());
    out.columns.push_back(table.columns.at(place));
    for (std::size_t row = 0; row < out.rows.size(); ++row) {
      out.rows[row].push_back(table.rows[row][place]);
    }
  }
  return out;
}

void show(Report& report, Table table) {
  if (!table.rows.empty()) report.blocks.emplace_back(Shown{std::move(table)});
}

}  // namespace jaxtrace
