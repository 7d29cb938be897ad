// How a window is divided among what the GPU did in it.
#include <gtest/gtest.h>

#include "skip/analysed.h"

namespace jaxtrace {
namespace {

using rows::us;

Picoseconds sum(const Budget& budget) {
  return budget.compute() + budget.exposed_collective() + budget.exposed_copy() + budget.idle;
}

TEST(Budgets, StreamsThatRunAtOnceCountOnce) {
  const Analysed a(R"(H python [0,5) PjitFunction(f)
                      C s1 [0,10) launch [-3,-2)
                      C s2 [5,15) launch [-2,-1))");
  const Budget budget = a.budget(window(0, 20));
  EXPECT_EQ(budget.busy(), us(15));
  EXPECT_EQ(budget.idle, us(5));
  EXPECT_EQ(a.timelines[0].span.length(), us(15));
}

TEST(Budgets, CommunicationIsExposedWhereNothingComputes) {
  const Analysed a(R"(C s1 [0,40)
                      C s1 [80,100)
                      X s2 [30,70))");
  const Budget device = a.budget(window(0, 100));
  EXPECT_EQ(device.compute(), us(60));
  EXPECT_EQ(device.exposed_collective(), us(30));
  EXPECT_EQ(device.idle, us(10));
  EXPECT_EQ(device.busy(), us(90));
  EXPECT_EQ(device.all(WorkClass::collective), us(40));
  EXPECT_EQ(sum(device), us(100));

  const Budget s1 =
      sweep(a.trace, a.works, lane_order(a.trace, a.works, a.lane("Stream #1")), window(0, 100));
  EXPECT_EQ(s1.compute(), us(60));
  EXPECT_EQ(s1.idle, us(40));
  const Budget s2 =
      sweep(a.trace, a.works, lane_order(a.trace, a.works, a.lane("Stream #2")), window(0, 100));
  EXPECT_EQ(s2.exposed_collective(), us(40));
  EXPECT_EQ(s2.idle, us(60));
}

TEST(Budgets, ComputeComesBeforeCommunicationComesBeforeCopies) {
  const Analysed a(R"(C s1 [0,20)
                      X s2 [10,40)
                      M s3 [30,60))");
  const Budget budget = a.budget(window(0, 80));
  EXPECT_EQ(budget.compute(), us(20));
  EXPECT_EQ(budget.exposed_collective(), us(20));
  EXPECT_EQ(budget.exposed_copy(), us(20));
  EXPECT_EQ(budget.idle, us(20));
  EXPECT_EQ(budget.all(WorkClass::collective), us(30));
  EXPECT_EQ(budget.all(WorkClass::memcpy), us(30));
}

TEST(Budgets, AStreamThatOverlapsItselfIsBusyOnce) {
  const Analysed a(R"(C s1 [0,10)
                      C s1 [8,12))");
  const Budget budget = a.budget(window(0, 12));
  EXPECT_EQ(budget.compute(), us(12));
  EXPECT_EQ(budget.idle, us(0));
}

TEST(Budgets, EventsWithoutLengthAreRowsAndNoTime) {
  const Analysed a(R"(C s1 [0,0)
                      C s1 [0,10))");
  const Budget budget = a.budget(window(0, 10));
  EXPECT_EQ(a.timelines[0].events, 2u);
  EXPECT_EQ(budget.busy(), us(10));
  EXPECT_EQ(budget.idle, us(0));
}

TEST(Budgets, EventsAreCutAtTheWindow) {
  const Analysed a(R"(C s1 [-5,5)
                      C s1 [8,12))");
  const Budget budget = a.budget(window(0, 10));
  EXPECT_EQ(budget.compute(), us(7));
  EXPECT_EQ(budget.idle, us(3));
}

}  // namespace
}  // namespace jaxtrace
