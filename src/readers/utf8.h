// Text of files as valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace jaxtrace {

/// The text with each byte that is no UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string_view bytes);

}  // namespace jaxtrace
