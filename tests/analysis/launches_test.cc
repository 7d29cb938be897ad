// The join of device work to host calls, and of calls to program runs.
#include "analysis/launches.h"

#include <gtest/gtest.h>

#include "jaxtrace/trace_builder.h"
#include "support/rows.h"

namespace jaxtrace {
namespace {

/// A GPU event, a call of it in a lane of its own, and a program run that happens to be around it.
Trace pool_thread(bool with_events_of_its_own) {
  TraceBuilder builder;
  const HostId host = builder.add_host("host", "host.xplane.pb");
  Device gpu{};
  gpu.host = host;
  const DeviceId device = builder.add_device(gpu);
  const auto event = [&](std::string_view name, std::int64_t begin, std::uint64_t correlation) {
    builder.add_event({.begin = Picoseconds{begin},
                       .duration = Picoseconds{100},
                       .name = builder.intern(name),
                       .correlation = correlation});
  };
  builder.begin_lane({.host = host, .kind = LaneKind::stream, .device = device, .id = 1});
  event("copy", 500, 1);
  builder.begin_lane({.host = host, .kind = LaneKind::host, .id = 2});
  event("jit_f:XLA GPU module", 10, 0);
  builder.begin_lane({.host = host, .kind = LaneKind::host, .id = 3});
  if (with_events_of_its_own) event("TransferToDevice", 20, 0);
  event("hipMemcpyDtoDAsync", 30, 1);
  return std::move(builder).finish();
}

TEST(Launches, FindTheRunOfACallInALaneOfCallsOnly) {
  const Launches launches = find_launches(pool_thread(false));
  EXPECT_NE(launches.call[0], kNoEvent);
  EXPECT_NE(launches.interval[0], kNoEvent);
}

TEST(Launches, GiveAThreadThatRanNoProgramNoRunOfAnother) {
  const Launches launches = find_launches(pool_thread(true));
  EXPECT_NE(launches.call[0], kNoEvent);
  EXPECT_EQ(launches.interval[0], kNoEvent);
}

TEST(Launches, TwoThreadsInStepAreTwoThreads) {
  const Trace trace = rows::trace_of(R"(H exec0 [0,50) jit_f:XLA GPU module
                                        H exec1 [0,50) jit_f:XLA GPU module
                                        C gpu0 s1 [20,30) launch [10,12) on Host~Threads/5
                                        C gpu1 s2 [20,30) launch [10,12) on Host~Threads/6)");
  const Launches launches = find_launches(trace);
  ASSERT_EQ(launches.interval.size(), 2u);
  EXPECT_NE(launches.interval[0], kNoEvent);
  EXPECT_NE(launches.interval[1], kNoEvent);
  EXPECT_NE(launches.interval[0], launches.interval[1]);
}

}  // namespace
}  // namespace jaxtrace
