// Graph launches: what runs them, what is learned from all of them together, what XLA says itself.
#include "attribution/scenario.h"

namespace jaxtrace::synth {
namespace {

TEST(AttributeGraphs, ACollectiveBetweenTwoGraphsBoundsBoth) {  // Scenario 4
  const Program program = small_program(
      "jit_step", {graph({fusion("f", "body"), fusion("f.1", "body")}),
                   collective("all-reduce.4", "all-reduce"),
                   graph({fusion("f.2", "body"), fusion("f.3", "body"), fusion("f.4", "body")})});
  for (const bool host : {true, false}) {
    Recording recording = simulate(
        {program}, {.devices = 2, .steps = 3, .node_ids = false, .command_buffer_events = true});
    if (!host) strip_host_events(recording);
    const Judged result = judged(recording);
    expect_all_right(result);
    for (const Answer& answer : answers_for(result, "all-reduce.4")) {
      EXPECT_EQ(answer.match, Match::exact);
      EXPECT_EQ(answer.kind, Kind::collective);
    }
  }
}

/// A graph of 40 kernels, half of which share names.
Program forty() {
  std::vector<Node> nodes;
  for (int i = 0; i < 40; ++i) {
    const std::string number = std::to_string(i);
    nodes.push_back(i % 2 == 0 ? fusion("own_fusion." + number)
                               : fusion("shared." + number, "body " + std::to_string(i % 6)));
  }
  return small_program("jit_step", {graph(nodes)});
}

TEST(AttributeGraphs, DroppedKernelsMisleadFew) {  // Scenario 22
  struct Case {
    double dropped, least;
  };
  for (const Case& one : {Case{0.01, 0.99}, Case{0.05, 0.97}, Case{0.20, 0.95}}) {
    for (const bool nodes : {true, false}) {
      Recording recording = simulate({forty()}, {.steps = 100, .node_ids = nodes});
      drop_events(recording, one.dropped, 5);
      const Judged result = judged(recording);
      std::int64_t shared = 0, wrong = 0;
      std::map<std::pair<std::int64_t, std::string>, std::string> truth;
      for (const TruthRow& row : result.truth) truth[{row.start_ps, row.kernel}] = row.hlo_op;
      for (const Answer& answer : result.answers) {
        const bool right = truth.at({answer.start_ps, answer.kernel}) == answer.op;
        if (answer.kernel.starts_with("own_fusion")) {
          EXPECT_TRUE(right) << "own names are never wrong: " << answer.kernel << answer.op;
          continue;
        }
        ++shared;
        wrong += !right;
      }
      const double share = 1 - static_cast<double>(wrong) / static_cast<double>(shared);
      EXPECT_GE(share, one.least) << one.dropped << " nodes " << nodes;
      EXPECT_EQ(result.answers.size(), result.truth.size());
      EXPECT_TRUE(!nodes || wrong == 0) << "the other launches say which node is gone";
    }
  }
}

TEST(AttributeGraphs, DirectRunsTeachWhatGraphsRun) {  // Scenario 32
  const Program program = small_program(
      "jit_step",
      {graph({fusion("a"), gemm("gemm.1", {"kernel_of_one"}), gemm("gemm.2", {"kernel_of_two"}),
              custom("ffi.3", "x", {"third", "fourth"}), fusion("b")})});
  Recording recording = simulate({program}, {.steps = 10, .node_ids = false, .warm_up_steps = 1});
  reorder_in_graphs(recording, 0.3, 4);
  const Judged result = judged(recording);
  expect_all_right(result);
  EXPECT_EQ(result.verdict.exact, 6) << "the first step ran directly";
}

Program concurrent() {
  return small_program(
      "jit_step",
      {graph({fusion("a", "one"), fusion("b", "two"), fusion("a.1", "one"), fusion("own.1"),
              fusion("b.1", "two"), fusion("a.2", "one"), fusion("own.2"), fusion("b.2", "two")})});
}

TEST(AttributeGraphs, NodeIdsPutConcurrentKernelsInOrder) {  // Scenario 33
  Recording recording = simulate({concurrent()}, {.devices = 2, .steps = 10});
  reorder_in_graphs(recording, 0.5, 9);
  expect_all_right(judged(recording));
}

TEST(AttributeGraphs, WithoutNodeIdsOwnNamesSurviveConcurrency) {  // Scenario 33
  Recording recording = simulate({concurrent()}, {.devices = 2, .steps = 10, .node_ids = false});
  reorder_in_graphs(recording, 0.5, 9);
  const Judged result = judged(recording);
  int unsure = 0;
  for (const Answer& answer : result.answers) {
    if (answer.kernel.starts_with("own")) {
      EXPECT_EQ(answer.op, answer.kernel == "own_1" ? "own.1" : "own.2");
    }
    unsure += answer.match == Match::order && answer.confidence < 950;
  }
  EXPECT_GT(unsure, 0) << "confidence tells that kernels ran out of order";
}

TEST(AttributeGraphs, GraphsRecordedAnewAreLearnedAnew) {  // Scenario 34
  for (const bool nodes : {true, false}) {
    Recording recording = simulate({concurrent()}, {.devices = 2,
                                                    .steps = 8,
                                                    .node_ids = nodes,
                                                    .rerecord_at_step = 4,
                                                    .command_buffer_events = true});
    const Judged result = judged(recording);
    expect_all_right(result);
    std::set<std::uint64_t> graphs;
    for (const Answer& answer : result.answers) {
      const auto row = static_cast<std::size_t>(result.trace.events.annotation[answer.event]);
      graphs.insert(result.trace.annotations[row].graph_id);
    }
    EXPECT_EQ(graphs.size(), 4u) << "two graphs on each of two devices";
  }
}

TEST(AttributeGraphs, TelemetryNamesGraphKernelsItself) {  // Scenario 35
  const Judged result = judged(simulate({concurrent()}, {.steps = 3, .telemetry = true}));
  expect_all_right(result);
  expect_all_match(result, Match::exact);
  for (const Answer& answer : result.answers) EXPECT_TRUE(answer.in_graph);
}

TEST(AttributeGraphs, CommandBuffersThatProfilingTurnedOffHideNothing) {  // Scenario 36
  for (const bool suffix : {true, false}) {
    Recording recording =
        simulate({concurrent()}, {.steps = 3, .graphs = false, .profiling_warning = !suffix});
    if (suffix) {
      each_event(recording, [&](DeviceEvent& event) {
        const std::string noted =
            std::string(recording.strings[event.shown_op]) + " (disabled for profiling)";
        event.shown_op = recording.strings.intern(noted);
      });
    }
    const Judged result = judged(recording);
    expect_all_right(result);
    expect_all_match(result, Match::exact);
  }
}

TEST(AttributeGraphs, AWholeGraphAsOneEventIsNoInstructions) {
  Recording recording = simulate({concurrent()}, {.steps = 3});
  collapse_graphs(recording);
  const Judged result = judged(recording);
  expect_all_right(result);
  ASSERT_EQ(result.answers.size(), 3u);
  for (const Answer& answer : result.answers) {
    EXPECT_EQ(answer.rule, Rule::whole_graph);
    EXPECT_EQ(answer.kind, Kind::graph);
  }
}

}  // namespace
}  // namespace jaxtrace::synth
