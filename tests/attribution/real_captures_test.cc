// Captures that people published: the tracer's own word is believed, and found again when hidden.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "attribution/ops.h"
#include "attribution/sums.h"
#include "proto/xplane.pb.h"
#include "support/capture.h"
#include "support/mask.h"
#include "support/program.h"
#include "support/truth.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

class AttributeRealCaptures : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (real_captures().empty()) GTEST_SKIP() << "left out: JAXTRACE_CAPTURES is not set";
  }

  static pb::XSpace read(const std::string& name) {
    pb::XSpace space;
    for (const auto& entry : fs::directory_iterator(real_captures() / "jax-rocm" / name)) {
      if (entry.path().string().ends_with(".xplane.pb")) {
        space.ParseFromString(read_file(entry.path()));
      }
    }
    EXPECT_GT(space.planes_size(), 0) << name;
    return space;
  }

  static Judged hidden(const std::string& name, const synth::MaskOptions& options) {
    pb::XSpace space = read(name);
    const auto truth = synth::mask_capture(space, options);
    return judged(bytes_of(space), truth);
  }
};

TEST_P(AttributeRealCaptures, KernelsThatNameTheirInstructionAreExact) {
  pb::XSpace masked = read(GetParam());
  const std::string bytes = bytes_of(masked);
  const auto truth = synth::mask_capture(masked, {});
  const Judged result = judged(bytes, truth);
  EXPECT_GT(result.verdict.events, 20);
  EXPECT_EQ(result.verdict.exact, result.verdict.events) << result.verdict;
  EXPECT_EQ(result.verdict.wrong, 0) << result.verdict;
  EXPECT_EQ(result.verdict.absent, 0) << result.verdict;
}

TEST_P(AttributeRealCaptures, TotalsAreTheSumOfTheFile) {
  const pb::XSpace space = read(GetParam());
  std::int64_t raw_ps = 0, raw_events = 0;
  for (const pb::XPlane& plane : space.planes()) {
    if (!plane.name().starts_with("/device:GPU:")) continue;
    for (const pb::XLine& line : plane.lines()) {
      if (!line.name().starts_with("Stream #")) continue;
      raw_events += line.events_size();
      for (const pb::XEvent& event : line.events()) raw_ps += event.duration_ps();
    }
  }
  const Judged result = judged(bytes_of(space), {});
  const Ops ops = find_ops(result.trace, result.attribution);
  const Sums sums =
      add_up(result.trace, result.attribution, ops, counted_labels(result.attribution, {}));
  EXPECT_EQ(sums.all.total_ps + sums.damaged.total_ps, raw_ps);
  EXPECT_EQ(sums.all.kernels + sums.damaged.kernels, raw_events);
}

TEST_P(AttributeRealCaptures, HiddenInstructionsAreFoundAgain) {
  for (const synth::Mask mask : {synth::Mask::strip, synth::Mask::graph}) {
    const char* const way = mask == synth::Mask::strip ? "stripped" : "as one graph";
    const Judged whole = hidden(GetParam(), {.mask = mask});
    EXPECT_GE(whole.verdict.share(), 0.995) << way << ": " << whole.verdict;
    EXPECT_EQ(whole.verdict.exact, 0) << "nothing says it any more";

    std::int64_t right = 0, events = 0;
    double least = 1;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Judged dropped = hidden(GetParam(), {.mask = mask, .drop = 0.05, .seed = seed});
      EXPECT_GE(dropped.verdict.share(), 0.97)
          << way << ", seed " << seed << ": " << dropped.verdict;
      right += dropped.verdict.right;
      events += dropped.verdict.events;
      least = std::min(least, dropped.verdict.share());
    }
    std::cout << GetParam() << ", " << way << ": " << whole.verdict.right << " of "
              << whole.verdict.events << "; with 5 % dropped " << right << " of " << events
              << " over five seeds, least " << 100 * least << " %\n";
  }
}

INSTANTIATE_TEST_SUITE_P(JaxRocm, AttributeRealCaptures,
                         testing::Values("conv-mi300x-jax08", "conv-mi300x-legacy",
                                         "te-attention-mi355x"),
                         [](const auto& name) {
                           std::string text = name.param;
                           std::ranges::replace(text, '-', '_');
                           return text;
                         });

using AttributeRealCapture = AttributeRealCaptures;

TEST_F(AttributeRealCapture, LinesAreThoseOfTheUser) {
  const Judged result = judged(bytes_of(read("te-attention-mi355x")), {});
  const Ops ops = find_ops(result.trace, result.attribution);
  const auto op = std::ranges::find(ops.rows, "te_fused_attn_backward_ffi.12", &Op::name);
  ASSERT_NE(op, ops.rows.end());
  EXPECT_TRUE(op->source.user.file.ends_with("12_te_fused_attn.py")) << op->source.user.file;
  EXPECT_EQ(op->source.user.line, 77);
  EXPECT_TRUE(op->source.primary.file.ends_with("attention.py")) << op->source.primary.file;
}

TEST_F(AttributeRealCapture, KernelsThatLostTheirAnnotationComeOutByTheirNeighbours) {
  const Judged result = judged(bytes_of(read("conv-mi300x-jax08")), {});
  std::vector<Answer> lost;
  for (const Answer& answer : result.answers) {
    if (result.trace.events.correlation[answer.event] == 477) lost.push_back(answer);
  }
  ASSERT_EQ(lost.size(), 2u);
  EXPECT_EQ(lost[0].op, "input_transpose_fusion.1");
  EXPECT_EQ(lost[1].op, "cudnn-conv.1");
  for (const Answer& answer : lost) {
    EXPECT_TRUE(answer.match == Match::name || answer.match == Match::order);
    EXPECT_FALSE(answer.in_graph);
  }
}

}  // namespace
}  // namespace jaxtrace
