// Floating-point elements of literals, as XLA writes them: short if that reads back as the same
// value, else with as many digits as the type may need, and the payload of an unusual NaN behind.
#pragma once

#include <cstdint>
#include <string>

namespace jaxtrace::hlo {

void append_float(std::string& out, float value);
void append_double(std::string& out, double value);

/// An element of the 4- to 16-bit floating-point type `type` (xla.PrimitiveType), from its bits.
void append_small_float(std::string& out, int type, std::uint32_t bits);

/// Bytes of such an element in a literal: 1 or 2; 0 if `type` is none of them.
int small_float_bytes(int type);

}  // namespace jaxtrace::hlo
