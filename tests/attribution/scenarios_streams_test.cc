// Several streams, devices and collectives: what overlaps in time is still launched in order.
#include "attribution/scenario.h"

namespace jaxtrace::synth {
namespace {

TEST(AttributeStreams, AsynchronousWorkGoesToWhatIsWrapped) {  // Scenario 26
  const Program program = small_program(
      "jit_step",
      {fusion("a", "x"),
       async("fusion-start.1", {fusion("wrapped_fusion", "w")},
             {fusion("m", "x"), fusion("m.1", "x"), fusion("m.2", "x"), fusion("m.3", "x")}),
       fusion("b", "x")});
  for (const bool masked : {false, true}) {
    Recording recording = simulate({program}, {.steps = 4});
    if (masked) strip_hlo_op(recording);
    const Judged result = judged(recording);
    expect_all_right(result);
    EXPECT_EQ(result.counts()["wrapped_fusion"], 4);
  }
}

TEST(AttributeStreams, CollectivesAreToldApartByPrimitiveAndOrder) {  // Scenario 27
  const Program program = small_program(
      "jit_step",
      {async("all-gather-start.1", {collective("all-gather.1", "all-gather")},
             {fusion("c", "x"), fusion("c.1", "x")}),
       async("async-start.2", {collective("reduce-scatter.2", "reduce-scatter")},
             {fusion("c.2", "x")}),
       async("collective-permute-start.3",
             {collective("collective-permute.3", "collective-permute")}, {fusion("c.3", "x")}),
       collective("all-reduce.4", "all-reduce"), fusion("c.4", "x"),
       collective("all-reduce.5", "all-reduce")});
  for (const Style style : {Style::cuda, Style::rocm}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {  // Some RCCLs have one kernel for everything.
      Recording recording =
          simulate({program}, {.style = style, .devices = 4, .steps = 3, .seed = seed});
      strip_hlo_op(recording);
      const Judged result = judged(recording);
      expect_all_right(result);
      for (const Answer& answer : result.answers) {
        EXPECT_EQ(answer.op.find("-done"), std::string::npos) << answer.op;
      }
      EXPECT_EQ(result.counts()["all-reduce.4"], 12);
    }
  }
}

TEST(AttributeStreams, AGroupOfCollectivesIsOneKernelOfItsStart) {  // Scenario 28
  const Program program = small_program(
      "jit_step",
      {fusion("a", "x"),
       async("async-start.4",
             {collective("all-to-all.1", "all-to-all"), collective("all-to-all.2", "all-to-all"),
              collective("collective-permute.3", "collective-permute")},
             {fusion("b", "x")}),
       fusion("c", "x")});
  for (const bool masked : {false, true}) {
    Recording recording = simulate({program}, {.devices = 2, .steps = 3});
    if (masked) strip_hlo_op(recording);
    const Judged result = judged(recording);
    expect_all_right(result);
    EXPECT_EQ(result.counts()["async-start.4"], 6);
  }
}

TEST(AttributeStreams, EveryDeviceIsSolvedByItself) {  // Scenario 29
  const Program program = small_program(
      "jit_step",
      {fusion("a", "x"),
       graph({fusion("b", "y"), fusion("b.1", "y"), fusion("own"), fusion("b.2", "y")}),
       loop("while.3", 3, {graph({fusion("d", "z"), fusion("d.1", "z")})}), fusion("c", "x")});
  for (const bool nodes : {true, false}) {
    Recording recording = simulate({program}, {.devices = 8, .steps = 6, .node_ids = nodes});
    join_late(recording, 3, 2);
    drop_events_of(recording, 5, 0.1, 2);
    const Judged result = judged(recording);
    std::map<std::string, std::pair<int, int>> per_device;  // right, all
    std::map<std::tuple<std::string, std::int64_t, std::string>, std::string> truth;
    for (const TruthRow& row : result.truth) {
      truth[{row.device, row.start_ps, row.kernel}] = row.hlo_op;
    }
    for (const Answer& answer : result.answers) {
      auto& [right, all] = per_device[answer.device];
      ++all;
      right += truth.at({answer.device, answer.start_ps, answer.kernel}) == answer.op;
    }
    ASSERT_EQ(per_device.size(), 8u);
    for (const auto& [device, counts] : per_device) {
      if (device == "/device:GPU:5") {
        EXPECT_GE(counts.first * 100, counts.second * 95);
      } else {
        EXPECT_EQ(counts.first, counts.second) << device;
      }
    }
    EXPECT_EQ(per_device["/device:GPU:3"].second, 4 * 12);
    EXPECT_EQ(per_device["/device:GPU:0"].second, 6 * 12);
  }
}

TEST(AttributeStreams, DerivedLinesAreNoWork) {  // Scenario 39
  const Program program = small_program("jit_step", {graph({fusion("a"), fusion("b")}), gemm("g")});
  Recording recording = simulate({program}, {.devices = 2, .steps = 3});
  const Judged without = judged(recording);
  add_derived_lines(recording);
  const Judged with = judged(xspace_bytes(recording), without.truth);
  expect_all_right(with);
  EXPECT_EQ(with.answers.size(), without.answers.size());
}

TEST(AttributeStreams, CopiesOutsideOfExecutionsStealNothing) {
  const Program program = small_program(
      "jit_step", {graph({fusion("a", "x"), copy("copy.1"), fusion("a.1", "x")}), copy("copy.2")});
  for (const Style style : {Style::cuda, Style::rocm, Style::roctracer}) {
    Recording recording = simulate({program}, {.style = style, .devices = 2, .steps = 4});
    add_foreign_copies(recording, 6, 3);
    const Judged result = judged(recording);
    expect_all_right(result);
    EXPECT_EQ(std::ranges::count(result.answers, Rule::outside_execution, &Answer::rule), 12);
  }
}

}  // namespace
}  // namespace jaxtrace::synth
