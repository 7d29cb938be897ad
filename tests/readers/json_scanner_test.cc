// JSON text that ends anywhere, and numbers that must not lose a digit.
#include "readers/json_scanner.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>

namespace jaxtrace {
namespace {

using State = JsonScanner::State;

State skip(std::string_view text, std::string_view* rest = nullptr) {
  JsonScanner json(text);
  json.skip();
  if (rest != nullptr) {
    *rest = text.substr(static_cast<std::size_t>(json.at() - text.data()));
  }
  return json.state();
}

TEST(JsonScanner, SkipsValuesOfAnyKind) {
  for (const std::string_view value : {R"("a \" ] text")", "12.5e-3", "true", "null", "[]",
                                       R"([1,{"a":[2,"}"]},"\\"])", R"({ "a" : { } })"}) {
    std::string_view rest;
    EXPECT_EQ(skip(std::string(value) + ",", nullptr), State::good) << value;
    const std::string text = std::string(value) + ", 7";
    EXPECT_EQ(skip(text, &rest), State::good);
    EXPECT_EQ(rest, ", 7") << value;
  }
}

TEST(JsonScanner, ACutValueIsCutAndNotMalformed) {
  const std::string_view value = R"({"a":[1,{"b":"x\"y"},null],"c":-1.5})";
  for (std::size_t size = 0; size < value.size(); ++size) {
    EXPECT_EQ(skip(value.substr(0, size)), State::cut) << size;
  }
  EXPECT_EQ(skip(value), State::good);
}

TEST(JsonScanner, RubbishIsMalformed) {
  for (const std::string_view text : {"}", ",1", ":", "]"}) {
    EXPECT_EQ(skip(text), State::malformed) << text;
  }
  JsonScanner json("x");
  EXPECT_FALSE(json.take('{'));
  EXPECT_EQ(json.state(), State::malformed);
  EXPECT_FALSE(json.take_if('x')) << "after a failure nothing is taken";
}

TEST(JsonScanner, TextsOfAnyLengthAndPlace) {
  // The scan goes eight bytes at a time, so the end has to be met at each place in them.
  for (std::size_t length = 0; length < 40; ++length) {
    for (std::size_t before = 0; before < 8; ++before) {
      const std::string text = std::string(before, ' ') + '"' + std::string(length, '\xff') + "\"z";
      JsonScanner json(text);
      JsonText read;
      ASSERT_TRUE(json.text(read));
      EXPECT_EQ(read.raw.size(), length);
      EXPECT_FALSE(read.escaped);
      EXPECT_EQ(*json.at(), 'z');
    }
  }
}

TEST(JsonScanner, EscapedQuotesDoNotEndAText) {
  JsonScanner json(R"("a\\\"b\\" )");
  JsonText text;
  ASSERT_TRUE(json.text(text));
  EXPECT_TRUE(text.escaped);
  std::string scratch;
  EXPECT_EQ(decode(text, scratch), R"(a\"b\)");
}

TEST(Scaled, RoundsOnce) {
  EXPECT_EQ(scaled("0.1", 1), 1);
  EXPECT_EQ(scaled("1.4999999999999999", 0), 1);
  EXPECT_EQ(scaled("1.5", 0), 2);
  EXPECT_EQ(scaled("-1.5", 0), -2);
  EXPECT_EQ(scaled("123456789.12345678", 6), 123'456'789'123'457);
  EXPECT_EQ(scaled("9.9999999999999995e-07", 6), 1);
  EXPECT_EQ(scaled("4e-07", 6), 0);
  EXPECT_EQ(scaled("1E+3", 0), 1000);
  EXPECT_EQ(scaled("0e999999999", 6), 0);
  EXPECT_EQ(scaled("1e-999999999", 6), 0);
  EXPECT_EQ(scaled("0.00000000000000000000000000012345e28", 4), 12'345);
}

TEST(Scaled, IsAbsentForWhatDoesNotFitOrIsNone) {
  EXPECT_EQ(scaled("9223372036854775807", 0), std::numeric_limits<std::int64_t>::max());
  for (const char* text : {"9223372036854775808", "1e19", "99999999999999999999999", "1e999999999",
                           "", "-", "x", "1x", "nan", "1e", ".", "0x10", "1.2.3"}) {
    EXPECT_FALSE(scaled(text, 0).has_value()) << text;
  }
}

TEST(JsonSkipper, TakesPiecesOfAnySize) {
  const std::string value = R"( {"a":["\\",{"b":"}\"]"}],"c":[[]]} )";
  for (std::size_t piece = 1; piece < value.size(); ++piece) {
    JsonSkipper skipper;
    std::string rest = value + ",next";
    std::string left;
    while (true) {
      std::string_view view = std::string_view(rest).substr(0, piece);
      const std::size_t had = view.size();
      const bool done = skipper.feed(view);
      rest.erase(0, had - view.size());
      if (done) break;
      ASSERT_FALSE(rest.empty());
    }
    EXPECT_EQ(rest, " ,next") << piece;
  }
  JsonSkipper number;
  std::string_view text = " 12 ,";
  EXPECT_TRUE(number.feed(text));
  EXPECT_EQ(text, ",");
}

}  // namespace
}  // namespace jaxtrace
