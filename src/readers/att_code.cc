// code.json as rocprofv3's thread trace decoder writes it:
//
//   {"code": [["; _Z4axpyPfPKffi", 0, 0, "axpy(float*, …)", 2, 6400, 0, 0, 0, 0],
//             ["s_load_dword s2, s[4:5], 0x24", 0, 1, "tiny.cpp:8", 2, 6400, 672, 49156, 46468,
//             30636], …],
//    "header": "ISA, _, LineNumber, Source, Codeobj, Vaddr, Hit, Latency, Stall, Idle",
//    "version": "3.0.0"}
//
// The header comes last, so a first pass over the file looks for it and counts the rows, and a
// second reads them.  Columns go by their names; only without a header by the order above, which
// every writer so far has kept.  A row is a label, not an instruction, if its text begins with ";":
// line numbers do not tell, since the first instruction of a kernel without a symbol has number 0.
//
// What is no list of such rows is refused by name: rocprofv2 wrote rows of eight columns, without
// header and without stall cycles.
#include "readers/att_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "jaxtrace/error.h"
#include "readers/att_notes.h"
#include "readers/att_rows.h"
#include "readers/csv.h"
#include "readers/inflate.h"
#include "readers/json_cursor.h"
#include "readers/mapped_file.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kMostColumns = 64;
constexpr std::size_t kLegacyColumns = 8;

struct Named {
  std::string_view name;
  AttColumn column;
};

constexpr Named kNames[] = {
    {"ISA", AttColumn::isa},           {"Instruction", AttColumn::isa},
    {"LineNumber", AttColumn::line},   {"Source", AttColumn::source},
    {"Codeobj", AttColumn::object},    {"CodeObj", AttColumn::object},
    {"Vaddr", AttColumn::address},     {"Hit", AttColumn::hits},
    {"Hitcount", AttColumn::hits},     {"Latency", AttColumn::latency},
    {"Stall", AttColumn::stall},       {"Idle", AttColumn::idle},
    {"PC_Issued", AttColumn::samples}, {"PC_Stalled", AttColumn::samples},
};

using Columns = std::vector<AttColumn>;

AttColumn column_named(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name, &Named::name);
  return found == std::end(kNames) ? AttColumn::ignored : found->column;
}

