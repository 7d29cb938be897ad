// Kernels that XLA did not name: library calls, copies and fills between those that it did.
#include "attribution/scenario.h"

namespace jaxtrace::synth {
namespace {

constexpr const char* kMain = "nvjet_hsh_128x128_64x4_1x2_h_bz_coopA_NNN";
constexpr const char* kSplitK =
    "void cublasLt::splitKreduce_kernel<32, 16, int, float>(cublasLt::cublasSplitKParams<float>)";

TEST(AttributeLibraries, SplitKReductionsStayWithTheirGemm) {  // Scenario 9
  const Words both = {kMain, kSplitK};
  const Program apart = small_program(
      "jit_step", {graph({fusion("a"), gemm("gemm.1", both), fusion("b"), gemm("gemm.2", both),
                          fusion("c"), gemm("gemm.3", both), fusion("d")})});
  const Program together =
      small_program("jit_step", {graph({fusion("a"), gemm("gemm.1", both), gemm("gemm.2", both),
                                        gemm("gemm.3", both), fusion("d")})});
  for (const Program& program : {apart, together}) {
    for (const bool nodes : {true, false}) {
      const Judged result = judged(simulate({program}, {.steps = 2, .node_ids = nodes}));
      expect_all_right(result);
      for (const Answer& answer : result.of(kSplitK)) EXPECT_EQ(answer.match, Match::order);
      EXPECT_EQ(result.counts()["gemm.2"], 4);
    }
  }
}

TEST(AttributeLibraries, EqualGemmsAreToldApartByPlaceNotByDuration) {  // Scenario 10
  const Program program = small_program(
      "jit_step", {graph({fusion("a"), gemm("gemm.1", {kMain}), gemm("gemm.2", {kMain})})});
  Recording recording = simulate({program}, {.steps = 4, .node_ids = false});
  // In every other step the first one takes ten times as long as the second, else the reverse.
  each_event(recording, [&](DeviceEvent& event) {
    const std::string_view op = recording.strings[event.op];
    if (op == "a") return;
    event.duration_ps = ((op == "gemm.1") == (event.step % 2 == 0)) ? 1'900'000 : 190'000;
  });
  const Judged result = judged(recording);
  expect_all_right(result);
  for (const Answer& answer : result.of(kMain)) EXPECT_EQ(answer.match, Match::order);
}

TEST(AttributeLibraries, HelpersOfAConvolutionMayVaryFromStepToStep) {  // Scenario 11
  const Program program = small_program(
      "jit_step", {fusion("a"), custom("cudnn-conv.1", "__cudnn$convForward"), fusion("b"),
                   custom("cudnn-conv-bw.2", "__cudnn$convBackwardFilter"), fusion("c")});
  for (const Style style : {Style::cuda, Style::rocm}) {
    Recording recording = simulate({program}, {.style = style, .steps = 12, .vary_helpers = true});
    strip_hlo_op(recording);
    const Judged result = judged(recording);
    expect_all_right(result);
    std::set<std::size_t> lengths;
    std::map<std::uint32_t, std::size_t> per_step;
    for (const Answer& answer : answers_for(result, "cudnn-conv.1")) ++per_step[answer.execution];
    for (const auto& [execution, count] : per_step) lengths.insert(count);
    EXPECT_GT(lengths.size(), 1u) << "the helpers did vary";
  }
}

TEST(AttributeLibraries, AFusionBetweenSeparatesCustomCalls) {  // Scenario 12
  const Program program = small_program(
      "jit_step", {fusion("before"),
                   custom("te_fused_attn_forward_ffi.7", "te_fused_attn_forward_ffi",
                          {"kentry<1>", "kentry<2>"}),
                   fusion("between"),
                   custom("te_fused_attn_backward_ffi.12", "te_fused_attn_backward_ffi",
                          {"Memset", "Memset", "kentry<3>", "kentry<4>", "kentry<5>"}),
                   fusion("after")});
  for (const Style style : {Style::cuda, Style::rocm}) {
    Recording recording = simulate({program}, {.style = style, .steps = 3});
    strip_hlo_op(recording);
    const Judged result = judged(recording);
    expect_all_right(result);
    EXPECT_EQ(result.counts()["te_fused_attn_forward_ffi.7"], 6);
    EXPECT_EQ(result.counts()["te_fused_attn_backward_ffi.12"], 15);
  }
}

TEST(AttributeLibraries, WhatTheTracerSaidOfAKernelIsKnownHoweverUnsureAnotherIs) {
  const Program program = small_program(
      "jit_step",
      {fusion("a"), custom("cudnn-conv.1", "__cudnn$convForward", {"Im3d2Col", "Cijk_MT256x128"}),
       fusion("b")});
  Recording recording = simulate({program}, {.style = Style::rocm, .steps = 4, .graphs = false});
  each_event(recording, [&](DeviceEvent& event) {
    if (event.step != 2) return;
    if (recording.strings[event.kernel].starts_with("Im3d2Col")) event.shown_op = StringId::empty;
    if (recording.strings[event.op] != "b") return;
    event.shown_op = event.op = StringId::empty;
    event.kernel = recording.strings.intern("__amd_rocclr_copyBuffer.kd");
  });
  const Judged result = judged(recording);
  expect_all_right(result);
  EXPECT_EQ(result.counts()[""], 1) << "one that nothing explains, so there is a second look";
  int lost = 0;
  for (const Answer& answer : answers_for(result, "cudnn-conv.1")) {
    if (!answer.kernel.starts_with("Im3d2Col") || answer.match == Match::exact) continue;
    EXPECT_EQ(answer.rule, Rule::warm_up);
    EXPECT_EQ(answer.confidence, 970);
    ++lost;
  }
  EXPECT_EQ(lost, 1);
}

Program adjacent_calls() {
  return small_program("jit_step", {graph({fusion("a"), custom("ffi.1", "one", {"k<1>", "k<2>"}),
                                           custom("ffi.2", "two", {"k<3>"}), fusion("b")})});
}

TEST(AttributeLibraries, NothingTellsWhereOneCustomCallEndsAndTheNextBegins) {  // Scenario 13
  const Judged result = judged(simulate({adjacent_calls()}, {.steps = 3, .node_ids = false}));
  EXPECT_EQ(result.of("k<1>")[0].op, "ffi.1");
  EXPECT_EQ(result.of("k<3>")[0].op, "ffi.2");
  for (const Answer& answer : result.of("k<2>")) {
    EXPECT_LT(answer.confidence, 700) << answer.op << ' ' << text(answer.rule);
    EXPECT_EQ(answer.match, Match::order);
  }
}

TEST(AttributeLibraries, AWarmUpRunTellsWhereOneCustomCallEnds) {  // Scenarios 13 and 32
  const Judged result =
      judged(simulate({adjacent_calls()}, {.steps = 3, .node_ids = false, .warm_up_steps = 1}));
  expect_all_right(result);
}

Program with_copies() {
  return small_program(
      "jit_step",
      {graph({fusion("a", "body"), copy("copy.1"), fusion("a.1", "body"),
              custom("reduce.5", "column_reduction", {"Memset", "column_reduce_kernel"}),
              fusion("a.2", "body"), copy("copy.2", 64), fusion("a.3", "body")})});
}

TEST(AttributeLibraries, CopiesAndFillsAreWorkOfTheirInstructions) {  // Scenario 14
  for (const Style style : {Style::cuda, Style::rocm, Style::roctracer}) {
    const Judged result =
        judged(simulate({with_copies()}, {.style = style, .steps = 3, .node_ids = false}));
    expect_all_right(result);
    for (const Answer& answer : answers_for(result, "copy.1")) {
      EXPECT_EQ(answer.kind, Kind::memcpy) << answer.kernel;
    }
    EXPECT_EQ(std::ranges::count(result.answers, Kind::memset, &Answer::kind), 3);
  }
}

TEST(AttributeLibraries, CopiesThatAmdsTracerLosesShiftNothing) {  // Scenario 14
  Recording recording = simulate({with_copies()}, {.style = Style::rocm, .steps = 3});
  erase_events(recording, [&](const DeviceEvent& event) {
    return recording.strings[event.kernel].starts_with("__amd_rocclr_copyBuffer");
  });
  const Judged result = judged(recording);
  expect_all_right(result);
  EXPECT_EQ(result.verdict.events, 3 * 6);
}

TEST(AttributeLibraries, ACopyOntoItselfLeavesNoGap) {  // Scenario 15
  const Program program = small_program(
      "jit_step", {graph({fusion("a", "body"), nothing("copy.1", "copy"), fusion("a.1", "body"),
                          copy("copy.2"), nothing("copy.3", "copy"), fusion("a.2", "body"),
                          nothing("bitcast.4"), fusion("b")})});
  for (const bool nodes : {true, false}) {
    const Judged result = judged(simulate({program}, {.steps = 2, .node_ids = nodes}));
    expect_all_right(result);
    EXPECT_FALSE(result.counts().contains("bitcast.4"));
    EXPECT_GE(answers_for(result, "a.2")[0].confidence, 850);
  }
}

TEST(AttributeLibraries, KernelsThatLostTheirAnnotationAreNoGraph) {  // Scenario 45
  const Program program = small_program(
      "jit_conv", {fusion("wrapped_convert"), fusion("input_transpose_fusion.1", "transpose"),
                   custom("cudnn-conv.1", "__cudnn$convForward", {"Im3d2Col"}),
                   fusion("loop_add_fusion"), fusion("input_transpose_fusion.2", "transpose")});
  for (const Style style : {Style::rocm, Style::cuda}) {
    Recording recording = simulate({program}, {.style = style, .steps = 5});
    wrong_correlations(recording, 2, 3);
    const Judged result = judged(recording);
    expect_all_right(result);
    int lost = 0;
    for (const Answer& answer : result.answers) {
      EXPECT_FALSE(answer.in_graph) << "a stream wait launches no graph";
      EXPECT_EQ(answer.program_id, 17);
      if (answer.match == Match::exact) continue;
      ++lost;
      EXPECT_TRUE(answer.match == Match::name || answer.match == Match::order);
    }
    EXPECT_EQ(lost, 4);
  }
}

}  // namespace
}  // namespace jaxtrace::synth
