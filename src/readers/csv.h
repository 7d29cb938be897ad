// Rows of a comma-separated file, one at a time, by column name:
//
//   "Dispatch_Id","Kernel_Name","Counter_Name","Counter_Value"
//   1,"void add<float>(float*, int)","TCC_HIT_sum",16384.000000
//
// RFC 4180 as writers really follow it: with or without quotes, a byte order mark, CRLF or LF,
// newlines, commas and doubled quotes inside quotes, no newline at the end.  A row that cannot be
// right is skipped and counted, never shifted into other columns: one with too few or too many
// cells, and one whose quote does not close, after which reading goes on at the next line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jaxtrace/finding.h"

namespace jaxtrace {

/// What was wrong with rows of one kind.
struct CsvDamage {
  std::uint64_t rows = 0;
  std::size_t first_line = 0;  ///< 1-based; of the first such row.
};

class CsvReader {
 public:
  static constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

  /// Reads the header at once.  `bytes` must outlive the reader: fields point into them.
  explicit CsvReader(std::string_view bytes);

  /// Without the blanks around them; empty if the file is.
  const std::vector<std::string>& header() const { return header_; }

  /// The first column of one of these names, tried in turn; kNoColumn if there is none.
  std::size_t column(std::string_view name) const;
  std::size_t column(std::initializer_list<std::string_view> names) const;

  /// Goes to the next row that is whole; false at the end.  Blank lines are none, nor is the header
  /// when it comes again, as in files that were joined.
  bool next();

  /// A cell of the row, unquoted; empty for kNoColumn.  Good until the next call of next().
  std::string_view operator[](std::size_t column) const {
    return column < fields_.size() ? fields_[column] : std::string_view();
  }

  std::size_t line() const { return row_line_; }    ///< 1-based, where the row begins.
  const char* position() const { return cursor_; }  ///< How far the bytes are done with.

  const CsvDamage& wrong_width() const { return wrong_width_; }
  const CsvDamage& open_quotes() const { return open_quotes_; }
  const CsvDamage& repeated_headers() const { return repeated_headers_; }

 private:
  enum class Row : std::uint8_t { none, whole, open_quote };

  Row split();
  bool quoted_field();
  void plain_field();
  bool is_header() const;
  std::string& scratch();

  const char* cursor_;
  const char* end_;
  std::size_t line_ = 1;
  std::size_t row_line_ = 1;
  std::vector<std::string> header_;
  std::vector<std::string_view> fields_;
  std::deque<std::string> scratch_;  // Cells with doubled quotes, which views of them need unmoved.
  std::size_t scratch_used_ = 0;
  CsvDamage wrong_width_, open_quotes_, repeated_headers_;
};

/// What was wrong with the rows read so far, as findings about `file`.
void add_csv_findings(const CsvReader& csv, std::string_view file, std::vector<Finding>& findings);

/// "16384", "-3", "16384.000000", "1.6384e+04": a whole number in 64 bits, else absent.
std::optional<std::int64_t> csv_integer(std::string_view field);

/// A finite number, else absent: "", "abc", "nan", "inf".
std::optional<double> csv_number(std::string_view field);

/// "4", "Agent 4", "Agent-4": the number at the end, for ids that versions write differently.
std::optional<std::int64_t> csv_id(std::string_view field);

}  // namespace jaxtrace
