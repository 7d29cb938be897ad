// The lists of an investigation on captures that people published.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "investigation/run_coverage.h"
#include "investigation/whole.h"
#include "support/program.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

class InvestigationRealCaptures : public testing::Test {
 protected:
  void SetUp() override {
    if (real_captures().empty()) GTEST_SKIP() << "left out: JAXTRACE_CAPTURES is not set";
  }

  static Whole read(const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(real_captures() / folder)) {
      if (entry.path().string().ends_with(".xplane.pb")) {
        return Whole(read_bytes(read_file(entry.path())));
      }
    }
    ADD_FAILURE() << folder << " has no capture";
    return Whole(Trace{});
  }

  static std::vector<std::string> codes(const std::vector<Distrust>& list, Gravity gravity) {
    std::vector<std::string> out;
    for (const Distrust& entry : list) {
      if (entry.gravity == gravity) out.push_back(entry.code);
    }
    return out;
  }
};

using Codes = std::vector<std::string>;

TEST_F(InvestigationRealCaptures, ARecordingOfOneGpuOfEightLacksMostKernels) {
  const Whole whole = read("jax-rocm/conv-mi300x-legacy");
  const std::vector<RunCoverage> programs = run_coverage(whole.in());
  ASSERT_EQ(programs.size(), 1u);
  EXPECT_EQ(programs[0].runs, 80u);
  EXPECT_EQ(programs[0].seen, 25u);
  EXPECT_EQ(programs[0].expected, 400u);
  const std::vector<Distrust> list = whole.trust();
  EXPECT_EQ(codes(list, Gravity::fatal), (Codes{"coverage", "recorded", "verdict"}));
  EXPECT_GE(*list.front().share, 0.93);
  EXPECT_NE(entry_of(list, "recorded")->affects.find("more than one GPU"), std::string::npos);
  EXPECT_EQ(whole.check("registers").part->count, 25) << "the tracer's memory, not the kernels'";
  EXPECT_EQ(whole.check("gpus").part->count, 6);
  ASSERT_FALSE(whole.captures().empty());
  EXPECT_NE(whole.captures().front().capture.find("rocprofiler-sdk"), std::string::npos);
}

TEST_F(InvestigationRealCaptures, AConvolutionOnEightGpusIsWhole) {
  const Whole whole = read("jax-rocm/conv-mi300x-jax08");
  const std::vector<RunCoverage> programs = run_coverage(whole.in());
  ASSERT_EQ(programs.size(), 1u);
  EXPECT_EQ(programs[0].runs, 40u);
  EXPECT_EQ(programs[0].expected, 200u);
  EXPECT_EQ(programs[0].seen, 200u);
  const std::vector<Distrust> list = whole.trust();
  EXPECT_EQ(codes(list, Gravity::fatal), Codes{});
  EXPECT_EQ(codes(list, Gravity::serious), (Codes{"join", "python-tracer", "verdict"}));
  EXPECT_EQ(entry_of(list, "join")->count, 4);
  EXPECT_EQ(entry_of(list, "unattributed-outside-execution")->count, 34);
  EXPECT_EQ(entry_of(list, "unattributed-no-candidate")->count, 1);
}

TEST_F(InvestigationRealCaptures, FusedAttentionIsWholeButItsCostIsAnEstimate) {
  const Whole whole = read("jax-rocm/te-attention-mi355x");
  const std::vector<RunCoverage> programs = run_coverage(whole.in());
  ASSERT_EQ(programs.size(), 1u);
  EXPECT_EQ(programs[0].missing(), 0u);
  const std::vector<Distrust> list = whole.trust();
  EXPECT_EQ(codes(list, Gravity::fatal), Codes{});
  EXPECT_EQ(codes(list, Gravity::serious), (Codes{"python-tracer", "verdict"}));
  const Distrust* const estimated = entry_of(list, "estimated-cost");
  ASSERT_NE(estimated, nullptr);
  EXPECT_GT(*estimated->share, 0.5);
  EXPECT_LT(*estimated->share, 0.6);
  EXPECT_NE(whole.captures().front().capture.find("rocprofv3 --att"), std::string::npos)
      << "it is GPU-bound";
}

TEST_F(InvestigationRealCaptures, ACaptureWithoutXlaProgramsAttributesNothing) {
  const Whole whole = read("tensorflow-cuda/GPU-multi-worker");
  const std::vector<Distrust> list = whole.trust();
  EXPECT_EQ(list.front().code, "unattributed-no-program");
  EXPECT_EQ(list.front().count, 1556);
  EXPECT_DOUBLE_EQ(*list.front().share, 1.0);
  EXPECT_EQ(whole.state("coverage"), CheckState::not_applicable);
}

}  // namespace
}  // namespace jaxtrace
