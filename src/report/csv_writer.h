// CSV rows by the million: cells are appended to one buffer, and nothing is allocated per row.
//
// RFC 4180 with LF.  A cell is quoted only if it has to be; cells that begin with `=`, `+` or `@`
// are left alone, because a name must come out of the file as it went in.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <memory>
#include <ostream>
#include <string_view>

namespace jaxtrace {

/// Writes to `out` when its buffer is full and in its destructor; errors stay in the stream's
/// state.
class CsvWriter {
 public:
  /// A buffer of `bytes`: a small one for a few cells.
  explicit CsvWriter(std::ostream& out, std::size_t bytes = kBytes)
      : out_(out),
        bytes_(std::max(bytes, kLeastBytes)),
        buffer_(std::make_unique_for_overwrite<char[]>(bytes_)) {}
  ~CsvWriter() { flush(); }
  CsvWriter(const CsvWriter&) = delete;
  CsvWriter& operator=(const CsvWriter&) = delete;

  void cell(std::string_view text) {
    separate();
    if (needs_quotes(text)) {
      quoted(text);
    } else {
      append(text);
    }
  }

  template <std::integral Integer>
  void cell(Integer value) {
    separate();
    room(kLongestNumber);
    used_ = static_cast<std::size_t>(
        std::to_chars(buffer_.get() + used_, buffer_.get() + bytes_, value).ptr - buffer_.get());
  }

  /// An integer of thousandths as a decimal: 950 is 0.950.
  void thousandths(std::uint16_t value) {
    cell(value / 1000);
    const int rest = value % 1000;
    const char digits[] = {'.', static_cast<char>('0' + rest / 100),
                           static_cast<char>('0' + rest / 10 % 10),
                           static_cast<char>('0' + rest % 10)};
    append({digits, sizeof digits});
  }

  /// Picoseconds as microseconds, exactly: 1500 is 0.001500.
  void micros(std::int64_t picoseconds) {
    separate();
    room(2 * kLongestNumber);
    if (picoseconds < 0) buffer_[used_++] = '-';
    const std::uint64_t size = picoseconds < 0 ? 0 - static_cast<std::uint64_t>(picoseconds)
                                               : static_cast<std::uint64_t>(picoseconds);
    constexpr std::uint64_t kMicro = 1'000'000;
    used_ = static_cast<std::size_t>(
        std::to_chars(buffer_.get() + used_, buffer_.get() + bytes_, size / kMicro).ptr -
        buffer_.get());
    buffer_[used_++] = '.';
    std::uint64_t rest = size % kMicro;
    for (std::size_t digit = 6; digit-- > 0; rest /= 10) {
      buffer_[used_ + digit] = static_cast<char>('0' + rest % 10);
    }
    used_ += 6;
  }

  /// Not measured.
  void cell() { separate(); }

  /// One or more cells that already are CSV, for what repeats from row to row: make them once with
  /// another CsvWriter.
  void raw(std::string_view csv) {
    separate();
    append(csv);
  }

  void end_row() {
    room(1);
    buffer_[used_++] = '\n';
    first_ = true;
  }

  void flush() {
    out_.write(buffer_.get(), static_cast<std::streamsize>(used_));
    used_ = 0;
  }

  static bool needs_quotes(std::string_view text) {
    for (const char byte : text) {
      if (byte == ',' || byte == '"' || byte == '\n' || byte == '\r') return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;
  static constexpr std::size_t kLongestNumber = 20;
  static constexpr std::size_t kLeastBytes = 64;  // for any number

  void room(std::size_t bytes) {
    if (bytes_ - used_ < bytes) flush();
  }

  void separate() {
    if (!first_) {
      room(1);
      buffer_[used_++] = ',';
    }
    first_ = false;
  }

  void append(std::string_view text) {
    room(text.size());
    if (text.size() > bytes_) {
      out_.write(text.data(), static_cast<std::streamsize>(text.size()));
      return;
    }
    if (!text.empty()) std::memcpy(buffer_.get() + used_, text.data(), text.size());
    used_ += text.size();
  }

  void quoted(std::string_view text) {
    append("\"");
    for (std::size_t quote; (quote = text.find('"')) != std::string_view::npos;) {
      append(text.substr(0, quote));
      append("\"\"");
      text.remove_prefix(quote + 1);
    }
    append(text);
    append("\"");
  }

  std::ostream& out_;
  std::size_t bytes_;
  std::unique_ptr<char[]> buffer_;
  std::size_t used_ = 0;
  bool first_ = true;
};

}  // namespace jaxtrace
