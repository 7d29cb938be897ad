// Loops and branches: the schedule is never unrolled, and what ran decides how often.
#include "attribution/scenario.h"

namespace jaxtrace::synth {
namespace {

TEST(AttributeLoops, AKnownTripCountRunsTheBodyThatOften) {  // Scenario 16
  const std::vector<Node> body = {fusion("b", "body"), fusion("b.1", "body"), fusion("c")};
  const Program direct = small_program("jit_step", {loop("while.3", 12, body)});
  const Judged plain = judged(simulate({direct}, {.steps = 2}));
  expect_all_right(plain);
  EXPECT_EQ(plain.verdict.exact, 2 * 12 * 3);

  const Program graphs =
      small_program("jit_step", {fusion("a"), loop("while.3", 12, {graph(body)}), fusion("d")});
  for (const bool nodes : {true, false}) {
    const Judged result = judged(simulate({graphs}, {.steps = 2, .node_ids = nodes}));
    expect_all_right(result);
    EXPECT_EQ(result.counts(), (Counts{{"a", 2}, {"b", 24}, {"b.1", 24}, {"c", 24}, {"d", 2}}));
  }
}

TEST(AttributeLoops, NestedLoopsCountEachLevel) {  // Scenario 17
  const Program program = small_program(
      "jit_step", {fusion("before"),
                   loop("while.1", 3,
                        {fusion("outer", "x"), loop("while.2", 4, {fusion("inner", "y")}),
                         fusion("behind", "x")}),
                   fusion("after")});
  Recording recording = simulate({program}, {.steps = 2});
  strip_hlo_op(recording);
  const Judged result = judged(recording);
  expect_all_right(result);
  EXPECT_EQ(result.verdict.exact, 0);
  EXPECT_EQ(result.counts(),
            (Counts{{"before", 2}, {"outer", 6}, {"inner", 24}, {"behind", 6}, {"after", 2}}));
}

TEST(AttributeLoops, AnUnknownTripCountIsWhatRan) {  // Scenario 18
  const Program program = small_program(
      "jit_step",
      {fusion("a", "x"),
       loop("while.3", std::nullopt, {fusion("b", "y"), fusion("c")}, {fusion("test", "z")}),
       fusion("d", "x")});
  for (const bool masked : {false, true}) {
    Recording recording = simulate({program}, {.steps = 6, .least_trips = 7, .most_trips = 9});
    if (masked) strip_hlo_op(recording);
    const Judged result = judged(recording);
    expect_all_right(result);
    Counts counts = result.counts();
    EXPECT_EQ(counts["b"], counts["c"]);
    EXPECT_EQ(counts["while.3"], counts["b"] + 6) << "every test copies its predicate";
    EXPECT_EQ(counts["test"], counts["b"] + 6);
    std::map<std::uint32_t, int> trips;
    for (const Answer& answer : answers_for(result, "b")) ++trips[answer.execution];
    std::set<int> lengths;
    for (const auto& [execution, count] : trips) lengths.insert(count);
    EXPECT_GT(lengths.size(), 1u) << "the trip count differs from step to step";
  }
}

TEST(AttributeLoops, ACutFromTheMiddleOfAMillionIterationsFindsItsPhase) {  // Scenario 19
  Program program = small_program(
      "jit_step",
      {fusion("a", "x"),
       loop("while.3", 1'000'000, {fusion("b", "y"), fusion("b.1", "y"), fusion("b.2", "z")}),
       fusion("c", "x")});
  // Run fewer iterations than the HLO promises, and of those keep the middle.
  program.facts["while.3"].trips = 1'700;
  Recording recording = simulate({program}, {.steps = 1});
  strip_hlo_op(recording);
  strip_host_events(recording);
  auto& events = recording.devices[0].lines[0].events;
  ASSERT_EQ(events.size(), 5'102u);
  events.erase(events.begin(), events.begin() + 51);  // Begins with the second b of an iteration.
  events.resize(5'000);
  const Judged result = judged(recording);
  expect_all_right(result);
}

Program branches() {
  return small_program("jit_step", {fusion("a"),
                                    branch("conditional.7", {{fusion("f", "shared"), fusion("x")},
                                                             {fusion("g", "shared"), fusion("y")}}),
                                    fusion("z")});
}

TEST(AttributeLoops, NeighboursTellWhichBranchASharedKernelRanIn) {  // Scenario 20
  for (const bool masked : {false, true}) {
    Recording recording = simulate({branches()}, {.steps = 12});
    if (masked) strip_hlo_op(recording);
    const Judged result = judged(recording);
    expect_all_right(result);
    Counts counts = result.counts();
    EXPECT_GT(counts["f"], 0);
    EXPECT_GT(counts["g"], 0);
    EXPECT_EQ(counts["conditional.7"], 12) << "the copies of the predicate";
  }
}

TEST(AttributeLoops, ALoopInsideAGraphRepeatsItsNodes) {  // Scenario 21
  const Program program = small_program(
      "jit_step",
      {graph({fusion("a"), loop("while.3", std::nullopt, {fusion("b", "y"), fusion("c", "y")}),
              fusion("d")})});
  for (const bool nodes : {true, false}) {
    Recording recording = simulate({program}, {.steps = 4, .node_ids = nodes});
    const Judged result = judged(recording);
    expect_all_right(result);
    const auto control = result.of("set_while_condition");
    ASSERT_FALSE(control.empty());
    for (const Answer& answer : control) EXPECT_EQ(answer.rule, Rule::control);
  }
}

TEST(AttributeLoops, DriverKernelsOfConditionalNodesAreNobodys) {  // Scenario 21
  const Program program = small_program("jit_step", {graph({fusion("a"), fusion("b")})});
  Recording recording = simulate({program}, {.steps = 3, .telemetry = true});
  // The driver's own kernel, as XLA's telemetry annotates it.
  const StringId helper = recording.strings.intern("driver_conditional_helper");
  each_event(recording, [&](DeviceEvent& event) {
    if (recording.strings[event.op] != "b") return;
    event.shown_op = helper;
    event.kernel = recording.strings.intern("conditional_set_value_kernel");
    event.op = StringId::empty;
  });
  const Judged result = judged(recording);
  expect_all_right(result);
  for (const Answer& answer : result.of("conditional_set_value_kernel")) {
    EXPECT_EQ(answer.rule, Rule::control);
  }
}

}  // namespace
}  // namespace jaxtrace::synth
