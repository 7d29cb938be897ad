// Writing protobuf's wire format: the few shapes that added stats need.  Its counterpart is
// readers/wire.h, whose tags these functions take.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace jaxtrace {

inline void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out.push_back(static_cast<char>(value | 0x80U));
  out.push_back(static_cast<char>(value));
}

/// A varint field.  Negative numbers take ten bytes, as protobuf writes them.
inline void put_number(std::string& out, std::uint32_t tag, std::int64_t value) {
  put_varint(out, tag);
  put_varint(out, static_cast<std::uint64_t>(value));
}

inline void put_double(std::string& out, std::uint32_t tag, double value) {
  put_varint(out, tag);
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);  // Little-endian, as every machine this runs on.
  out.append(bytes, sizeof bytes);
}

/// What stands before the content of a text, bytes or a message.
inline void put_head(std::string& out, std::uint32_t tag, std::uint64_t size) {
  put_varint(out, tag);
  put_varint(out, size);
}

inline void put_bytes(std::string& out, std::uint32_t tag, std::string_view content) {
  put_head(out, tag, content.size());
  out.append(content);
}

}  // namespace jaxtrace
