// Looking at names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jaxtrace {

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// ASCII letters only: no locale.
inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

/// The first `most` bytes, with "…" if there are more: what kernels that begin alike differ in
/// comes early, and it can be typed.
inline std::string beginning(std::string_view name, std::size_t most) {
  return name.size() <= most ? std::string(name) : std::string(name.substr(0, most)) + "…";
}

}  // namespace jaxtrace
