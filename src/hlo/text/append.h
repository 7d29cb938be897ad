// What every part of the HLO printer writes with: numbers, lists, quoted strings and names, spelled
// as XLA spells them.  Everything appends to one string; nothing here depends on a locale.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace jaxtrace::hlo {

template <std::integral Int>
void append_int(std::string& out, Int value) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// As printf("%.*g") in the C locale; "nan", "-nan", "inf", "-inf".
void append_general(std::string& out, double value, int precision);

/// As absl::StrCat writes a double: six significant digits.
inline void append_six_digits(std::string& out, double value) {
  append_general(out, value, 6);
}

/// C escapes for quotes, backslashes, control characters and every byte from 0x80 (octal).
void append_escaped(std::string& out, std::string_view text);

/// `text` between double quotes, escaped.
void append_quoted(std::string& out, std::string_view text);

/// `range` separated by `separator`, each element written by `append(out, element)`.
template <class Range, class Append>
void append_joined(std::string& out, const Range& range, std::string_view separator,
                   Append append) {
  bool first = true;
  for (const auto& element : range) {
    if (!first) out += separator;
    first = false;
    append(out, element);
  }
}

/// Integers separated by commas.
template <class Range>
void append_ints(std::string& out, const Range& range) {
  append_joined(out, range, ",",
                [](std::string& to, auto value) { append_int(to, static_cast<long long>(value)); });
}

/// Integers as `{1,2}`.
template <class Range>
void append_braced(std::string& out, const Range& range) {
  out += '{';
  append_ints(out, range);
  out += '}';
}

/// What stands before element `i` of a list: nothing, a comma, or, for every fifth element, a
/// comma and a comment that counts.
inline void append_list_separator(std::string& out, int i) {
  if (i == 0) return;
  if (i % 5 != 0) {
    out += ", ";
    return;
  }
  out += ", /*index=";
  append_int(out, i);
  out += "*/";
}

/// `name` as XLA keeps it in an instruction, computation or module: other characters than
/// [A-Za-z0-9_.-] become '_', the names of element types get a '_' behind them, and a leading "__"
/// that is not "__xla_" becomes "a_".  True if that is another string, which is then in `changed`.
bool sanitise_name(std::string_view name, std::string& changed);

/// True if `text` may stand in HLO text as it is: one dictionary in braces, closed, with nothing
/// but blanks and comments around it.
bool lexes_as_dictionary(std::string_view text);

}  // namespace jaxtrace::hlo
