// UTF-8 by the table of the Unicode standard (chapter 3, table 3-7): overlong forms, surrogates and
// what lies beyond U+10FFFF are ill-formed.
#include "report/text.h"

#include <fmt/format.h>

#include <cstdint>

namespace jaxtrace {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// Bytes of the well-formed code point at the front of `text`; 0 if there is none.
std::size_t code_point(std::string_view text) {
  const auto at = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned lead = at(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;

  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  if (at(1) < low || at(1) > high) return 0;

  const std::size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (size > text.size()) return 0;
  for (std::size_t i = 2; i < size; ++i) {
    if (!continues(text[i])) return 0;
  }
  return size;
}

/// C0, DEL, and C1 in its UTF-8 form: a terminal obeys them.
bool is_control(std::string_view code_point) {
  const auto lead = static_cast<unsigned char>(code_point[0]);
  if (code_point.size() == 1) return lead < 0x20 || lead == 0x7F;
  return lead == 0xC2 && static_cast<unsigned char>(code_point[1]) < 0xA0;
}

std::string spelled_out(std::string_view control) {
  switch (control[0]) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return fmt::format("\\x{:02x}", static_cast<unsigned char>(control.back()));
  }
}

}  // namespace

std::string one_line(std::string_view bytes) {
  std::string result;
  result.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t size = code_point(bytes);
    if (size == 0) {
      result += kReplacement;
      bytes.remove_prefix(1);
      continue;
    }
    const std::string_view character = bytes.substr(0, size);
    if (is_control(character)) {
      result += spelled_out(character);
    } else {
      result += character;
    }
    bytes.remove_prefix(size);
  }
  return result;
}

std::size_t width(std::string_view text) {
  std::size_t result = 0;
  for (const char byte : text) result += continues(byte) ? 0 : 1;
  return result;
}

std::string shortened(std::string_view text, std::size_t limit) {
  const std::size_t points = width(text);
  if (points <= limit) return std::string(text);

  const std::size_t front = (limit - 1) / 2;
  const std::size_t back = limit - 1 - front;
  std::size_t begin = 0;
  for (std::size_t left = front; left > 0; --left) begin += code_point(text.substr(begin));
  std::size_t end = begin;
  for (std::size_t left = points - front - back; left > 0; --left) {
    end += code_point(text.substr(end));
  }
  return std::string(text.substr(0, begin)) + "…" + std::string(text.substr(end));
}

}  // namespace jaxtrace
