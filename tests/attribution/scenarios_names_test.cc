// Kernels that XLA named: what the name alone says, and what it says together with the order.
#include "attribution/scenario.h"

namespace jaxtrace::synth {
namespace {

std::vector<Node> five() {
  return {fusion("loop_add_fusion.1"), fusion("input_reduce_fusion.2"), fusion("transpose_fusion"),
          fusion("wrapped_tanh"), fusion("gemm_fusion_dot.9")};
}

TEST(AttributeNames, DirectLaunchesAreExact) {  // Scenario 1
  const Judged result = judged(simulate({small_program("jit_step", five())}, {.steps = 3}));
  EXPECT_EQ(result.verdict.events, 15);
  expect_all_right(result);
  for (const Answer& answer : result.answers) {
    EXPECT_EQ(answer.rule, Rule::tracer);
    EXPECT_EQ(answer.confidence, 1000);
    EXPECT_FALSE(answer.in_graph);
  }
}

TEST(AttributeNames, TheCallOfACommandBufferIsNoAnswer) {  // Scenario 2
  const Program program = small_program("jit_step", {call("call.2", five())});
  const Judged result = judged(simulate({program}, {.steps = 3}));
  EXPECT_EQ(result.verdict.events, 15);
  expect_all_right(result);
  expect_all_match(result, Match::name);
  EXPECT_FALSE(result.counts().contains("call.2"));
}

TEST(AttributeNames, TheAnnotationOfACommandBufferIsNoAnswer) {  // Scenario 3
  const Program program = small_program("jit_step", {fusion("first"), graph(five())});
  for (const bool host : {true, false}) {
    Recording recording = simulate({program}, {.steps = 3});
    if (!host) strip_host_events(recording);
    const Judged result = judged(recording);
    expect_all_right(result);
    EXPECT_EQ(result.verdict.exact, 3) << "the direct launches";
    for (const Answer& answer : result.answers) {
      if (answer.op == "first") continue;
      EXPECT_EQ(answer.match, Match::name);
      EXPECT_TRUE(answer.in_graph);
      EXPECT_GE(answer.confidence, 950);
    }
  }
}

TEST(AttributeNames, OrderTellsFusionsWithOneKernelApart) {  // Scenario 5
  const Program program =
      small_program("jit_step", {graph({fusion("f", "body"), fusion("f.1", "body")})});
  for (const bool nodes : {true, false}) {
    const Judged result = judged(simulate({program}, {.steps = 2, .node_ids = nodes}));
    EXPECT_EQ(result.ops(), (Words{"f", "f.1", "f", "f.1"}));
    EXPECT_EQ(result.of("f").size(), 4u) << "one kernel name for both";
    expect_all_match(result, Match::order);
    for (const Answer& answer : result.answers) EXPECT_GE(answer.confidence, 850);
  }
}

TEST(AttributeNames, TheFirstFusionEmittedNamesTheKernelWhateverItsNumber) {  // Scenario 6
  const Program program =
      small_program("jit_step", {graph({fusion("loop_reduce_fusion.3", "body"), fusion("between"),
                                        fusion("loop_reduce_fusion.2", "body")})});
  const Judged result = judged(simulate({program}, {.steps = 1, .node_ids = false}));
  EXPECT_EQ(result.ops(), (Words{"loop_reduce_fusion.3", "between", "loop_reduce_fusion.2"}));
  EXPECT_EQ(result.of("loop_reduce_fusion_3").size(), 2u);
}

TEST(AttributeNames, ArgumentsMakeTwoKernelsOfOneComputation) {  // Scenario 7
  // The array of the loop is aligned otherwise than the parameter outside.
  const Program program = small_program(
      "jit_step", {graph({fusion("a.1", "body"), fusion("x")}),
                   loop("while.2", 2, {graph({fusion("a.8", "body"), fusion("y")})})});
  for (const bool buffers : {true, false}) {
    Recording recording = simulate({program}, {.steps = 2});
    if (!buffers) strip_buffer_assignments(recording);
    const Judged result = judged(recording);
    expect_all_right(result);
    for (const char* kernel : {"a_1", "a_8"}) {
      ASSERT_FALSE(result.of(kernel).empty());
      for (const Answer& answer : result.of(kernel)) {
        EXPECT_TRUE(answer.match == Match::name || !buffers) << kernel;
      }
    }
  }
}

TEST(AttributeNames, NamesThatCollideOnceSanitisedAreTwoKernels) {  // Scenario 8
  const Program program =
      small_program("jit_step", {graph({fusion("a.1", "one"), fusion("a_1", "other")})});
  const Judged result = judged(simulate({program}, {.steps = 2}));
  EXPECT_EQ(result.ops(), (Words{"a.1", "a_1", "a.1", "a_1"}));
  ASSERT_EQ(result.of("a_1__1").size(), 2u);
  EXPECT_EQ(result.of("a_1__1")[0].op, "a_1");
  expect_all_match(result, Match::name);
}

TEST(AttributeNames, InstructionIdsMayBeWideOrSmall) {  // Scenario 40
  for (const bool wide : {true, false}) {
    const Program program =
        small_program("jit_step",
                      {graph({fusion("f", "body"), gemm("g"), fusion("f.1", "body")}),
                       loop("while.2", 3, {graph({fusion("b", "x"), fusion("b.1", "x")})})},
                      {.wide_ids = wide});
    const Judged result = judged(simulate({program}, {.steps = 2}));
    expect_all_right(result);
  }
}

TEST(AttributeNames, EachProgramOfOneModuleNameKeepsItsOwnSchedule) {  // Scenario 25
  const Program one =
      small_program("jit_step", {graph({fusion("f", "body"), fusion("f.1", "body"), fusion("g")})});
  const Program other =
      small_program("jit_step", {graph({fusion("f.1", "body"), fusion("g"), fusion("f", "body")})},
                    {.program_id = 23});
  const Judged result = judged(simulate({one, other}, {.steps = 2, .node_ids = false}));
  expect_all_right(result);
  EXPECT_EQ(result.ops(),
            (Words{"f", "f.1", "g", "f.1", "g", "f", "f", "f.1", "g", "f.1", "g", "f"}));
  for (const Answer& answer : result.answers) {
    // Each program names the shared kernel after its own first fusion.
    if (answer.kernel == "g") continue;
    EXPECT_EQ(answer.program_id, answer.kernel == "f" ? 17 : 23) << answer.kernel;
  }
}

TEST(AttributeNames, EqualProgramsInterleavedStayApart) {  // Scenario 24
  const std::vector<Node> nodes = {fusion("x"),
                                   graph({fusion("f", "body"), fusion("f.1", "body")})};
  std::vector<Node> more = nodes;
  more.push_back(graph({fusion("f.2", "body"), fusion("only_here")}));
  const Program a = small_program("jit_a", nodes);
  const Program b = small_program("jit_b", more, {.program_id = 19});
  for (const bool ids : {true, false}) {
    Recording recording = simulate({a, b}, {.devices = 2, .steps = 3});
    if (!ids) strip_program_id(recording);
    const Judged result = judged(recording);
    expect_all_right(result);
    // A, B, A, B …: three and five kernels an execution.
    for (std::size_t i = 0; i < 24; ++i) {
      EXPECT_EQ(result.answers[i].program_id, i % 8 < 3 ? 17 : 19) << i << " ids " << ids;
    }
  }
}

}  // namespace
}  // namespace jaxtrace::synth
