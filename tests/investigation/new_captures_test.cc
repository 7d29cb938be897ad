// The questions that a capture leaves open, and the recordings that answer them.
#include "investigation/new_captures.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "attribution/scenario.h"
#include "investigation/link_benchmark.h"
#include "investigation/top_kernels.h"
#include "investigation/whole.h"
#include "support/world.h"

namespace jaxtrace {
namespace {

using synth::DeviceEvent;
using synth::Recording;
using world::kUs;
using world::World;

/// The capture whose recording mentions `text`; nullptr if none does.
const NewCapture* that_says(const std::vector<NewCapture>& list, std::string_view text) {
  const auto at = std::ranges::find_if(
      list, [&](const NewCapture& one) { return one.capture.find(text) != std::string::npos; });
  return at == list.end() ? nullptr : &*at;
}

TEST(NewCaptures, APythonTracerThatWasOnIsToBeOff) {
  World world{.steps = 11};
  EXPECT_EQ(that_says(Whole(world::run(world).recording).captures(), "python_tracer_level = 0"),
            nullptr);
  world.frames = true;
  const std::vector<NewCapture> list = Whole(world::run(world).recording).captures();
  const NewCapture* const asked = that_says(list, "python_tracer_level = 0");
  ASSERT_NE(asked, nullptr);
  EXPECT_EQ(asked->command, "jaxtrace skip-stats NEW");
}

TEST(NewCaptures, FewStepsAreToBeMore) {
  EXPECT_NE(that_says(Whole(world::run({.steps = 4}).recording).captures(), "StepTraceAnnotation"),
            nullptr);
  EXPECT_EQ(that_says(Whole(world::run({.steps = 11}).recording).captures(), "StepTraceAnnotation"),
            nullptr);
}

TEST(NewCaptures, AHostBoundProgramIsSweptOverItsBatch) {
  const World bound{.steps = 11, .kernel = 5 * kUs, .sync = true, .python = 2000 * kUs};
  const std::vector<NewCapture> list = Whole(world::run(bound).recording).captures();
  const NewCapture* const sweep = that_says(list, "batches 2, 4 and 8");
  ASSERT_NE(sweep, nullptr);
  EXPECT_EQ(sweep->command, "jaxtrace skip-stats CAPTURE --sweep NEW2 NEW4 NEW8");
  const World busy{.steps = 11, .kernel = 100 * kUs};
  EXPECT_EQ(that_says(Whole(world::run(busy).recording).captures(), "batches 2, 4 and 8"), nullptr);
}

TEST(NewCaptures, WhatIsMissingComesFirst) {
  Recording recording = synth::simulate(
      {synth::small_program("jit_step", {synth::fusion("a"), synth::fusion("b")})}, {.steps = 12});
  synth::erase_events(recording, [](const DeviceEvent& event) { return event.step > 3; });
  const std::vector<NewCapture> list = Whole(recording).captures();
  ASSERT_FALSE(list.empty());
  EXPECT_EQ(list.front().question, "What did the runs do whose kernels are missing?");
}

TEST(NewCaptures, AStragglerIsMovedToAnotherPlace) {
  const World world{
      .devices = 4, .steps = 11, .collectives = 3, .slow_device = 2, .slow_percent = 50};
  const std::vector<NewCapture> list = Whole(world::run(world).recording).captures();
  const NewCapture* const moved = that_says(list, "CUDA_VISIBLE_DEVICES=2,1,0,3 COMMAND");
  ASSERT_NE(moved, nullptr);
  EXPECT_NE(moved->question.find("GPU:2"), std::string::npos) << moved->question;
}

TEST(NewCaptures, DoubtfulAnswersAreCheckedAgainstACaptureWithoutGraphs) {
  std::vector<synth::Node> nodes;
  for (int i = 0; i < 12; ++i) nodes.push_back(synth::fusion("k." + std::to_string(i), "x"));
  Recording recording = synth::simulate({synth::small_program("jit_step", {synth::graph(nodes)})},
                                        {.steps = 8, .node_ids = false});
  EXPECT_EQ(that_says(Whole(recording).captures(), "xla_gpu_enable_command_buffer="), nullptr);
  synth::drop_events(recording, 0.1, 5);
  synth::each_event(recording, [](DeviceEvent& event) { event.duration_ps = 5 * kUs; });
  const std::vector<NewCapture> list = Whole(recording).captures();
  const NewCapture* const off = that_says(list, "xla_gpu_enable_command_buffer=");
  ASSERT_NE(off, nullptr);
  EXPECT_EQ(off->command, "jaxtrace attribute CAPTURE --check NEW");
}

TEST(NewCaptures, KernelsAreTracedWithTheToolsOfTheirVendor) {
  World world{.steps = 11, .kernel = 100 * kUs};
  const std::vector<NewCapture> cuda = Whole(world::run(world).recording).captures();
  EXPECT_NE(that_says(cuda, "ncu --set full --kernel-name regex:"), nullptr);
  EXPECT_EQ(that_says(cuda, "rocprofv3"), nullptr);
  world.style = synth::Style::rocm;
  const std::vector<NewCapture> rocm = Whole(world::run(world).recording).captures();
  ASSERT_NE(that_says(rocm, "rocprofv3 --att"), nullptr);
  EXPECT_EQ(that_says(rocm, "rocprofv3 --att")->command, "jaxtrace hotspot att --plan");
  ASSERT_NE(that_says(rocm, "rocprofv3 --pmc TCC_HIT_sum"), nullptr);
  EXPECT_EQ(that_says(rocm, "rocprofv3 --pmc TCC_HIT_sum")->command, "jaxtrace pmc-l2 hits reads");
  EXPECT_EQ(that_says(rocm, "ncu "), nullptr);
  EXPECT_EQ(&rocm.front(), that_says(rocm, "rocprofv3 --att")) << "the GPU is what limits";
}

TEST(LinkBenchmark, IsThatOfTheCollectivesWithMostTime) {
  const std::string rows = R"(
    C gpu0 s1 [0,5) name fusion
    X gpu0 s1 [10,20) name ncclDevKernel_AllReduce_Sum_f32_RING_LL
    X gpu0 s1 [30,35) name ncclDevKernel_AllGather_RING_LL
    X gpu0 s1 [40,47) name ncclDevKernel_AllGather_RING_SIMPLE)";
  EXPECT_EQ(link_benchmark(Whole(rows).in()), "all_gather_perf");
  const std::string sends = "X gpu0 s1 [0,5) name ncclDevKernel_SendRecv";
  EXPECT_EQ(link_benchmark(Whole(sends).in()), "sendrecv_perf");
  const std::string none = "C gpu0 s1 [0,5) name fusion";
  EXPECT_EQ(link_benchmark(Whole(none).in()), "all_reduce_perf") << "for want of anything better";
}

TEST(TopKernels, AreNamedAsShortAsTellsThemApart) {
  const std::string tuned = "Cijk_" + std::string(300, 'A') + "_MT64";
  Recording recording = world::run({.steps = 3, .kernels = 8}).recording;
  const StringId names[] = {
      recording.strings.intern("void ck::kentry<1, ck::FmhaBwdKernel<2> >(ck::Args) [clone .kd]"),
      recording.strings.intern("void ck::kentry<2, ck::FmhaFwdKernel<2> >(ck::Args) [clone .kd]"),
      recording.strings.intern("loop_fusion.kd"), recording.strings.intern(tuned + ".kd")};
  std::int64_t kernel = 0;
  synth::each_event(recording, [&](DeviceEvent& event) {
    event.kernel = names[kernel % 4];
    event.duration_ps = (10 - kernel % 4) * kUs;
    ++kernel;
  });
  const Whole whole(recording);
  const std::vector<TopKernel> top = top_kernels(whole.in(), 4, 0.01);
  ASSERT_EQ(top.size(), 4u);
  EXPECT_EQ(top[0].pattern, "FmhaBwdKernel");
  EXPECT_EQ(top[1].pattern, "FmhaFwdKernel");
  EXPECT_EQ(top[2].pattern, "loop_fusion");
  EXPECT_EQ(top[3].pattern, tuned.substr(0, 64));
  double sum = 0;
  for (const TopKernel& one : top) sum += one.share;
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_EQ(top_kernels(whole.in(), 2, 0.01).size(), 2u);
  EXPECT_EQ(top_kernels(whole.in(), 4, 0.25).size(), 2u);
}

}  // namespace
}  // namespace jaxtrace
