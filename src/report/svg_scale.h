// Scales of drawings: where marks stand and what they are called.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jaxtrace {

/// 1, 2 or 5 times a power of ten: the smallest of them that is at least `least`.
double round_step(double least);

/// Lines of at most `columns` characters, broken at spaces; a longer word is cut.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

}  // namespace jaxtrace
