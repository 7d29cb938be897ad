// The wire cursor at its edges.
#include "readers/wire.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace jaxtrace {
namespace {

using namespace std::string_view_literals;

WireEnd end_of(std::string_view message) {
  Wire wire(message);
  Field field;
  while (wire.next(field)) {
  }
  return wire.end();
}

TEST(Wire, ReadsEveryType) {
  Wire wire(
      "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x11\x01\0\0\0\0\0\0\x80\x1a\x02hi\x25\x07\0\0\0"sv);
  Field field;
  ASSERT_TRUE(wire.next(field));
  EXPECT_EQ(field.tag, wire_tag(1, WireType::varint));
  EXPECT_EQ(static_cast<std::int64_t>(field.value), -1);
  ASSERT_TRUE(wire.next(field));
  EXPECT_EQ(field.value, 0x8000000000000001U);
  ASSERT_TRUE(wire.next(field));
  EXPECT_EQ(field.bytes, "hi");
  ASSERT_TRUE(wire.next(field));
  EXPECT_EQ(field.tag, wire_tag(4, WireType::fixed32));
  EXPECT_EQ(field.value, 7U);
  EXPECT_FALSE(wire.next(field));
  EXPECT_EQ(wire.end(), WireEnd::clean);
}

TEST(Wire, TellsCutFromMalformed) {
  EXPECT_EQ(end_of(""), WireEnd::clean);
  EXPECT_EQ(end_of("\x08"), WireEnd::cut);
  EXPECT_EQ(end_of("\x08\x80"), WireEnd::cut);
  EXPECT_EQ(end_of("\x11 1234"), WireEnd::cut);
  EXPECT_EQ(end_of("\x12\x05 abc"), WireEnd::cut);
  EXPECT_EQ(end_of("\x00\x01"sv), WireEnd::malformed);  // Field number 0.
  EXPECT_EQ(end_of("\x0b\x01"), WireEnd::malformed);    // A group.
  EXPECT_EQ(end_of("\x0f\x01"), WireEnd::malformed);    // Wire type 7.
  EXPECT_EQ(end_of("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), WireEnd::malformed);
}

TEST(Wire, LeavesWhatThereIsOfACutField) {
  Wire wire("\x1a\x7f rest"sv);
  Field field;
  EXPECT_FALSE(wire.next(field));
  EXPECT_EQ(field.tag, wire_tag(3, WireType::bytes));
  EXPECT_EQ(field.bytes, " rest");
  EXPECT_FALSE(wire.next(field));
}

TEST(Wire, ALengthOf64BitsIsOnlyCut) {
  EXPECT_EQ(end_of("\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01 abc"), WireEnd::cut);
}

}  // namespace
}  // namespace jaxtrace
