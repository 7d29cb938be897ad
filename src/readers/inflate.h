// Compressed text, in a stat or in a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jaxtrace {

/// Inflates a gzip or zlib stream; nullopt if it is neither, damaged, or over a gibibyte.
std::optional<std::string> inflate(std::string_view compressed);

struct Inflated {
  std::string text;
  bool whole = false;  ///< The stream, and every one appended to it, ended as it should.
};

/// The same of a file, up to 8 GiB: what came out before the damage, if there is any.
Inflated inflate_all(std::string_view compressed);

}  // namespace jaxtrace
