// Library calls spelled out: the schedule keeps its order, and every call becomes what it was seen
// to run.
#include "attribution/calls.h"

#include <gtest/gtest.h>

namespace jaxtrace {
namespace {

using hlo::InstructionId;
using Of = hlo::Node::Of;

/// A loop of a fusion and a GEMM, then a copy.
hlo::Schedule looped_gemm() {
  hlo::Schedule schedule;
  schedule.slots = {
      {.instruction = InstructionId{1}, .work = hlo::Work::own_kernel, .kernel_name = "fusion"},
      {.instruction = InstructionId{2}, .work = hlo::Work::gemm},
      {.instruction = InstructionId{3}, .work = hlo::Work::copy}};
  schedule.nodes = {{.of = Of::sequence, .children = {1, 5}},
                    {.of = Of::loop, .children = {2}, .trips = 3},
                    {.of = Of::sequence, .children = {3, 4}},
                    {.of = Of::slot, .slot = 0},
                    {.of = Of::slot, .slot = 1},
                    {.of = Of::slot, .slot = 2}};
  return schedule;
}

TEST(SpellOut, WritesTheKernelsOfACallWhereItStands) {
  const SpelledOut out = spell_out(looped_gemm(), {{InstructionId{2}, {"gemm", "split_k"}}});

  ASSERT_EQ(out.schedule.slots.size(), 4u);
  EXPECT_EQ(out.schedule.slots[0].kernel_name, "fusion");
  EXPECT_EQ(out.schedule.slots[1].kernel_name, "gemm");
  EXPECT_EQ(out.schedule.slots[2].kernel_name, "split_k");
  EXPECT_EQ(out.schedule.slots[2].instruction, InstructionId{2});
  EXPECT_EQ(out.schedule.slots[3].work, hlo::Work::copy);
  EXPECT_EQ(out.seen, (std::vector<bool>{false, true, true, false}));

  const hlo::Node& loop_body = out.schedule.nodes[2];
  EXPECT_EQ(out.schedule.nodes[loop_body.children[1]].of, Of::sequence) << "still inside the loop";
}

TEST(SpellOut, LeavesEverythingAsItIsWhereNothingWasSeen) {
  const SpelledOut out = spell_out(looped_gemm(), {});
  EXPECT_EQ(out.schedule.slots.size(), 3u);
  EXPECT_EQ(out.schedule.nodes.size(), 6u);
  EXPECT_EQ(out.seen, (std::vector<bool>{false, false, false}));
}

/// One group of one execution each pass, with labels given by instruction.
struct Made {
  Trace trace;
  Attribution attribution;
  Group group{.program = 0, .device = DeviceId{0}, .events = {}, .executions = {}};

  void execution() { group.executions.push_back(group.events.size()); }

  void run(const char* kernel, std::uint32_t instruction, Rule rule = Rule::schedule) {
    group.events.push_back(static_cast<std::uint32_t>(trace.events.name.size()));
    trace.events.name.push_back(trace.strings.intern(kernel));
    attribution.label.push_back(static_cast<std::uint32_t>(attribution.labels.size()));
    attribution.labels.push_back({.program = 0,
                                  .instruction = InstructionId{instruction},
                                  .match = Match::order,
                                  .rule = rule});
  }

  Calls calls() {
    std::vector<Group*> groups{&group};
    return calls_seen(trace, attribution, groups, looped_gemm());
  }
};

TEST(CallsSeen, TakesTheSequenceSeenMostOften) {
  Made made;
  for (int step = 0; step < 3; ++step) {
    made.execution();
    made.run("fusion", 1);
    made.run("gemm.kd", 2);
    if (step != 1) made.run("split_k.kd", 2);  // lost once
    made.run("copy", 3);
  }
  const Calls calls = made.calls();
  ASSERT_EQ(calls.size(), 1u) << "fusions and copies are no calls";
  EXPECT_EQ(calls.at(InstructionId{2}), (std::vector<std::string>{"gemm", "split_k"}));
}

TEST(CallsSeen, BelievesNothingSeenOnceOrAmbiguous) {
  Made once;
  once.execution();
  once.run("gemm", 2);
  EXPECT_TRUE(once.calls().empty());

  Made ambiguous;
  for (int step = 0; step < 3; ++step) {
    ambiguous.execution();
    ambiguous.run("gemm", 2, Rule::ambiguous);
  }
  EXPECT_TRUE(ambiguous.calls().empty());
}

TEST(CallsSeen, KeepsExecutionsApart) {
  Made made;
  for (int step = 0; step < 2; ++step) {
    made.execution();
    made.run("gemm", 2);
  }
  EXPECT_EQ(made.calls().at(InstructionId{2}), std::vector<std::string>{"gemm"})
      << "the last call of a step and the first of the next are two";
}

}  // namespace
}  // namespace jaxtrace
