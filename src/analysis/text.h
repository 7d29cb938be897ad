// Looking at names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace jaxtrace {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline bool starts_with_any(std::string_view text,
                            std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

/// ASCII letters only: no locale.
inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

/// The first `most` bytes, or fewer so as not to cut a character, with "…" if there are more: what
/// kernels that begin alike differ in comes early, and it can be typed.
inline std::string beginning(std::string_view name, std::size_t most) {
  if (name.size() <= most) return std::string(name);
  while (most > 0 && (static_cast<unsigned char>(name[most]) & 0xC0U) == 0x80U) --most;
  return std::string(name.substr(0, most)) + "…";
}

}  // namespace jaxtrace
