// A cursor over protobuf's wire format, for messages that may end in the middle.
//
// It never copies and never allocates.  A length that runs past the end of the message is not an
// error here: the cursor stops, says `cut`, and leaves what there is of the field in the Field, so
// that a reader may go into a cut plane and still use the complete lines and events in it.
// Format: https://protobuf.dev/programming-guides/encoding/
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace jaxtrace {

enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

/// One field of a message.
struct Field {
  std::uint32_t number = 0;  ///< 0: not even the tag was there.
  WireType type = WireType::varint;
  std::uint64_t value = 0;  ///< Of a varint, fixed64 or fixed32.
  std::string_view bytes;   ///< Of a length-delimited field.
};

enum class WireEnd : std::uint8_t {
  clean,      ///< The message ended where a field ended.
  cut,        ///< The message ended inside a field.
  malformed,  ///< A tag or varint that no writer makes.
};

class Wire {
 public:
  explicit Wire(std::string_view message)
      : at_(message.data()), end_(message.data() + message.size()) {}

  /// Reads the next field; false at the end, for whatever reason.
  bool next(Field& field);

  /// Why next() returned false.
  WireEnd end() const { return why_; }

  /// Where the next field begins; after next() returned false, where the field began that could not
  /// be read, or the end of the message.
  const char* at() const { return at_; }

 private:
  enum class Varint : std::uint8_t { read, cut, malformed };

  bool stop(WireEnd why) {
    why_ = why;
    return false;
  }
  static Varint varint(const char*& at, const char* end, std::uint64_t& value);
  bool read_varint(const char*& at, std::uint64_t& value) {
    const Varint got = varint(at, end_, value);
    if (got == Varint::read) return true;
    return stop(got == Varint::cut ? WireEnd::cut : WireEnd::malformed);
  }
  bool read_fixed(const char*& at, std::size_t size, std::uint64_t& value);
  bool read_bytes(const char*& at, std::string_view& bytes);

  const char* at_;
  const char* end_;
  WireEnd why_ = WireEnd::clean;
};

inline Wire::Varint Wire::varint(const char*& at, const char* end, std::uint64_t& value) {
  if (at == end) return Varint::cut;
  auto byte = static_cast<unsigned char>(*at++);
  value = byte & 0x7fU;
  for (unsigned shift = 7; (byte & 0x80U) != 0; shift += 7) {
    if (shift > 63) return Varint::malformed;
    if (at == end) return Varint::cut;
    byte = static_cast<unsigned char>(*at++);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
  }
  return Varint::read;
}

inline bool Wire::read_fixed(const char*& at, std::size_t size, std::uint64_t& value) {
  if (static_cast<std::size_t>(end_ - at) < size) return stop(WireEnd::cut);
  value = 0;
  std::memcpy(&value, at, size);  // Little-endian, as every machine this runs on.
  at += size;
  return true;
}

inline bool Wire::read_bytes(const char*& at, std::string_view& bytes) {
  std::uint64_t size = 0;
  if (!read_varint(at, size)) return false;
  const auto left = static_cast<std::uint64_t>(end_ - at);
  if (size > left) {
    bytes = {at, static_cast<std::size_t>(left)};
    return stop(WireEnd::cut);
  }
  bytes = {at, static_cast<std::size_t>(size)};
  at += size;
  return true;
}

inline bool Wire::next(Field& field) {
  if (at_ == end_ || why_ != WireEnd::clean) return false;
  field.number = 0;
  field.bytes = {};
  const char* at = at_;
  std::uint64_t tag = 0;
  if (!read_varint(at, tag)) return false;
  if (tag < 8 || tag > 0xffffffffU) return stop(WireEnd::malformed);
  const auto number = static_cast<std::uint32_t>(tag >> 3U);
  bool read = false;
  switch (tag & 7U) {
    case 0:
      field.type = WireType::varint;
      read = read_varint(at, field.value);
      break;
    case 1:
      field.type = WireType::fixed64;
      read = read_fixed(at, 8, field.value);
      break;
    case 2:
      field.type = WireType::bytes;
      read = read_bytes(at, field.bytes);
      break;
    case 5:
      field.type = WireType::fixed32;
      read = read_fixed(at, 4, field.value);
      break;
    default:  // Groups are not in proto3, 6 and 7 in nothing.
      return stop(WireEnd::malformed);
  }
  field.number = number;
  if (read) at_ = at;
  return read;
}

}  // namespace jaxtrace
