// Rows are found by what events say, wherever they stand in the file.
#include "export/event_rows.h"

#include <gtest/gtest.h>

#include "jaxtrace/trace_builder.h"

namespace jaxtrace {
namespace {

using Row = std::optional<std::size_t>;

struct Pushed {
  std::int64_t begin = 0;
  std::int64_t duration = 0;
  const char* name = "k";
  std::uint64_t correlation = 0;
};

class EventRowsTest : public testing::Test {
 protected:
  /// A Trace with one lane of these events.
  void read(const std::vector<Pushed>& events) {
    TraceBuilder builder;
    const HostId host = builder.add_host("host0", "host0.xplane.pb");
    builder.begin_lane({.host = host, .kind = LaneKind::stream});
    for (const Pushed& event : events) {
      EventRow row;
      row.begin = Picoseconds{event.begin};
      row.duration = Picoseconds{event.duration};
      row.name = builder.intern(event.name);
      row.correlation = event.correlation;
      builder.add_event(row);
    }
    trace_ = std::move(builder).finish();
    rows_.emplace(trace_, trace_.lanes[0]);
  }

  Row find(const Pushed& event) {
    const StringId name = trace_.strings.find(event.name);
    return rows_->find(Picoseconds{event.begin}, Picoseconds{event.duration}, name, [&] {
      return EventIdentity{.name = name, .correlation = event.correlation};
    });
  }

  Trace trace_;
  std::optional<EventRows> rows_;
};

TEST_F(EventRowsTest, FilesNeedNotBeSorted) {
  const std::vector<Pushed> events = {{30, 5}, {10, 5}, {20, 5}, {20, 7}, {-10, 1}};
  read(events);
  EXPECT_EQ(find(events[0]), Row(4));
  EXPECT_EQ(find(events[1]), Row(1));
  EXPECT_EQ(find(events[2]), Row(3));
  EXPECT_EQ(find(events[3]), Row(2)) << "longer first";
  EXPECT_EQ(find(events[4]), Row(0));
}

TEST_F(EventRowsTest, WhatTheTraceLeftOutHasNoRow) {
  read({{10, 5}, {20, 5}});
  EXPECT_EQ(find({10, 4}), Row());
  EXPECT_EQ(find({10, 5, "other"}), Row());
  EXPECT_EQ(find({10, 5}), Row(0)) << "a stranger between them shifts nothing";
  EXPECT_EQ(find({15, 5}), Row());
  EXPECT_EQ(find({20, 5}), Row(1));
  EXPECT_EQ(find({25, 5}), Row());
}

TEST_F(EventRowsTest, WhatBeginsAndEndsTogetherIsToldApartByNameAndLaunch) {
  read({{10, 5, "b", 7}, {10, 5, "a", 9}, {10, 5, "a", 8}});
  EXPECT_EQ(find({10, 5, "b", 7}), Row(2));
  EXPECT_EQ(find({10, 5, "a", 9}), Row(1));
  EXPECT_EQ(find({10, 5, "a", 8}), Row(0));
  EXPECT_EQ(find({10, 5, "a", 8}), Row()) << "each once";
  EXPECT_EQ(find({10, 5, "c", 8}), Row());
}

TEST_F(EventRowsTest, AMillionAtTheSamePlaceTakeNoLongerThanAMillionElsewhere) {
  std::vector<Pushed> events(1'000'000, Pushed{0, 0});
  events.push_back({5, 1});
  read(events);
  std::vector<bool> seen(events.size());
  for (std::size_t i = 0; i + 1 < events.size(); ++i) {
    const Row row = find({0, 0});
    ASSERT_TRUE(row && !seen[*row]);
    seen[*row] = true;
    if (i % 100'000 == 0) {
      ASSERT_EQ(find({5, 1}), Row(events.size() - 1));
    }
  }
  EXPECT_EQ(find({0, 0}), Row());
}

}  // namespace
}  // namespace jaxtrace
