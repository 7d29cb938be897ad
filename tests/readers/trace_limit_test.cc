// Events that the writer left out are known by what it kept.
#include "readers/trace_limit.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace jaxtrace {
namespace {

/// `count` events that take turns on two threads; µs number `out_of_order`, if any, is 0.
std::optional<TraceLimit> limit_of(std::uint64_t count, std::uint64_t out_of_order = 0) {
  LimitWatch watch;
  TraceEvent event;
  event.process = 1;
  std::string begin;
  for (std::uint64_t i = 1; i <= count; ++i) {
    begin = i == out_of_order ? "0" : std::to_string(i);
    event.begin = begin;
    event.thread = static_cast<std::int64_t>(i % 2);
    watch.see(event);
  }
  return watch.limit();
}

TEST(LimitWatch, TheProfilersOwn) {
  ASSERT_TRUE(limit_of(1'000'000).has_value());
  EXPECT_EQ(limit_of(1'000'000)->events, 1'000'000U);
  EXPECT_FALSE(limit_of(1'000'000)->chosen);
  EXPECT_FALSE(limit_of(999'999).has_value());
}

TEST(LimitWatch, OneThatWasChosen) {
  ASSERT_TRUE(limit_of(20'000).has_value());
  EXPECT_TRUE(limit_of(20'000)->chosen);
  EXPECT_FALSE(limit_of(20'001).has_value());
}

TEST(LimitWatch, AFileInOrderOfThreadsIsWhole) {
  EXPECT_FALSE(limit_of(1'000'000, 500'000).has_value());
  EXPECT_FALSE(limit_of(20'000, 10).has_value());
  EXPECT_FALSE(LimitWatch().limit().has_value());
  // Threads that happen to follow each other in time, too.
  LimitWatch watch;
  TraceEvent event;
  event.process = 1;
  std::string begin;
  for (int i = 0; i < 2000; ++i) {
    begin = std::to_string(i);
    event.begin = begin;
    event.thread = i / 1000;
    watch.see(event);
  }
  EXPECT_FALSE(watch.limit().has_value());
}

}  // namespace
}  // namespace jaxtrace
