// The parts of reading JSON that are not hot: numbers, escapes, values nobody asked for.
#include "readers/json_scanner.h"

#include <charconv>
#include <limits>

#include "readers/json_text.h"

namespace jaxtrace {
namespace {

/// digits · 10^exponent
struct Decimal {
  bool negative = false;
  std::uint64_t digits = 0;
  std::int64_t exponent = 0;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::optional<Decimal> parse_decimal(std::string_view text) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() / 10 - 1;
  Decimal decimal;
  const char* at = text.data();
  const char* const end = at + text.size();
  if (at != end && *at == '-') decimal.negative = *at++ == '-';
  bool any = false;
  const auto take_digits = [&](std::int64_t step_if_kept, std::int64_t step_if_dropped) {
    for (; at != end && is_digit(*at); ++at) {
      any = true;
      if (decimal.digits <= kMost) {
        decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(*at - '0');
        decimal.exponent += step_if_kept;
      } else {
        decimal.exponent += step_if_dropped;
      }
    }
  };
  take_digits(0, 1);
  if (at != end && *at == '.') {
    ++at;
    take_digits(-1, 0);
  }
  if (!any) return std::nullopt;
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (end - at > 1 && *at == '+') ++at;
    std::int32_t exponent = 0;
    const auto got = std::from_chars(at, end, exponent);
    if (got.ec != std::errc{}) return std::nullopt;
    at = got.ptr;
    decimal.exponent += exponent;
  }
  if (at != end) return std::nullopt;
  return decimal;
}

}  // namespace

bool JsonScanner::skip() {
  std::size_t depth = 0;
  JsonText ignored_text;
  std::string_view ignored_word;
  do {
    const char next = peek();
    if (!good()) return false;
    if (next == '"') {
      text(ignored_text);
    } else if (next == '{' || next == '[') {
      ++depth;
      ++at_;
    } else if (next == '}' || next == ']') {
      if (depth == 0) {
        fail(State::malformed);
        return false;
      }
      --depth;
      ++at_;
    } else if (next == ',' || next == ':') {
      if (depth == 0) {
        fail(State::malformed);
        return false;
      }
      ++at_;
    } else {
      word(ignored_word);
    }
  } while (good() && depth > 0);
  return good();
}

std::string_view decode(const JsonText& text, std::string& scratch) {
  if (!text.escaped) return text.raw;
  unescape_json(text.raw, scratch);
  return scratch;
}

std::optional<std::int64_t> scaled(std::string_view number, int power) {
  const std::optional<Decimal> decimal = parse_decimal(number);
  if (!decimal) return std::nullopt;
  std::uint64_t value = decimal->digits;
  std::int64_t exponent = decimal->exponent + power;
  if (value == 0) return 0;
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(value, std::uint64_t{10}, &value)) return std::nullopt;
  }
  if (exponent < -19) return 0;  // A 64-bit number has 20 digits at most.
  std::uint64_t divisor = 1;
  for (; exponent < 0; ++exponent) divisor *= 10;
  const std::uint64_t rest = value % divisor;
  value = value / divisor + (rest >= divisor - rest && rest != 0 ? 1 : 0);
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  const auto signed_value = static_cast<std::int64_t>(value);
  return decimal->negative ? -signed_value : signed_value;
}

bool JsonSkipper::feed(std::string_view& text) {
  while (!text.empty()) {
    const char c = text.front();
    if (in_text_) {
      text.remove_prefix(1);
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_text_ = false;
        if (depth_ == 0) return true;
      }
      continue;
    }
    const bool closes = c == '}' || c == ']';
    // A number or word at depth 0 has no end of its own: what follows it is not taken.
    if (depth_ == 0 && (closes || c == ',')) return true;
    text.remove_prefix(1);
    in_text_ = c == '"';
    if (c == '{' || c == '[') ++depth_;
    if (closes && --depth_ == 0) return true;
  }
  return false;
}

}  // namespace jaxtrace
