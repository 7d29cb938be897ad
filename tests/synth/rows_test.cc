// Captures written as rows hold what the rows say.
#include "support/rows.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "analysis/launches.h"

namespace jaxtrace::rows {
namespace {

TEST(Rows, AreEventsOfStreamsAndThreads) {
  const Trace trace = trace_of(R"(# two kernels, the second without a call
                                  H python [0,60) PjitFunction(f)
                                  C s1 [10,20.5) launch [2,6) op fusion.1 module jit_g
                                  M gpu1 s2 [30,40) name MemcpyH2D id 7)");
  ASSERT_EQ(trace.device_events, 2u);
  EXPECT_EQ(trace.devices.size(), 2u);
  EXPECT_EQ(trace.events.begin[0], at(10));
  EXPECT_EQ(trace.events.duration[0], us(10.5));
  EXPECT_EQ(trace.strings[trace.events.name[1]], "MemcpyH2D");
  EXPECT_EQ(trace.events.correlation[1], 7u);
  const auto said = trace.annotations[static_cast<std::size_t>(trace.events.annotation[0])];
  EXPECT_EQ(trace.strings[said.hlo_op], "fusion.1");
  EXPECT_EQ(trace.strings[said.hlo_module], "jit_g");
  const Launches launches = find_launches(trace);
  ASSERT_NE(launches.call[0], kNoEvent);
  EXPECT_EQ(trace.events.begin[launches.call[0]], at(2));
  EXPECT_EQ(launches.call[1], kNoEvent);
}

TEST(Rows, Repeat) {
  const Trace trace = trace_of(R"(repeat 3 every 100
                                    H Host~Threads/7 [0,50) step=# train
                                    C s1 [10,20) launch [2,6) id 5
                                  end
                                  C s1 [400,410))");
  ASSERT_EQ(trace.device_events, 4u);
  EXPECT_EQ(trace.events.begin[2], at(210));
  EXPECT_EQ(trace.events.correlation[2], 2005u);
  EXPECT_EQ(trace.strings[trace.lanes[1].name], "Host Threads/7");
  std::int64_t numbers = 0;
  for (const EventStat& stat : trace.stats) {
    if (trace.strings[stat.key] == "step_num") numbers += stat.value;
  }
  EXPECT_EQ(numbers, 0 + 1 + 2);
}

TEST(Rows, ThatSayNothingAreRefused) {
  EXPECT_THROW(trace_of("K s1 [0,1)"), std::runtime_error);
  EXPECT_THROW(trace_of("C s1 0 1"), std::runtime_error);
  EXPECT_THROW(trace_of("repeat x every 5\nend"), std::runtime_error);
}

}  // namespace
}  // namespace jaxtrace::rows
