// JsonCursor keeps no stack: which bracket it is in is known to its caller, and a comma is due
// exactly when something stands before it in the same bracket.
#include "readers/json_cursor.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "readers/json_text.h"

namespace jaxtrace {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool is_scalar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
         c == '-' || c == '.';
}

/// Bytes that matter to a value that is skipped.
constexpr std::array<bool, 256> structural() {
  std::array<bool, 256> table{};
  for (const char c : {'"', '{', '}', '[', ']'}) table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr std::array<bool, 256> kStructural = structural();

}  // namespace

JsonCursor::JsonCursor(std::string_view bytes)
    : begin_(bytes.data()), at_(bytes.data()), end_(bytes.data() + bytes.size()) {
  if (bytes.starts_with(kByteOrderMark)) at_ += kByteOrderMark.size();
}

void JsonCursor::blanks() {
  while (at_ != end_ && is_blank(*at_)) ++at_;
}

JsonCursor::Kind JsonCursor::peek() {
  blanks();
  if (failed_ || at_ == end_) return Kind::none;
  switch (*at_) {
    case '{':
      return Kind::object;
    case '[':
      return Kind::array;
    case '"':
      return Kind::string;
    case 't':
    case 'f':
      return Kind::boolean;
    case 'n':
      return Kind::null;
    default:
      return is_scalar(*at_) ? Kind::number : Kind::none;
  }
}

bool JsonCursor::enter_object() {
  if (peek() != Kind::object) return false;
  ++at_;
  first_ = true;
  return true;
}

bool JsonCursor::enter_array() {
  if (peek() != Kind::array) return false;
  ++at_;
  first_ = true;
  return true;
}

bool JsonCursor::step(char closing) {
  blanks();
  if (failed_) return false;
  const bool closes = at_ != end_ && *at_ == closing;
  if (!closes && !first_ && (at_ == end_ || *at_ != ',')) {
    fail();
    return false;
  }
  if (closes || !first_) ++at_;
  first_ = false;
  return !closes;
}

bool JsonCursor::next_item() {
  if (!step(']')) return false;
  if (peek() == Kind::none) fail();
  return !failed_;
}

bool JsonCursor::next_key(std::string& key) {
  if (!step('}')) return false;
  if (peek() != Kind::string) {
    fail();
    return false;
  }
  string(key);
  blanks();
  if (failed_ || at_ == end_ || *at_ != ':') {
    fail();
    return false;
  }
  ++at_;
  if (peek() == Kind::none) fail();
  return !failed_;
}

std::string_view JsonCursor::raw_string() {
  const char* const from = ++at_;
  while (true) {
    const auto left = static_cast<std::size_t>(end_ - at_);
    const auto* const quote =
        left == 0 ? nullptr : static_cast<const char*>(std::memchr(at_, '"', left));
    if (quote == nullptr) {
      at_ = end_;
      fail();
      return {};
    }
    // A quote ends the string unless an odd number of backslashes stands before it.
    const char* slashes = quote;
    while (slashes != from && slashes[-1] == '\\') --slashes;
    at_ = quote + 1;
    if ((quote - slashes) % 2 == 0) {
      first_ = false;
      return {from, static_cast<std::size_t>(quote - from)};
    }
  }
}

std::string_view JsonCursor::scalar() {
  const char* const from = at_;
  while (at_ != end_ && is_scalar(*at_)) ++at_;
  // At the end of the text nothing says that a number was not cut.
  if (at_ == from || at_ == end_) fail();
  first_ = false;
  return {from, static_cast<std::size_t>(at_ - from)};
}

bool JsonCursor::string(std::string& text) {
  if (peek() != Kind::string) {
    skip();
    return false;
  }
  const std::string_view raw = raw_string();
  if (failed_) return false;
  if (raw.find('\\') == std::string_view::npos) {
    text = raw;
  } else {
    unescape_json(raw, text);
  }
  return true;
}

std::optional<std::int64_t> JsonCursor::integer() {
  if (peek() != Kind::number) {
    skip();
    return std::nullopt;
  }
  const std::string_view token = scalar();
  if (failed_) return std::nullopt;
  const char* const end = token.data() + token.size();
  std::int64_t whole = 0;
  if (const auto [ptr, error] = std::from_chars(token.data(), end, whole);
      error == std::errc() && ptr == end) {
    return whole;
  }
  constexpr double kExact = 9007199254740992;  // 2^53: beyond it a double skips integers.
  double real = 0;
  const auto [ptr, error] = std::from_chars(token.data(), end, real);
  if (error != std::errc() || ptr != end || !(std::abs(real) <= kExact) ||
      std::trunc(real) != real) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(real);
}

bool JsonCursor::integers(std::span<std::optional<std::int64_t>> cells) {
  if (!enter_array()) {
    skip();
    return false;
  }
  for (std::size_t i = 0; next_item(); ++i) {
    if (i < cells.size()) {
      cells[i] = integer();
    } else {
      skip();
    }
  }
  return !failed_;
}

std::optional<bool> JsonCursor::boolean() {
  if (peek() != Kind::boolean) {
    skip();
    return std::nullopt;
  }
  const std::string_view token = scalar();
  if (token == "true") return true;
  if (token == "false") return false;
  return std::nullopt;
}

void JsonCursor::skip() {
  switch (peek()) {
    case Kind::object:
    case Kind::array:
      break;
    case Kind::string:
      raw_string();
      return;
    case Kind::none:
      fail();
      return;
    default:
      scalar();
      return;
  }
  for (std::size_t depth = 0; !failed_;) {
    while (at_ != end_ && !kStructural[static_cast<unsigned char>(*at_)]) ++at_;
    if (at_ == end_) {
      fail();
      return;
    }
    if (*at_ == '"') {
      raw_string();
      continue;
    }
    const bool opens = *at_ == '{' || *at_ == '[';
    ++at_;
    depth += opens ? 1 : std::size_t(-1);
    if (depth == 0) break;
  }
  first_ = false;
}

void JsonCursor::rewind(std::size_t byte) {
  at_ = begin_ + byte;
  first_ = false;
  failed_ = false;
}

}  // namespace jaxtrace
