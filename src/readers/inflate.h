// Compressed text in a stat.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jaxtrace {

/// Inflates a gzip or zlib stream; nullopt if it is neither, damaged, or over a gibibyte.
std::optional<std::string> inflate(std::string_view compressed);

}  // namespace jaxtrace
