// Costs of moving through small schedules, by hand.
#include "attribution/flow.h"

#include <gtest/gtest.h>

#include "attribution/small_schedule.h"

namespace jaxtrace {
namespace {

using test::Tree;

/// Moves from a place to the next pass of a slot: their costs.
std::vector<Cost> costs(const Flow& flow, const Place& from, std::uint32_t slot) {
  std::vector<Flow::Move> moves;
  flow.moves(from, slot, moves);
  std::vector<Cost> out;
  for (const Flow::Move& move : moves) out.push_back(move.cost);
  return out;
}

TEST(Flow, PassingASlotCostsWhatMissingItCosts) {
  Tree tree;
  for (int i = 0; i < 4; ++i) tree.slot(0);
  const Flow flow(tree.schedule, {1, 10, 100, 3}, false);
  EXPECT_EQ(flow.enter(0), 0);
  EXPECT_EQ(flow.enter(2), 11);
  EXPECT_EQ(flow.leave({.slot = 1}), 103);
  EXPECT_EQ(costs(flow, {.slot = 0}, 1), (std::vector<Cost>{0}));
  EXPECT_EQ(costs(flow, {.slot = 0}, 3), (std::vector<Cost>{110}));
  EXPECT_TRUE(costs(flow, {.slot = 2}, 1).empty()) << "there is no way back";
}

TEST(Flow, ACyclicFlowStartsOver) {
  Tree tree;
  for (int i = 0; i < 3; ++i) tree.slot(0);
  const Flow flow(tree.schedule, {1, 10, 100}, true);
  EXPECT_EQ(costs(flow, {.slot = 2}, 0), (std::vector<Cost>{0}));
  EXPECT_EQ(costs(flow, {.slot = 1}, 1), (std::vector<Cost>{101}));
}

TEST(Flow, ALoopGoesRoundAsOftenAsItsTripCount) {
  Tree tree;
  tree.slot(0);
  const std::uint32_t body = tree.loop(0, 3);
  tree.slot(body);
  tree.slot(body);
  tree.slot(0);
  const Flow flow(tree.schedule, {5, 10, 20, 5}, false);
  ASSERT_EQ(flow.loops(1).size(), 1u);
  EXPECT_EQ(flow.loops(1)[0].first, 1u);
  EXPECT_EQ(flow.loops(1)[0].last, 3u);
  EXPECT_TRUE(flow.loops(3).empty());

  Place at{.slot = 2};
  EXPECT_EQ(costs(flow, at, 1), (std::vector<Cost>{0})) << "the next iteration";
  EXPECT_EQ(costs(flow, at, 3), (std::vector<Cost>{60})) << "two whole iterations are missing";
  at.round[0] = 2;
  EXPECT_TRUE(costs(flow, at, 1).empty()) << "that was the last one";
  EXPECT_EQ(costs(flow, at, 3), (std::vector<Cost>{0}));
}

TEST(Flow, ALoopOfUnknownCountMayEndAfterAnyIteration) {
  Tree tree;
  const std::uint32_t body = tree.loop(0, {});
  tree.slot(body);
  tree.slot(0);
  const Flow flow(tree.schedule, {40, 40}, false);
  EXPECT_EQ(flow.enter(1), 0) << "it may not run at all";
  EXPECT_EQ(costs(flow, {.slot = 0, .round = {1000}}, 0), (std::vector<Cost>{0}));
  EXPECT_EQ(costs(flow, {.slot = 0, .round = {1000}}, 1), (std::vector<Cost>{0}));
}

TEST(Flow, OneBranchIsTaken) {
  Tree tree;
  const std::uint32_t branch = tree.node(0, {.of = hlo::Node::Of::branch});
  tree.slot(tree.node(branch, {}));
  const std::uint32_t other = tree.node(branch, {});
  tree.slot(other);
  tree.slot(other);
  tree.slot(0);
  const Flow flow(tree.schedule, {10, 20, 30, 1}, false);
  EXPECT_EQ(flow.enter(3), 10) << "the cheaper one";
  EXPECT_TRUE(costs(flow, {.slot = 0}, 1).empty()) << "never both";
  EXPECT_EQ(costs(flow, {.slot = 1}, 3), (std::vector<Cost>{30})) << "the rest of its own";
}

TEST(Flow, LongGapsAreCapped) {
  Tree tree;
  for (int i = 0; i < 1000; ++i) tree.slot(0);
  const Flow flow(tree.schedule, std::vector<Cost>(1000, 40), false);
  EXPECT_EQ(flow.enter(10), 400);
  EXPECT_LE(flow.enter(999), 4 * kFar);
}

}  // namespace
}  // namespace jaxtrace
