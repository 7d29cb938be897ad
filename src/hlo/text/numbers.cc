// See numbers.h.  Widths, biases and special values are those of the formats' definitions
// (IEEE 754, OCP OFP8 and MX, and the "fnuz" types of AMD hardware).
#include "hlo/text/numbers.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "hlo/text/append.h"

namespace jaxtrace::hlo {
namespace {

enum class Specials : std::uint8_t {
  ieee,   ///< the highest exponent holds infinities and NaNs
  fn,     ///< finite: only the highest number, with either sign, is NaN
  fnuz,   ///< finite, unsigned zero: what would be -0 is NaN
  none,   ///< neither infinities nor NaNs
  scale,  ///< no sign and no mantissa: a power of two, the highest being NaN
};

struct Format {
  int type;  ///< xla.PrimitiveType
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Specials specials;
  int digits;  ///< decimal digits that tell any two values apart (max_digits10)
};

constexpr std::array<Format, 13> kFormats = {{
    {10, 5, 10, 15, Specials::ieee, 5},   // F16
    {16, 8, 7, 127, Specials::ieee, 4},   // BF16
    {19, 5, 2, 15, Specials::ieee, 2},    // F8E5M2
    {20, 4, 3, 7, Specials::fn, 3},       // F8E4M3FN
    {23, 4, 3, 11, Specials::fnuz, 3},    // F8E4M3B11FNUZ
    {24, 5, 2, 16, Specials::fnuz, 2},    // F8E5M2FNUZ
    {25, 4, 3, 8, Specials::fnuz, 3},     // F8E4M3FNUZ
    {28, 4, 3, 7, Specials::ieee, 3},     // F8E4M3
    {29, 3, 4, 3, Specials::ieee, 3},     // F8E3M4
    {32, 2, 1, 1, Specials::none, 2},     // F4E2M1FN
    {33, 8, 0, 127, Specials::scale, 2},  // F8E8M0FNU
    {35, 3, 2, 3, Specials::none, 2},     // F6E3M2FN
    {36, 2, 3, 1, Specials::none, 3},     // F6E2M3FN
}};

const Format* find_format(int type) {
  for (const Format& format : kFormats) {
    if (format.type == type) return &format;
  }
  return nullptr;
}

double decode(const Format& format, std::uint32_t bits) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::uint32_t mantissa = bits & ((1u << format.mantissa_bits) - 1);
  const std::uint32_t highest = (1u << format.exponent_bits) - 1;
  const std::uint32_t exponent = (bits >> format.mantissa_bits) & highest;
  if (format.specials == Specials::scale) {
    return exponent == highest ? kNan : std::ldexp(1.0, static_cast<int>(exponent) - format.bias);
  }
  const bool negative = ((bits >> (format.mantissa_bits + format.exponent_bits)) & 1) != 0;
  const double sign = negative ? -1.0 : 1.0;
  switch (format.specials) {
    case Specials::ieee:
      if (exponent == highest) {
        return std::copysign(mantissa == 0 ? std::numeric_limits<double>::infinity() : kNan, sign);
      }
      break;
    case Specials::fn:
      if (exponent == highest && mantissa == (1u << format.mantissa_bits) - 1) {
        return std::copysign(kNan, sign);
      }
      break;
    case Specials::fnuz:
      if (negative && exponent == 0 && mantissa == 0) return -kNan;
      break;
    default:
      break;
  }
  const int scale = (exponent == 0 ? 1 : static_cast<int>(exponent)) - format.bias;
  const double fraction = mantissa + (exponent == 0 ? 0.0 : std::ldexp(1.0, format.mantissa_bits));
  return sign * std::ldexp(fraction, scale - format.mantissa_bits);
}

/// The bits of a NaN below its exponent, unless they are those of the ordinary quiet NaN.
void append_nan_payload(std::string& out, std::uint64_t bits, int mantissa_bits) {
  const std::uint64_t payload = bits & ((std::uint64_t{1} << mantissa_bits) - 1);
  if (payload == std::uint64_t{1} << (mantissa_bits - 1)) return;
  char digits[16];
  out += "(0x";
  out.append(digits, std::to_chars(digits, digits + sizeof digits, payload, 16).ptr);
  out += ')';
}

/// With `short_digits`, if that reads back as the same value, else with `all_digits`.
template <class Float>
void append_round_trip(std::string& out, Float value, int short_digits, int all_digits) {
  const std::size_t before = out.size();
  append_general(out, value, short_digits);
  Float read{};
  const std::string_view text = std::string_view(out).substr(before);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
  if (error != std::errc() || read != value) {
    out.resize(before);
    append_general(out, value, all_digits);
  }
}

}  // namespace

void append_float(std::string& out, float value) {
  append_round_trip(out, value, 6, 9);
  if (std::isnan(value)) append_nan_payload(out, std::bit_cast<std::uint32_t>(value), 23);
}

void append_double(std::string& out, double value) {
  append_round_trip(out, value, 15, 17);
  if (std::isnan(value)) append_nan_payload(out, std::bit_cast<std::uint64_t>(value), 52);
}

void append_small_float(std::string& out, int type, std::uint32_t bits) {
  const Format* format = find_format(type);
  if (format == nullptr) return;
  const double value = decode(*format, bits);
  append_general(out, value, format->digits);
  if (std::isnan(value) && format->specials == Specials::ieee) {
    append_nan_payload(out, bits, format->mantissa_bits);
  }
}

int small_float_bytes(int type) {
  const Format* format = find_format(type);
  if (format == nullptr) return 0;
  return format->exponent_bits + format->mantissa_bits > 8 ? 2 : 1;
}

}  // namespace jaxtrace::hlo
