// A report as data, so that each command describes its result once and three writers print it.
//
// Cells carry raw integers (picoseconds, bytes, counts); only the Markdown writer scales and
// rounds. "Not measured" is a monostate: an empty CSV cell, null in JSON, "–" in Markdown, never 0.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace jaxtrace {

enum class Unit : std::uint8_t {
  none,
  count,
  time,
  cycles,
  bytes,
  ratio,
  bytes_per_second,
  flops_per_second
};

struct Column {
  std::string name;  ///< The CSV header and JSON key, with its unit in it: total_ps, share.
  Unit unit = Unit::none;
  std::string label{};  ///< The Markdown header; `name` if empty.
};

using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;

struct Table {
  std::string id;  ///< JSON key and CSV file stem.
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

struct Heading {
  std::string text;
};
struct Prose {
  std::string text;  ///< One paragraph of Markdown.
};
struct Bullets {
  std::vector<std::string> items;
};

/// A named value for machines that the prose already tells people: JSON only.
struct Fact {
  std::string key;
  Cell value;
};

/// Likewise a table: JSON and CSV only, because people find it in a file.
struct Annex {
  Table table;
};

/// A table for people only: machines find what it tells in a Bundle.
struct Shown {
  Table table;
};

/// Text whose lines and columns matter: a drawing in characters.
struct Preformatted {
  std::string text;
};

/// Facts and tables that belong together: an object in JSON, its tables in CSV; not for people.
struct Bundle {
  std::string key;
  std::vector<Fact> facts;
  std::vector<Table> tables;
};

struct Report {
  std::string title;
  std::vector<
      std::variant<Heading, Prose, Bullets, Preformatted, Table, Shown, Fact, Annex, Bundle>>
      blocks;
};

/// A cell as people read it, for prose: "1.234 ms", "37.6 %", "12,345", "3.5 MiB"; "–" for what was
/// not measured.
std::string for_people(const Cell& cell, Unit unit);

/// A name from the capture, safe inside Prose and Bullets whatever its bytes are.  Long names are
/// shortened in the middle, as the Markdown writer does in tables by itself.
std::string escape_markdown(std::string_view name);

/// The same for a sentence, such as a Finding's: shortened only beyond any sentence's length.
std::string escape_markdown_sentence(std::string_view sentence);

/// RFC 4180 with LF; bytes of names as they are, UTF-8 or not; ratios with six digits.
void write_csv(const Table& table, std::ostream& out);

/// The tables of a report as CSV, one after another, each with a `# id` line before it.
void write_csv(const Report& report, std::ostream& out);

/// GitHub Markdown, valid UTF-8: numbers right-aligned and scaled for people (µs, MiB, %).
void write_markdown(const Report& report, std::ostream& out);

/// One JSON object, valid UTF-8: "schema": 1, "title", "text" (headings, prose and bullets, in
/// order), then facts by key, tables by id, each an array of objects, and groups by key.
void write_json(const Report& report, std::ostream& out);

}  // namespace jaxtrace
