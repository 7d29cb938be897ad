// Numbers are printed from integers: a double would add digits that nobody measured.
#include "export/trace_text.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "readers/utf8.h"

namespace jaxtrace {
namespace {

constexpr std::uint64_t kPerMicro = 1'000'000;

bool is_plain(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return byte >= 0x20 && byte < 0x7f && letter != '"' && letter != '\\';
}

void append_unsigned(std::string& out, std::uint64_t value) {
  std::array<char, 20> digits{};
  const auto got = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), got.ptr);
}

void append_escaped(std::string& out, char letter) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(letter);
  if (letter == '"' || letter == '\\') {
    out += '\\';
    out += letter;
  } else if (byte < 0x20 || byte == 0x7f) {
    out += "\\u00";
    out += kHex[byte >> 4U];
    out += kHex[byte & 15U];
  } else {
    out += letter;
  }
}

}  // namespace

void append_json_text(std::string& out, std::string_view text) {
  out += '"';
  if (std::ranges::all_of(text, is_plain)) {
    out += text;
  } else {
    for (const char letter : valid_utf8(text)) append_escaped(out, letter);
  }
  out += '"';
}

void append_integer(std::string& out, std::int64_t value) {
  std::array<char, 20> digits{};
  const auto got = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), got.ptr);
}

void append_micros(std::string& out, Picoseconds time) {
  const std::int64_t ps = time.count();
  if (ps < 0) out += '-';
  const std::uint64_t size =
      ps < 0 ? 0 - static_cast<std::uint64_t>(ps) : static_cast<std::uint64_t>(ps);
  append_unsigned(out, size / kPerMicro);
  std::uint64_t rest = size % kPerMicro;
  if (rest == 0) return;
  out += '.';
  for (std::uint64_t place = kPerMicro / 10; rest > 0; place /= 10) {
    out += static_cast<char>('0' + rest / place);
    rest %= place;
  }
}

void append_member(std::string& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  if (!out.empty()) out += ',';
  append_json_text(out, key);
  out += ':';
  append_json_text(out, value);
}

void append_number(std::string& out, std::string_view key, std::int64_t value) {
  if (!out.empty()) out += ',';
  append_json_text(out, key);
  out += ':';
  append_integer(out, value);
}

}  // namespace jaxtrace
