// By which rule the operations of each opcode are counted.
#pragma once

#include <cstdint>
#include <string_view>

namespace jaxtrace::hlo {

enum class ArithmeticRule : std::uint8_t {
  none,            ///< Moves data, or nothing: no arithmetic
  each,            ///< One operation for each element of the result
  transcendental,  ///< Likewise, of those counted apart
  unknown,
  dot,
  convolution,
  reduce,
  reduce_window,
  select_and_scatter,
  scatter,
  map,
  called,  ///< What the computations it calls do
  conditional,
  custom_call,
  all_reduce,
  sort,
  fft,
  triangular_solve,
  cholesky,
};

/// Unknown for an opcode that is newer than this table.
ArithmeticRule arithmetic_rule(std::string_view opcode);

}  // namespace jaxtrace::hlo