const Columns& first_order() {
  static const Columns columns = {AttColumn::isa,    AttColumn::ignored, AttColumn::line,
                                  AttColumn::source, AttColumn::object,  AttColumn::address,
                                  AttColumn::hits,   AttColumn::latency, AttColumn::stall,
                                  AttColumn::idle};
  return columns;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// "ISA, _, LineNumber, …"
Columns split_header(std::string_view text) {
  Columns columns;
  while (columns.size() < kMostColumns) {
    const std::size_t comma = text.find(',');
    columns.push_back(column_named(trimmed(text.substr(0, comma))));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return columns;
}

Columns read_header(JsonCursor& at) {
  std::string name;
  if (at.peek() == JsonCursor::Kind::string) {
    return at.string(name) ? split_header(name) : Columns();
  }
  Columns columns;
  if (!at.enter_array()) {
    at.skip();
    return columns;
  }
  while (at.next_item()) {
    if (!at.string(name)) name.clear();
    if (columns.size() < kMostColumns) columns.push_back(column_named(trimmed(name)));
  }
  return columns;
}

/// What the first pass finds.
struct Outline {
  bool object = false;  ///< The file is a JSON object at all.
  bool has_code = false;
  bool rows = false;     ///< "code" is a list, not null.
  std::size_t code = 0;  ///< Byte where the value of "code" begins.
  std::size_t count = 0;
  std::size_t first_width = 0;  ///< Columns of the first row.
  Columns header;
  std::optional<std::size_t> broken;  ///< Byte after which the file makes no sense.
};

std::size_t width_of_row(JsonCursor& at) {
  std::size_t width = 0;
  if (!at.enter_array()) {
    at.skip();
    return 0;
  }
  for (; at.next_item(); ++width) at.skip();
  return width;
}

void survey_rows(JsonCursor& at, Outline& outline) {
  outline.has_code = true;
  at.peek();
  outline.code = at.byte();
  outline.rows = at.enter_array();
  if (!outline.rows) {
    at.skip();
    return;
  }
  while (at.next_item()) {
    if (outline.count++ == 0) {
      outline.first_width = width_of_row(at);
    } else {
      at.skip();
    }
  }
}

Outline survey(std::string_view bytes) {
  Outline outline;
  JsonCursor at(bytes);
  outline.object = at.enter_object();
  std::string key;
  while (outline.object && at.next_key(key)) {
    if (key == "code") {
      survey_rows(at, outline);
    } else if (key == "header") {
      outline.header = read_header(at);
    } else {
      at.skip();
    }
  }
  if (at.failed()) outline.broken = at.byte();
  return outline;
}

/// Reads one row; false if it is no list.
bool read_row(JsonCursor& at, const Columns& columns, AttRow& row) {
  row.isa.clear();
  row.source.clear();
  row.numbers = {};
  row.complete = false;
  if (!at.enter_array()) {
    at.skip();
    return false;
  }
  const auto number = [&](AttColumn column) -> std::optional<std::int64_t>& {
    return row.numbers[static_cast<std::size_t>(column)];
  };
  std::size_t i = 0;
  for (; at.next_item(); ++i) {
    const AttColumn column = i < columns.size() ? columns[i] : AttColumn::ignored;
    switch (column) {
      case AttColumn::ignored:
        at.skip();
        break;
      case AttColumn::isa:
        at.string(row.isa);
        break;
      case AttColumn::source:
        at.string(row.source);
        break;
      case AttColumn::samples:
        number(column) = number(column).value_or(0) + at.integer().value_or(0);
        break;
      default:
        number(column) = at.integer();
    }
  }
  row.complete = i >= columns.size();
  return true;
}

[[noreturn]] void refuse(const std::filesystem::path& file, const Outline& outline) {
  const std::string path = file.string();
  if (!outline.object) {
    throw InputError(path,
                     "is no JSON object, as a thread trace's code.json is; copy the directory "
                     "again, or record again");
  }
  if (outline.broken) {
    throw InputError(path,
                     fmt::format("breaks off at byte {} before the first instruction; copy it "
                                 "again, or record again",
                                 *outline.broken));
  }
  throw InputError(path, "has no list \"code\", so it is not of rocprofv3's thread trace");
}

void require_columns(const std::filesystem::path& file, const Columns& columns) {
  constexpr Named kRequired[] = {{"ISA", AttColumn::isa},         {"LineNumber", AttColumn::line},
                                 {"Vaddr", AttColumn::address},   {"Hit", AttColumn::hits},
                                 {"Latency", AttColumn::latency}, {"Stall", AttColumn::stall},
                                 {"Idle", AttColumn::idle}};
  std::string missing;
  for (const Named& required : kRequired) {
    if (std::ranges::find(columns, required.column) != columns.end()) continue;
    missing += missing.empty() ? "" : ", ";
    missing += required.name;
  }
  if (!missing.empty()) {
    throw InputError(file.string(), "its header lacks the columns " + missing +
                                        ", so it is of a version that jaxtrace does not know");
  }
}

/// The file's bytes, inflated if it ends in .gz.
class CodeBytes {
 public:
  CodeBytes(const std::filesystem::path& path, ThreadTrace& trace) : file_(path) {
    if (path.extension() != ".gz") return;
    Inflated inflated = inflate_all(file_.bytes());
    if (inflated.text.empty()) {
      throw InputError(path.string(), "cannot be inflated: it is no gzip file; copy it again");
    }
    if (!inflated.whole) {
      note(trace.findings, Severity::data_loss, "att-truncated",
           "the compressed data breaks off or is damaged; instructions after it are missing",
           trace.name + '/' + trace.file);
    }
    text_ = std::move(inflated.text);
    inflated_ = true;
  }

  std::string_view bytes() const { return inflated_ ? std::string_view(text_) : file_.bytes(); }
  void release(std::string_view part) const {
    if (!inflated_) file_.release(part);
  }

 private:
  MappedFile file_;
  std::string text_;
  bool inflated_ = false;
};

}  // namespace

void read_att_code(const std::filesystem::path& file, ThreadTrace& trace,
                   const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  constexpr std::size_t kStep = std::size_t{8} << 20U;
  const CodeBytes code(file, trace);
  const std::string_view bytes = code.bytes();
  if (bytes.empty()) {
    throw InputError(file.string(), "is empty; the profiler did not finish writing it");
  }
  Outline outline = survey(bytes);
  const std::string where = trace.name + '/' + trace.file;
  if (!outline.has_code || (outline.broken && outline.count < 2)) refuse(file, outline);
  if (outline.header.empty()) {
    if (outline.first_width == kLegacyColumns) {
      throw InputError(file.string(),
                       "was written by rocprofv2, whose eight columns have no stall and no idle "
                       "cycles; record again with rocprofv3 --att");
    }
    outline.header = first_order();
    if (outline.rows && !outline.broken) {
      note(trace.findings, Severity::note, "att-no-header",
           "has no header, so columns are taken in their usual order", where);
    }
  }
  require_columns(file, outline.header);

  AttRows rows(trace);
  trace.instructions.reserve(outline.count);
  JsonCursor at(bytes);
  at.rewind(outline.code);
  AttRow row;
  std::size_t released = 0;
  std::uint64_t no_lists = 0;
  if (at.enter_array()) {
    while (at.next_item()) {
      const bool is_list = read_row(at, outline.header, row);
      if (at.failed()) break;
      if (is_list) {
        rows.add(row);
      } else {
        ++no_lists;
      }
      if (at.byte() - released < kStep) continue;
      code.release(bytes.substr(released, at.byte() - released));
      released = at.byte();
      if (progress) progress(released, bytes.size());
    }
  }
  if (outline.broken) {
    note(
        trace.findings, Severity::data_loss, "att-truncated",
        fmt::format("breaks off at byte {}; the {} instructions before it are reported, all others "
                    "are missing",
                    *outline.broken, trace.instructions.size()),
        where);
  }
  if (no_lists > 0) {
    note(trace.findings, Severity::error, "att-row-without-text",
         fmt::format("{} rows are no lists and are left out", no_lists), where);
  }
  rows.finish();
}

void read_att_stats(const std::filesystem::path& path, ThreadTrace& trace) {
  const MappedFile file(path);
  CsvReader csv(file.bytes());
  Columns columns;
  for (const std::string& name : csv.header()) columns.push_back(column_named(name));
  // Lines are not in this file: instructions are numbered as they come.
  columns.push_back(AttColumn::line);
  require_columns(path, columns);
  columns.pop_back();

  AttRows rows(trace);
  AttRow row;
  std::int64_t line = 0;
  while (csv.next()) {
    row = {};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] == AttColumn::isa) {
        row.isa = csv[i];
      } else if (columns[i] == AttColumn::source) {
        row.source = csv[i];
      } else if (columns[i] != AttColumn::ignored) {
        row.numbers[static_cast<std::size_t>(columns[i])] = csv_integer(csv[i]);
      }
    }
    row.numbers[static_cast<std::size_t>(AttColumn::line)] = line++;
    row.complete = true;
    rows.add(row);
  }
  add_csv_findings(csv, trace.name + '/' + trace.file, trace.findings);
  rows.finish();
}

}  // namespace jaxtrace
