// GitHub Markdown that also reads well on a terminal: columns are padded, and only characters that
// would change the rendering are escaped.
#include <algorithm>
#include <cctype>

#include "jaxtrace/report.h"
#include "report/text.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kLongestCell = 100;  // The whole name is in the CSV.
constexpr std::size_t kLongestSentence = 500;

bool is_space(char character) {
  return character == ' ';
}

bool is_punctuation(char character) {
  return std::ispunct(static_cast<unsigned char>(character)) != 0;
}

/// Whether emphasis that `mark` stands for could begin and, further on, end in `text`; the rules
/// of flanking are those of GFM 6.4.  An underscore inside a word does neither.
bool can_pair(std::string_view text, char mark) {
  bool open = false;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != mark) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && text[end] == mark) ++end;
    const char before = at > 0 ? text[at - 1] : ' ';
    const char after = end < text.size() ? text[end] : ' ';
    const bool apart_before = is_space(before) || is_punctuation(before);
    const bool apart_after = is_space(after) || is_punctuation(after);
    const bool left = !is_space(after) && (!is_punctuation(after) || apart_before);
    const bool right = !is_space(before) && (!is_punctuation(before) || apart_after);
    const bool inside = mark == '_' && left && right;
    if (open && right && (!inside || is_punctuation(after))) return true;
    open = open || (left && (!inside || is_punctuation(before)));
    at = end;
  }
  return false;
}

/// Whether an entity such as `&lt;` or `&#60;` begins at `at`.
bool is_entity(std::string_view text, std::size_t at) {
  const std::size_t end = text.find(';', at);
  if (end == std::string_view::npos || end == at + 1) return false;
  const std::string_view name = text.substr(at + 1, end - at - 1);
  return std::ranges::all_of(
      name, [](char c) { return c == '#' || std::isalnum(static_cast<unsigned char>(c)) != 0; });
}

/// What is markup in one text; characters that the text merely holds stay as they are.
struct Markup {
  explicit Markup(std::string_view text)
      : star(can_pair(text, '*')),
        underscore(can_pair(text, '_')),
        tilde(can_pair(text, '~')),
        tick(std::ranges::count(text, '`') > 1),
        link(text.find("](") != std::string_view::npos ||
             text.find("][") != std::string_view::npos) {}

  bool at(std::string_view text, std::size_t at) const {
    const char after = at + 1 < text.size() ? text[at + 1] : ' ';
    switch (text[at]) {
      case '|':
        return true;
      case '<':
        return std::isalpha(static_cast<unsigned char>(after)) != 0 || is_punctuation(after);
      case '*':
        return star;
      case '_':
        return underscore;
      case '~':
        return tilde;
      case '`':
        return tick;
      case '[':
        return link;
      case '&':
        return is_entity(text, at);
      case '\\':
        return is_punctuation(after);
      default:
        return false;
    }
  }

  bool star, underscore, tilde, tick, link;
};

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
  if (const auto* text = std::get_if<std::string>(&cell); text != nullptr && !text->empty()) {
    return escape_markdown(*text);
  }
  if (std::holds_alternative<std::string>(cell)) return "–";
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
  for (const std::string& item : bullets.items) {
    // A name at the front may look like a heading, a quote or another list.
    const bool block = !item.empty() && std::string_view("#>+-").find(item[0]) != std::string::npos;
    out << (block ? "- \\" : "- ") << paragraph(item) << '\n';
  }
  if (!bullets.items.empty()) out << '\n';
}

void write(const Fact& /*for machines*/, std::ostream& /*out*/) {}

void write(const Annex& /*for machines*/, std::ostream& /*out*/) {}

void write(const Bundle& /*for machines*/, std::ostream& /*out*/) {}

void write(const Shown& shown, std::ostream& out) {
  write(shown.table, out);
}

/// Line by line, so that a name in it can neither end the block nor break a line.
void write(const Preformatted& drawing, std::ostream& out) {
  out << "```text\n";
  for (std::size_t begin = 0; begin < drawing.text.size();) {
    const std::size_t end = std::min(drawing.text.find('\n', begin), drawing.text.size());
    const std::string line = one_line(std::string_view(drawing.text).substr(begin, end - begin));
    out << (line.starts_with("```") ? " " : "") << line << '\n';
    begin = end + 1;
  }
  out << "```\n\n";
}

std::string escaped(const std::string& plain) {
  std::string result;
  result.reserve(plain.size());
  const Markup markup(plain);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (markup.at(plain, i)) result += '\\';
    result += plain[i];
  }
  return result;
}

}  // namespace

std::string escape_markdown(std::string_view name) {
  return escaped(shortened(one_line(name), kLongestCell));
}

std::string escape_markdown_sentence(std::string_view sentence) {
  return escaped(shortened(one_line(sentence), kLongestSentence));
}

void write_markdown(const Report& report, std::ostream& out) {
  if (!report.title.empty()) out << "# " << paragraph(report.title) << "\n\n";
  for (const auto& block : report.blocks) {
    std::visit([&](const auto& kind) { write(kind, out); }, block);
  }
}

}  // namespace jaxtrace
