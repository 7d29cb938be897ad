// What a host thread did at each instant.
#include "skip/host_time.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "skip/analysed.h"

namespace jaxtrace {
namespace {

using Times = std::map<std::string, double>;

Times named(const Trace& trace, const std::map<std::uint32_t, Picoseconds>& times) {
  Times out;
  for (const auto& [event, time] : times) {
    const std::string name =
        event == kNoEvent ? "(no event)" : std::string(trace.strings[trace.events.name[event]]);
    if (time.count() != 0) out[name] += static_cast<double>(time.count()) / 1e6;
  }
  return out;
}

struct Thread {
  Trace trace;
  std::vector<std::uint32_t> lanes;
  HostThread thread;

  explicit Thread(const std::string& rows) : trace(rows::trace_of(rows + "\nC s1 [0,1)")) {
    for (std::size_t i = 0; i < trace.lanes.size(); ++i) {
      if (trace.lanes[i].kind == LaneKind::host) lanes.push_back(static_cast<std::uint32_t>(i));
    }
    thread = host_thread(trace, lanes);
  }
  Times self(double begin, double end) const {
    return named(trace, self_time(thread, window(begin, end)));
  }
  Times total(double begin, double end) const {
    return named(trace, total_time(trace, lanes, window(begin, end)));
  }
};

TEST(HostTime, GoesToTheInnermostEvent) {
  const Thread thread(R"(H python [0,100) Pjit
                         H python [20,90) Execute
                         H python [30,50) Alloc)");
  EXPECT_EQ(thread.self(10, 60), (Times{{"Pjit", 10}, {"Execute", 20}, {"Alloc", 20}}));
  EXPECT_EQ(thread.total(10, 60), (Times{{"Pjit", 50}, {"Execute", 40}, {"Alloc", 20}}));
  EXPECT_EQ(thread.self(40, 120),
            (Times{{"Alloc", 10}, {"Execute", 40}, {"Pjit", 10}, {"(no event)", 20}}));
  EXPECT_EQ(thread.total(40, 120), (Times{{"Alloc", 10}, {"Execute", 50}, {"Pjit", 60}}));
  EXPECT_EQ(thread.thread.cut, 0u);
}

TEST(HostTime, OfCallsInALaneOfTheirOwnIsTheThreads) {
  const Thread thread(R"(H py_xla_execute/-5 [0,100) ExecuteThunks
                         H Threads/7 [20,30) hipModuleLaunchKernel)");
  EXPECT_EQ(thread.self(0, 100), (Times{{"ExecuteThunks", 90}, {"hipModuleLaunchKernel", 10}}));
}

TEST(HostTime, IsCutWhereEventsDoNotNest) {
  const Thread thread(R"(H python [0,60) a
                         H python [40,100) b)");
  EXPECT_EQ(thread.self(0, 100), (Times{{"a", 40}, {"b", 60}}));
  EXPECT_EQ(thread.thread.cut, 1u);
}

TEST(HostTime, KeepsTheOuterEventsAfterTheInner) {
  const Thread thread(R"(H python [0,100) a
                         H python [0,100) a2
                         H python [10,20) b
                         H python [20,30) b
                         H python [50,50) instant)");
  EXPECT_EQ(thread.self(0, 100), (Times{{"a2", 80}, {"b", 20}}));
  ASSERT_EQ(thread.thread.roots.size(), 1u);
}

}  // namespace
}  // namespace jaxtrace
