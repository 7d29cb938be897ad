// How a kernel is called in the options of profilers.
#pragma once

#include <string>
#include <string_view>

namespace jaxtrace {

/// What names a kernel short and long: "vectorized_elementwise_kernel" of "void at::native::
/// vectorized_elementwise_kernel<8, …>(int, …)".  rocprofv3 shortens names to this when
/// truncate_kernels is on, and searches for the expression in what it shows.
std::string_view base_name(std::string_view kernel);

/// A regular expression that finds the base name, with what means something in one escaped.
std::string include_regex(std::string_view kernel);

}  // namespace jaxtrace
