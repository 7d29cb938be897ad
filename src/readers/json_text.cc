// JSON's escapes: RFC 8259, section 7.
#include "readers/json_text.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace jaxtrace {
namespace {

void append_utf8(std::string& text, std::uint32_t code) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xc0U | code >> 6U);
    add(0x80U | (code & 0x3fU));
  } else if (code < 0x10000) {
    add(0xe0U | code >> 12U);
    add(0x80U | (code >> 6U & 0x3fU));
    add(0x80U | (code & 0x3fU));
  } else {
    add(0xf0U | code >> 18U);
    add(0x80U | (code >> 12U & 0x3fU));
    add(0x80U | (code >> 6U & 0x3fU));
    add(0x80U | (code & 0x3fU));
  }
}

/// Four hexadecimal digits at `at`.
std::optional<std::uint32_t> code_unit(std::string_view raw, std::size_t at) {
  if (at + 4 > raw.size()) return std::nullopt;
  std::uint32_t unit = 0;
  const char* const end = raw.data() + at + 4;
  if (std::from_chars(raw.data() + at, end, unit, 16).ptr != end) return std::nullopt;
  return unit;
}

/// The character of `\uXXXX`, `at` being its first digit, which is moved past it.  Half a surrogate
/// pair is no character: U+FFFD.
std::uint32_t escaped_character(std::string_view raw, std::size_t& at) {
  constexpr std::uint32_t kReplacement = 0xfffd;
  const auto high = code_unit(raw, at);
  if (!high) return kReplacement;
  at += 4;
  if (*high < 0xd800 || *high > 0xdfff) return *high;
  if (*high > 0xdbff || raw.substr(at, 2) != "\\u") return kReplacement;
  const auto low = code_unit(raw, at + 2);
  if (!low || *low < 0xdc00 || *low > 0xdfff) return kReplacement;
  at += 6;
  return 0x10000 + ((*high - 0xd800) << 10U) + (*low - 0xdc00);
}

}  // namespace

void unescape_json(std::string_view raw, std::string& text) {
  text.clear();
  for (std::size_t at = 0; at < raw.size();) {
    const std::size_t slash = raw.find('\\', at);
    text += raw.substr(at, slash - at);
    if (slash == std::string_view::npos || slash + 1 == raw.size()) return;
    const char kind = raw[slash + 1];
    at = slash + 2;
    switch (kind) {
      case 'n':
        text += '\n';
        break;
      case 't':
        text += '\t';
        break;
      case 'r':
        text += '\r';
        break;
      case 'b':
        text += '\b';
        break;
      case 'f':
        text += '\f';
        break;
      case 'u':
        append_utf8(text, escaped_character(raw, at));
        break;
      default:
        text += kind;
    }
  }
}

}  // namespace jaxtrace
