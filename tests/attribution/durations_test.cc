// Times as evidence: typical durations, and holes between kernels.
#include "attribution/durations.h"

#include <gtest/gtest.h>

#include <array>

#include "jaxtrace/trace_builder.h"

namespace jaxtrace {
namespace {

/// Kernels on one stream, 1 µs apart unless said otherwise; times in µs.
Trace kernels(const std::vector<std::pair<int, int>>& begin_and_duration) {
  TraceBuilder builder;
  builder.add_host("host0", "host0.xplane.pb");
  Device made{};
  made.host = HostId{0};
  const DeviceId device = builder.add_device(made);
  builder.begin_lane({.host = HostId{0}, .kind = LaneKind::stream, .device = device, .id = 7});
  for (const auto& [begin, duration] : begin_and_duration) {
    builder.add_event({.begin = Picoseconds{begin * 1'000'000LL},
                       .duration = Picoseconds{duration * 1'000'000LL}});
  }
  return std::move(builder).finish();
}

std::vector<std::uint32_t> all(const Trace& trace) {
  std::vector<std::uint32_t> events;
  for (std::uint32_t i = 0; i < trace.device_events; ++i) events.push_back(i);
  return events;
}

TEST(Durations, LearnTheMedianOfClearAnswers) {
  const Trace trace = kernels({{0, 10}, {20, 11}, {40, 12}, {60, 500}});
  Alignment alignment;
  for (const Cost margin : {30, 30, 30, 2}) {
    alignment.pieces.push_back({.slot = 4, .round = 0, .margin = margin, .tied = 1});
  }
  Durations durations;
  durations.learn(trace, all(trace), alignment, 20);
  EXPECT_EQ(durations.typical(4), 11'000'000);
  EXPECT_EQ(durations.typical(5), 0) << "never seen";
}

TEST(Durations, MakeAnUnlikelySlotCostMore) {
  const Trace trace = kernels({{0, 10}, {11, 80}, {92, 10}});
  Alignment alignment;
  for (const std::uint32_t slot : {0U, 1U, 0U}) {
    alignment.pieces.push_back({.slot = slot, .round = 0, .margin = 30, .tied = 1});
  }
  Durations durations;
  durations.learn(trace, all(trace), alignment, 20);
  const std::array candidates{Candidate{0, 0, kNever}, Candidate{1, 0, kNever}};
  const std::vector<Piece> pieces(3, Piece{.candidates = candidates, .skip = 50});
  const Timed timed(trace, all(trace), pieces, durations);
  EXPECT_EQ(timed.pieces()[0].candidates[0].cost, 0);
  EXPECT_GT(timed.pieces()[0].candidates[1].cost, 0) << "10 µs where 80 µs are usual";
  EXPECT_GT(timed.pieces()[1].candidates[0].cost, 0);
  EXPECT_EQ(timed.pieces()[1].candidates[1].cost, 0);
}

TEST(Durations, TellHolesFromUsualGaps) {
  const Trace trace = kernels({{0, 10}, {11, 10}, {22, 10}, {33, 10}, {64, 10}, {75, 10}});
  Durations durations;
  const Timed timed(trace, all(trace), std::vector<Piece>(6, Piece{.candidates = {}, .skip = 50}),
                    durations);
  EXPECT_TRUE(timed.pieces()[2].tight);
  EXPECT_TRUE(timed.pieces()[4].loose) << "20 µs longer than the others";
  EXPECT_FALSE(timed.pieces()[4].tight);
  EXPECT_TRUE(timed.pieces()[5].tight);
}

}  // namespace
}  // namespace jaxtrace
