// Programs as XLA compiled them: six captures that another writer made of them, and whatever the
// generator can make of all of them.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "commands/attribute/check.h"
#include "proto/xplane.pb.h"
#include "support/capture.h"
#include "support/mutate.h"
#include "support/simulate.h"
#include "support/thunks.h"
#include "support/truth.h"
#include "support/xla_programs.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;
using synth::Style;

Style style_of(const std::string& folder) {
  return folder.find("mi300x") == std::string::npos ? Style::cuda : Style::rocm;
}

/// Programs with XLA's own thunks: of testdata/, and of the goldens where those are there.
struct Compiled {
  std::string name;
  synth::Program program;
};

std::vector<Compiled> compiled() {
  std::vector<Compiled> out;
  for (const fs::path& folder : program_folders()) {
    out.push_back({folder.filename().string(), synth::load_program(folder)});
  }
  return out;
}

/// Sums for the record.
struct Tally {
  std::int64_t captures = 0, kernels = 0, right = 0;
  double least = 1;
  std::string least_name = "none";

  void add(const std::string& name, const Score& verdict) {
    ++captures;
    kernels += verdict.events;
    right += verdict.right;
    if (verdict.share() < least) {
      least = verdict.share();
      least_name = name;
    }
  }
  void print(const char* what) const {
    std::cout << what << ": " << captures << " captures, " << right << " of " << kernels
              << " kernels right, least " << 100 * least << " % (" << least_name << ")\n";
  }
};

void expect_all_right(const Score& verdict) {
  EXPECT_GT(verdict.events, 0);
  EXPECT_EQ(verdict.wrong, 0) << verdict;
  EXPECT_EQ(verdict.exact_wrong, 0) << verdict;
  EXPECT_EQ(verdict.absent, 0) << verdict;
}

/// The capture without the ids of its graph nodes.
std::string without_node_ids(const std::string& bytes) {
  pb::XSpace space;
  space.ParseFromString(bytes);
  for (pb::XPlane& plane : *space.mutable_planes()) {
    for (auto& stat : *plane.mutable_stat_metadata()) {
      if (stat.value().name() == "cuda_graph_node_id") stat.mutable_value()->set_name("not_known");
    }
  }
  return bytes_of(space);
}

TEST(AttributeGoldens, CapturesOfAnotherWriter) {
  if (real_captures().empty()) GTEST_SKIP() << "left out: JAXTRACE_CAPTURES is not set";
  const fs::path folder = real_captures() / ".." / "goldens" / "graph-captures";
  Tally with, without;
  for (const char* name : {"control-h100", "convnet-mi300x", "gpt-h100", "gpt-jax0435-h100",
                           "gpt_scan-mi300x", "mlp_fsdp-h100"}) {
    SCOPED_TRACE(name);
    const std::string bytes = synth::read_maybe_gzip(folder / name / "host0.xplane.pb.gz");
    const auto truth = read_truth(synth::read_maybe_gzip(folder / name / "truth.csv.gz"), "host0");
    const Judged whole = judged(bytes, truth);
    expect_all_right(whole.verdict);
    EXPECT_EQ(static_cast<std::size_t>(whole.verdict.events), truth.size());
    with.add(name, whole.verdict);
    const Judged unnumbered = judged(without_node_ids(bytes), truth);
    EXPECT_TRUE(unnumbered.trace.events.graph_node.empty());
    expect_all_right(unnumbered.verdict);
    without.add(name, unnumbered.verdict);
  }
  with.print("another writer's captures");
  without.print("the same without node ids");
}

TEST(AttributeGoldens, EveryKernelOfEveryProgramWhenNothingIsMissing) {
  Tally tally, unnumbered;
  std::uint64_t seed = 0;
  for (const Compiled& one : compiled()) {
    ++seed;
    for (const int devices : {1, 2 + static_cast<int>(seed % 7)}) {
      SCOPED_TRACE(one.name + " on " + std::to_string(devices));
      const Style style = style_of(one.name);
      synth::Recording recording = synth::simulate(
          {one.program}, {.style = style, .devices = devices, .steps = 3, .seed = seed});
      if (style == Style::cuda) {
        reorder_in_graphs(recording, 0.2, seed);
        const Judged reordered = judged(recording);
        expect_all_right(reordered.verdict);
        tally.add(one.name, reordered.verdict);
        recording =
            synth::simulate({one.program}, {.devices = devices, .steps = 3, .seed = seed + 100});
        strip_node_ids(recording);
      }
      const Judged result = judged(recording);
      expect_all_right(result.verdict);
      unnumbered.add(one.name, result.verdict);
    }
  }
  tally.print("node ids, neighbours reordered");
  unnumbered.print("no node ids");
}

TEST(AttributeGoldens, NearlyEveryKernelWithOneInTwentyDropped) {
  Tally tally;
  std::uint64_t seed = 0;
  for (const Compiled& one : compiled()) {
    ++seed;
    Tally program;
    for (const int devices : {1, 2 + static_cast<int>((seed + 3) % 7)}) {
      SCOPED_TRACE(one.name + " on " + std::to_string(devices));
      const Style style = style_of(one.name);
      synth::Recording recording = synth::simulate({one.program}, {.style = style,
                                                                   .devices = devices,
                                                                   .steps = 4,
                                                                   .seed = seed,
                                                                   .node_ids = seed % 2 == 0});
      drop_events(recording, 0.05, seed);
      const Judged result = judged(recording);
      EXPECT_EQ(result.verdict.exact_wrong, 0) << result.verdict;
      EXPECT_GE(result.verdict.share(), 0.97) << result.verdict;
      tally.add(one.name, result.verdict);
    }
  }
  tally.print("5 % dropped");
}

/// The GPT step, or where that is not at hand the largest program there is.
Compiled large_program() {
  Compiled best;
  for (Compiled& one : compiled()) {
    if (one.name == "gpt-h100") return std::move(one);
    if (best.program.facts.size() < one.program.facts.size()) best = std::move(one);
  }
  return best;
}

TEST(AttributeGoldens, GraphsOnIsGraphsOff) {
  const bool goldens = !real_captures().empty();
  const Compiled one = large_program();
  const int steps = goldens ? 75 : 10;
  const synth::SimulationOptions options{
      .style = style_of(one.name), .devices = 8, .steps = steps, .op_names = false};
  synth::SimulationOptions off_options = options;
  off_options.graphs = false;
  const Judged on = judged(synth::simulate({one.program}, options));
  const Judged off = judged(synth::simulate({one.program}, off_options));
  expect_all_right(on.verdict);
  expect_all_right(off.verdict);
  EXPECT_EQ(off.verdict.exact, off.verdict.events) << "nothing is hidden with graphs off";
  EXPECT_LT(on.verdict.exact, on.verdict.events) << "the graphs hide something";
  EXPECT_GE(on.verdict.events, goldens ? 147'840 : 1);

  const Check compared = check({on.trace, on.attribution}, {off.trace, off.attribution}, {});
  EXPECT_TRUE(compared.clean());
  EXPECT_EQ(compared.agree, on.verdict.events);
  EXPECT_EQ(compared.executions, 8 * steps);
  std::cout << one.name << ", 8 devices: " << compared.agree << " of " << compared.kernels
            << " kernels the same with command buffers on and off\n";
}

}  // namespace
}  // namespace jaxtrace
