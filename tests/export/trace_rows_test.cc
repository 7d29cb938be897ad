// Rows of slices that overlap.
#include "export/trace_rows.h"

#include <gtest/gtest.h>

namespace jaxtrace {
namespace {

using Inside = SliceRows::Inside;

constexpr Picoseconds ps(std::int64_t time) {
  return Picoseconds{time};
}

TEST(SliceRows, WhatFollowsSharesARow) {
  SliceRows rows(Inside::never, ps(0));
  EXPECT_EQ(rows.place(ps(0), ps(10)), 0);
  EXPECT_EQ(rows.place(ps(10), ps(20)), 0);
  EXPECT_EQ(rows.place(ps(19), ps(30)), 1);
  EXPECT_EQ(rows.place(ps(20), ps(25)), 0);
  EXPECT_EQ(rows.size(), 2U);
}

TEST(SliceRows, WhatLiesInsideSharesARowOfThreads) {
  SliceRows threads(Inside::whole, ps(0)), streams(Inside::never, ps(0));
  for (SliceRows* rows : {&threads, &streams}) EXPECT_EQ(rows->place(ps(0), ps(100)), 0);
  EXPECT_EQ(threads.place(ps(10), ps(50)), 0);
  EXPECT_EQ(streams.place(ps(10), ps(50)), 1);
  EXPECT_EQ(threads.place(ps(20), ps(60)), 1) << "it ends after the one that it begins in";
  EXPECT_EQ(threads.place(ps(50), ps(100)), 0);
}

TEST(SliceRows, ALittleOverlapIsToBeCut) {
  SliceRows rows(Inside::never, ps(5));
  EXPECT_EQ(rows.place(ps(0), ps(100)), 0);
  EXPECT_EQ(rows.place(ps(95), ps(200)), 0);
  EXPECT_EQ(rows.place(ps(194), ps(300)), 1) << "too much";
  EXPECT_EQ(rows.place(ps(197), ps(199)), 2) << "cutting would leave an end without a slice";
}

TEST(SliceRows, NothingIsLeftOfASliceThatBeginsWithTheNext) {
  SliceRows rows(Inside::never, ps(5));
  EXPECT_EQ(rows.place(ps(10), ps(14)), 0);
  EXPECT_EQ(rows.place(ps(10), ps(14)), 1);
}

TEST(SliceRows, ThereIsAnEndToThem) {
  SliceRows rows(Inside::never, ps(0));
  for (int i = 0; i < SliceRows::kMost; ++i) EXPECT_EQ(rows.place(ps(0), ps(9)), i);
  EXPECT_EQ(rows.place(ps(0), ps(9)), kNotDrawn);
  EXPECT_EQ(rows.place(ps(9), ps(10)), 0);
}

}  // namespace
}  // namespace jaxtrace
