// JsonCursor: values where they stand, and an end to every loop.
#include "readers/json_cursor.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace jaxtrace {
namespace {

std::vector<std::string> keys(JsonCursor& at) {
  std::vector<std::string> result;
  std::string key;
  if (at.enter_object()) {
    while (at.next_key(key)) {
      result.push_back(key);
      at.skip();
    }
  }
  return result;
}

TEST(JsonCursor, SkipsWhatIsNotAskedFor) {
  JsonCursor at(R"({"a": [1, {"b": "}]"}], "c\n\u00e9": {"d": [[]]}, "e": null, "f": -1.5e3})");
  EXPECT_EQ(keys(at), (std::vector<std::string>{"a", "c\n\xc3\xa9", "e", "f"}));
  EXPECT_FALSE(at.failed());
}

TEST(JsonCursor, TakesIntegersHoweverTheyAreWritten) {
  JsonCursor at(
      R"([9007199254740993, 12.0, 1.2e1, -7, 1.5, "12", true, 99999999999999999999, NaN])");
  std::vector<std::optional<std::int64_t>> numbers;
  ASSERT_TRUE(at.enter_array());
  while (at.next_item()) numbers.push_back(at.integer());
  EXPECT_FALSE(at.failed());
  const std::optional<std::int64_t> none;
  EXPECT_EQ(numbers, (std::vector<std::optional<std::int64_t>>{9007199254740993, 12, 12, -7, none,
                                                               none, none, none, none}));
}

TEST(JsonCursor, StringsKeepTheirQuotesAndSurrogates) {
  JsonCursor at(R"(["a\"b\\", "\ud83d\ude00", "\ud83d", ""])");
  std::string text;
  std::vector<std::string> strings;
  ASSERT_TRUE(at.enter_array());
  while (at.next_item()) {
    ASSERT_TRUE(at.string(text));
    strings.push_back(text);
  }
  EXPECT_EQ(strings, (std::vector<std::string>{"a\"b\\", "\xf0\x9f\x98\x80", "\xef\xbf\xbd", ""}));
}

TEST(JsonCursor, PassesOverAByteOrderMark) {
  JsonCursor at("\xef\xbb\xbf{\"a\": 1}");
  EXPECT_EQ(keys(at), std::vector<std::string>{"a"});
}

TEST(JsonCursor, EveryCutFailsAndEnds) {
  const std::string whole = R"({"a": [1, "x\"", {"b": [true, null]}], "c": 2.5})";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    JsonCursor at(std::string_view(whole).substr(0, length));
    keys(at);
    // Before the first bracket nothing was entered, so nothing can break.
    EXPECT_EQ(at.failed(), length > 0) << length;
    EXPECT_LE(at.byte(), length);
  }
}

TEST(JsonCursor, FailsAtTheByteThatCannotBe) {
  JsonCursor at(R"({"a": 1 "b": 2})");
  EXPECT_EQ(keys(at), std::vector<std::string>{"a"});
  EXPECT_TRUE(at.failed());
  EXPECT_EQ(at.byte(), 8U);
}

TEST(JsonCursor, IsNotNestedByWhatItReads) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  JsonCursor at(deep);
  at.skip();
  EXPECT_FALSE(at.failed());
  EXPECT_EQ(at.byte(), deep.size());
}

}  // namespace
}  // namespace jaxtrace
