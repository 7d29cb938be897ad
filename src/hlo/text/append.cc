// See append.h.  The rules are those of absl::CEscape, of XLA's name uniquer and of its lexer.
#include "hlo/text/append.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "hlo/text/shapes.h"

namespace jaxtrace::hlo {
namespace {

bool is_alpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool keeps_its_place(char c) {
  return is_alpha(c) || is_digit(c) || c == '_' || c == '.' || c == '-';
}

/// Length of the UTF-8 character at the start of `text`; 0 if it is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool beyond = (lead == 0xed && byte(1) >= 0xa0) || (lead == 0xf4 && byte(1) >= 0x90);
  return overlong || beyond ? 0 : length;
}

/// Length of the string literal at the start of `text`, quotes included; 0 if it does not end.
std::size_t string_length(std::string_view text) {
  std::size_t at = 1;
  while (at < text.size()) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') {
      ++at;
      if (at == text.size() || text[at] == '\n') return 0;
    }
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0) return 0;
    at += length;
  }
  return 0;
}

/// `text` from its first token on; false if a comment in front of it does not end.
bool skip_blanks(std::string_view& text) {
  while (!text.empty()) {
    if (text[0] == ' ' || text[0] == '\t' || text[0] == '\n' || text[0] == '\r') {
      text.remove_prefix(1);
    } else if (text.starts_with("/*")) {
      const std::size_t end = text.find("*/", 2);
      if (end == std::string_view::npos) return false;
      text.remove_prefix(end + 2);
    } else if (text.starts_with("//")) {
      text.remove_prefix(std::min(text.find_first_of("\r\n"), text.size()));
    } else {
      return true;
    }
  }
  return true;
}

}  // namespace

void append_general(std::string& out, double value, int precision) {
  if (std::isnan(value)) {
    out += std::signbit(value) ? "-nan" : "nan";
    return;
  }
  char digits[64];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, precision);
  out.append(digits, end.ptr);
}

void append_escaped(std::string& out, std::string_view text) {
  const auto plain = [](char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\'' && c != '\\';
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && plain(text[end])) ++end;
    out.append(text, at, end - at);
    if (end == text.size()) return;
    const char c = text[end];
    const auto byte = static_cast<unsigned char>(c);
    out += '\\';
    if (c == '\n') {
      out += 'n';
    } else if (c == '\r') {
      out += 'r';
    } else if (c == '\t') {
      out += 't';
    } else if (c == '"' || c == '\'' || c == '\\') {
      out += c;
    } else {
      out += static_cast<char>('0' + (byte >> 6));
      out += static_cast<char>('0' + ((byte >> 3) & 7));
      out += static_cast<char>('0' + (byte & 7));
    }
    at = end + 1;
  }
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  append_escaped(out, text);
  out += '"';
}

bool sanitise_name(std::string_view name, std::string& changed) {
  if (name.empty()) return false;
  const bool good_start = is_alpha(name[0]) || name[0] == '_';
  const bool reserved = name.starts_with("__") && !name.starts_with("__xla_");
  if (good_start && !reserved && !is_reserved_type_name(name) &&
      std::ranges::all_of(name, keeps_its_place)) {
    return false;
  }
  changed = name;
  if (!good_start) changed[0] = '_';
  for (char& c : changed) {
    if (!keeps_its_place(c)) c = '_';
  }
  if (is_reserved_type_name(changed)) changed += '_';
  if (changed.starts_with("__") && !changed.starts_with("__xla_")) changed[0] = 'a';
  return true;
}

bool lexes_as_dictionary(std::string_view text) {
  if (!skip_blanks(text) || !text.starts_with('{')) return false;
  std::size_t depth = 0;
  do {
    std::size_t length = 1;
    if (text[0] == '"') {
      length = string_length(text);
      if (length == 0) return false;
    } else if (text[0] == '{') {
      ++depth;
    } else if (text[0] == '}') {
      --depth;
    }
    text.remove_prefix(length);
  } while (depth > 0 && !text.empty());
  return depth == 0 && skip_blanks(text) && text.empty();
}

}  // namespace jaxtrace::hlo
