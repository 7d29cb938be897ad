// Cells without quotes are views of the file; only what had doubled quotes is copied.
#include "readers/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace jaxtrace {
namespace {

/// A quoted cell longer than this is taken for one whose quote was lost: kernel names reach tens of
/// thousands of bytes.
constexpr std::ptrdiff_t kLongestField = std::ptrdiff_t{1} << 20;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

const char* find(const char* from, const char* end, char byte) {
  const void* const found = std::memchr(from, byte, static_cast<std::size_t>(end - from));
  return found == nullptr ? end : static_cast<const char*>(found);
}

void count(CsvDamage& damage, std::size_t line) {
  if (damage.rows++ == 0) damage.first_line = line;
}

}  // namespace

CsvReader::CsvReader(std::string_view bytes)
    : cursor_(bytes.data()), end_(bytes.data() + bytes.size()) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (bytes.starts_with(kByteOrderMark)) cursor_ += kByteOrderMark.size();
  if (split() != Row::whole) return;
  for (const std::string_view name : fields_) header_.emplace_back(trimmed(name));
  fields_.clear();
}

std::size_t CsvReader::column(std::string_view name) const {
  const auto found = std::ranges::find(header_, name);
  return found == header_.end() ? kNoColumn : static_cast<std::size_t>(found - header_.begin());
}

std::size_t CsvReader::column(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    if (const std::size_t found = column(name); found != kNoColumn) return found;
  }
  return kNoColumn;
}

bool CsvReader::next() {
  for (;;) {
    switch (split()) {
      case Row::none:
        fields_.clear();
        return false;
      case Row::open_quote:
        count(open_quotes_, row_line_);
        continue;
      case Row::whole:
        break;
    }
    // Some writers end every row with a comma.
    if (fields_.size() == header_.size() + 1 && fields_.back().empty()) fields_.pop_back();
    if (fields_.size() != header_.size()) {
      count(wrong_width_, row_line_);
    } else if (is_header()) {
      count(repeated_headers_, row_line_);
    } else {
      return true;
    }
  }
}

/// Splits the next line that is not blank.  After an open quote, the cursor is behind the line that
/// the row began on.
CsvReader::Row CsvReader::split() {
  fields_.clear();
  scratch_used_ = 0;
  while (cursor_ != end_ && (*cursor_ == '\n' || *cursor_ == '\r')) line_ += *cursor_++ == '\n';
  if (cursor_ == end_) return Row::none;
  row_line_ = line_;
  const char* const begin = cursor_;
  for (;;) {
    if (cursor_ != end_ && *cursor_ == '"') {
      if (!quoted_field()) {
        cursor_ = find(begin, end_, '\n');
        line_ = row_line_;
        return Row::open_quote;
      }
    } else {
      plain_field();
    }
    if (cursor_ == end_) return Row::whole;
    if (*cursor_++ == '\n') {
      ++line_;
      return Row::whole;
    }
  }
}

/// Up to the comma, the newline or the end.
void CsvReader::plain_field() {
  const char* const begin = cursor_;
  while (cursor_ != end_ && *cursor_ != ',' && *cursor_ != '\n') ++cursor_;
  std::string_view field(begin, static_cast<std::size_t>(cursor_ - begin));
  if (field.ends_with('\r') && (cursor_ == end_ || *cursor_ == '\n')) field.remove_suffix(1);
  fields_.push_back(field);
}

/// The same, from an opening quote on; false if it does not close.
bool CsvReader::quoted_field() {
  const char* const limit = end_ - cursor_ > kLongestField ? cursor_ + kLongestField : end_;
  const char* part = ++cursor_;
  std::string* copy = nullptr;
  for (;;) {
    const char* const quote = find(cursor_, limit, '"');
    if (quote == limit) return false;
    if (quote + 1 != end_ && quote[1] == '"') {  // Doubled: one of them is text.
      if (copy == nullptr) copy = &scratch();
      copy->append(part, quote + 1);
      part = cursor_ = quote + 2;
      continue;
    }
    cursor_ = quote + 1;
    const bool at_end = cursor_ == end_ || *cursor_ == ',' || *cursor_ == '\n' ||
                        (*cursor_ == '\r' && (cursor_ + 1 == end_ || cursor_[1] == '\n'));
    if (at_end) {
      std::string_view field(part, static_cast<std::size_t>(quote - part));
      if (copy != nullptr) field = copy->append(field);
      line_ += static_cast<std::size_t>(std::ranges::count(field, '\n'));
      fields_.push_back(field);
      if (cursor_ != end_ && *cursor_ == '\r') ++cursor_;
      return true;
    }
    // A quote that nobody doubled, as in names pasted by hand: it is part of the text.
    if (copy == nullptr) copy = &scratch();
    copy->append(part, cursor_);
    part = cursor_;
  }
}

bool CsvReader::is_header() const {
  if (fields_.empty() || trimmed(fields_[0]) != header_[0]) return false;
  return std::ranges::equal(fields_, header_, {}, trimmed);
}

std::string& CsvReader::scratch() {
  if (scratch_used_ == scratch_.size()) scratch_.emplace_back();
  std::string& text = scratch_[scratch_used_++];
  text.clear();
  return text;
}

void add_csv_findings(const CsvReader& csv, std::string_view file, std::vector<Finding>& findings) {
  const auto add = [&](const CsvDamage& damage, Severity severity, const char* code,
                       std::string_view what) {
    if (damage.rows == 0) return;
    findings.push_back({severity, code,
                        fmt::format("{} {} {}, the first at line {}", damage.rows,
                                    damage.rows == 1 ? "row" : "rows", what, damage.first_line),
                        std::string(file), 1});
  };
  add(csv.wrong_width(), Severity::error, "csv-row-width",
      fmt::format("left out for not having the {} cells of the header", csv.header().size()));
  add(csv.open_quotes(), Severity::error, "csv-open-quote",
      "left out for a quote that does not close");
  add(csv.repeated_headers(), Severity::note, "csv-header-again",
      "that repeat the header, as in files that were joined");
}

std::optional<double> csv_number(std::string_view field) {
  field = trimmed(field);
  if (field.starts_with('+')) field.remove_prefix(1);
  double value = 0;
  const char* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> csv_integer(std::string_view field) {
  field = trimmed(field);
  std::int64_t value = 0;
  const char* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (error == std::errc()) {
    if (stop == end) return value;
    // "16384.000000": the digits before the point are exact, beyond what a double holds.
    if (*stop == '.' && std::all_of(stop + 1, end, [](char c) { return c == '0'; })) return value;
  }
  const std::optional<double> number = csv_number(field);
  constexpr double kLimit = 9007199254740992.0;  // 2^53: above, a double skips whole numbers.
  if (!number || std::abs(*number) > kLimit || std::trunc(*number) != *number) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<std::int64_t> csv_id(std::string_view field) {
  field = trimmed(field);
  if (const auto whole = csv_integer(field)) return whole;
  const std::size_t before = field.find_last_not_of("0123456789");
  if (before == std::string_view::npos || before + 1 == field.size()) return std::nullopt;
  return csv_integer(field.substr(before + 1));
}

}  // namespace jaxtrace
