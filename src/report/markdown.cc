// GitHub Markdown that also reads well on a terminal: columns are padded, and only characters that
// would change the rendering are escaped.
#include <algorithm>
#include <cctype>

#include "jaxtrace/report.h"
#include "report/text.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kLongestCell = 100;  // The whole name is in the CSV.

bool is_word(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0;
}

/// Whether the character at `at` would be markup, given its neighbours.
bool is_markup(std::string_view text, std::size_t at) {
  const char before = at > 0 ? text[at - 1] : ' ';
  const char after = at + 1 < text.size() ? text[at + 1] : ' ';
  switch (text[at]) {
    case '|':
    case '<':
    case '*':
    case '`':
    case '~':
    case '[':
      return true;
    case '_':
      return !is_word(before) || !is_word(after);
    case '&':
      return is_word(after) || after == '#';
    case '\\':
      return std::ispunct(static_cast<unsigned char>(after)) != 0;
    default:
      return false;
  }
}

/// Prose comes from a command, which has escaped the names in it; this is for bytes it overlooked.
std::string paragraph(std::string_view text) {
  std::string result;
  while (true) {
    const std::size_t end = text.find('\n');
    result += one_line(text.substr(0, end));
    if (end == std::string_view::npos) return result;
    result += '\n';
    text.remove_prefix(end + 1);
  }
}

bool is_number(const Cell& cell) {
  return std::holds_alternative<std::int64_t>(cell) || std::holds_alternative<double>(cell);
}

std::string shown(const Cell& cell, Unit unit) {
  if (const auto* text = std::get_if<std::string>(&cell)) return escape_markdown(*text);
  return for_people(cell, unit);
}

struct Layout {
  std::vector<std::string> cells;
  std::size_t width = 3;  // "---" is the shortest rule that every Markdown reader takes.
  bool right = false;
};

Layout lay_out(const Table& table, std::size_t column) {
  const Column& head = table.columns[column];
  Layout result;
  result.right = head.unit != Unit::none;
  result.cells.push_back(escape_markdown(head.label.empty() ? head.name : head.label));
  for (const auto& row : table.rows) {
    result.cells.push_back(shown(row[column], head.unit));
    result.right = result.right || is_number(row[column]);
  }
  for (const std::string& cell : result.cells) result.width = std::max(result.width, width(cell));
  return result;
}

void write(const Table& table, std::ostream& out) {
  if (!table.caption.empty()) out << paragraph(table.caption) << "\n\n";
  std::vector<Layout> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i) columns.push_back(lay_out(table, i));

  for (std::size_t row = 0; row <= table.rows.size(); ++row) {
    for (const Layout& column : columns) {
      const std::string& cell = column.cells[row];
      const std::string padding(column.width - width(cell), ' ');
      out << "| " << (column.right ? padding + cell : cell + padding) << ' ';
    }
    out << "|\n";
    if (row > 0) continue;
    for (const Layout& column : columns) {
      out << "| " << std::string(column.width - 1, '-') << (column.right ? ':' : '-') << ' ';
    }
    out << "|\n";
  }
  out << '\n';
}

void write(const Heading& heading, std::ostream& out) {
  out << "## " << paragraph(heading.text) << "\n\n";
}

void write(const Prose& prose, std::ostream& out) {
  out << paragraph(prose.text) << "\n\n";
}

void write(const Bullets& bullets, std::ostream& out) {
  for (const std::string& item : bullets.items) out << "- " << paragraph(item) << '\n';
  if (!bullets.items.empty()) out << '\n';
}

void write(const Fact& /*for machines*/, std::ostream& /*out*/) {}

}  // namespace

std::string escape_markdown(std::string_view name) {
  const std::string plain = shortened(one_line(name), kLongestCell);
  std::string result;
  result.reserve(plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (is_markup(plain, i)) result += '\\';
    result += plain[i];
  }
  return result;
}

void write_markdown(const Report& report, std::ostream& out) {
  if (!report.title.empty()) out << "# " << paragraph(report.title) << "\n\n";
  for (const auto& block : report.blocks) {
    std::visit([&](const auto& kind) { write(kind, out); }, block);
  }
}

}  // namespace jaxtrace
