// Protobuf wire format, written by hand: messages here are larger than protobuf serializes (2 GiB),
// and a writer that shares no code with the readers is a better witness against them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace jaxtrace::synth {

inline void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

/// A varint field (wire type 0).  Negative numbers take ten bytes, as in protobuf.
inline void put_number(std::string& out, std::uint32_t field, std::int64_t value) {
  put_varint(out, std::uint64_t{field} << 3);
  put_varint(out, static_cast<std::uint64_t>(value));
}

/// A length-delimited field (wire type 2): text, bytes or a message.
inline void put_bytes(std::string& out, std::uint32_t field, std::string_view value) {
  put_varint(out, (std::uint64_t{field} << 3) | 2);
  put_varint(out, value.size());
  out.append(value);
}

inline void put_double(std::string& out, std::uint32_t field, double value) {
  put_varint(out, (std::uint64_t{field} << 3) | 1);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(bits >> (8 * i)));
}

/// proto3 leaves out what is zero.
inline void put_number_unless_zero(std::string& out, std::uint32_t field, std::int64_t value) {
  if (value != 0) put_number(out, field, value);
}

}  // namespace jaxtrace::synth
