// What is not said on the page is in the files.
#include "commands/investigate/words.h"

#include <algorithm>
#include <utility>

#include "report/text.h"

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

std::string escaped_but_code(std::string_view sentence) {
  if (std::ranges::count(sentence, '`') % 2 != 0) return escape_markdown_sentence(sentence);
  std::string out;
  bool code = false;
  for (std::size_t begin = 0; begin <= sentence.size(); code = !code) {
    const std::size_t end = std::min(sentence.find('`', begin), sentence.size());
    const std::string_view part = sentence.substr(begin, end - begin);
    if (code) {
      out += '`' + one_line(part) + '`';
    } else if (!part.empty()) {
      // Blanks at its ends are between it and code.
      out += escape_markdown_sentence(part);
    }
    begin = end + 1;
  }
  return out;
}

std::string plain(std::string_view sentence) {
  std::string out(sentence);
  std::erase(out, '`');
  return out;
}

}  // namespace jaxtrace
