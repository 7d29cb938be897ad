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

/// A field's number and type as they are on the wire: what a reader compares with, so that a field
/// of an unexpected type is an unknown field.
constexpr std::uint32_t wire_tag(std::uint32_t number, WireType type) {
  return (number << 3U) | static_cast<std::uint32_t>(type);
}

/// One field of a message.  Only what its type has is set: the rest is that of earlier fields.
struct Field {
  std::uint32_t tag = 0;    ///< 0: not even tag and length were there.
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
  /// A varint and where it ended; nullptr if it did not, and then `value` is the WireEnd.
  struct Varint {
    const char* at;
    std::uint64_t value;
  };
  static Varint varint(const char* at, const char* end);
  static Varint long_varint(const char* at, const char* end);

  bool stop(WireEnd why) {
    why_ = why;
    end_ = at_;  // So that next() need look at nothing else.
    return false;
  }
  bool take_bytes(Varint size, std::uint32_t tag, Field& field);
  template <std::size_t kSize>
  bool take_fixed(const char* at, std::uint32_t tag, Field& field);

  const char* at_;
  const char* end_;
  WireEnd why_ = WireEnd::clean;
};

// The functions below run some twenty times for each event.  They pass values, not references, to
// what is not inlined: a Field or a Wire whose address is taken cannot stay in registers, and that
// alone makes reading slower by half.

[[gnu::always_inline]] inline Wire::Varint Wire::varint(const char* at, const char* end) {
  if (at != end && static_cast<signed char>(*at) >= 0) {
    return {at + 1, static_cast<std::uint64_t>(*at)};
  }
  return long_varint(at, end);
}

[[gnu::noinline]] inline Wire::Varint Wire::long_varint(const char* at, const char* end) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at == end) return {nullptr, static_cast<std::uint64_t>(WireEnd::cut)};
    const auto byte = static_cast<unsigned char>(*at++);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if ((byte & 0x80U) == 0) return {at, value};
  }
  return {nullptr, static_cast<std::uint64_t>(WireEnd::malformed)};
}

template <std::size_t kSize>
bool Wire::take_fixed(const char* at, std::uint32_t tag, Field& field) {
  if (static_cast<std::size_t>(end_ - at) < kSize) return stop(WireEnd::cut);
  std::uint64_t value = 0;
  std::memcpy(&value, at, kSize);  // Little-endian, as every machine this runs on.
  field.value = value;
  field.tag = tag;
  at_ = at + kSize;
  return true;
}

[[gnu::always_inline]] inline bool Wire::take_bytes(Varint size, std::uint32_t tag, Field& field) {
  const auto left = static_cast<std::size_t>(end_ - size.at);
  field.tag = tag;
  if (size.value > left) {
    field.bytes = {size.at, left};
    return stop(WireEnd::cut);
  }
  field.bytes = {size.at, static_cast<std::size_t>(size.value)};
  at_ = size.at + size.value;
  return true;
}

[[gnu::always_inline]] inline bool Wire::next(Field& field) {
  field.tag = 0;
  if (at_ == end_) return false;
  const Varint read = varint(at_, end_);
  if (read.at == nullptr) return stop(static_cast<WireEnd>(read.value));
  if (read.value < 8 || read.value > 0xffffffffU) return stop(WireEnd::malformed);
  const auto tag = static_cast<std::uint32_t>(read.value);
  switch (static_cast<WireType>(tag & 7U)) {
    case WireType::varint:
    case WireType::bytes: {
      const Varint value = varint(read.at, end_);
      if (value.at == nullptr) return stop(static_cast<WireEnd>(value.value));
      if ((tag & 7U) == static_cast<std::uint32_t>(WireType::bytes)) {
        return take_bytes(value, tag, field);
      }
      field.value = value.value;
      field.tag = tag;
      at_ = value.at;
      return true;
    }
    case WireType::fixed64:
      return take_fixed<8>(read.at, tag, field);
    case WireType::fixed32:
      return take_fixed<4>(read.at, tag, field);
  }
  return stop(WireEnd::malformed);  // Groups are not in proto3, 6 and 7 in nothing.
}

}  // namespace jaxtrace
