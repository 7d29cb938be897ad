// Where steps begin, and which device work belongs to which.
#include "skip/steps.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "skip/analysed.h"

namespace jaxtrace {
namespace {

using rows::us;

/// Numbers of the steps of the first device's events, in order; -1: none.
std::vector<std::int64_t> numbers(const Analysed& a) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < a.trace.device_events; ++i) {
    const std::uint32_t step = a.steps.step_of[i];
    out.push_back(step == kNoStep ? -1 : a.steps.steps[step].number);
  }
  return out;
}

TEST(Steps, OfAnAnnotationHoldWhatIsLaunchedInThem) {
  const Analysed a(R"(H python [0,100) step=3 train
                      H python [100,190) step=4 train
                      H python [190,300) step=5 train
                      C s1 [50,60) launch [10,11)
                      C s1 [205,210) launch [150,151)
                      C s1 [250,260) launch [200,201))");
  EXPECT_EQ(a.steps.rule, StepRule::annotation);
  EXPECT_EQ(a.steps.name, "train");
  ASSERT_EQ(a.steps.steps.size(), 3u);
  EXPECT_EQ(numbers(a), (std::vector<std::int64_t>{3, 4, 5}));
  ASSERT_TRUE(a.steps.steps[1].host.has_value());
  EXPECT_EQ(a.steps.steps[0].host->length(), us(100));
  EXPECT_EQ(a.steps.steps[1].host->length(), us(90));
  EXPECT_EQ(a.steps.steps[2].host->length(), us(110));
}

/// `count` calls of f every `period`, with two kernels each.
std::string calls(int count, double period, const std::string& around = "") {
  std::string out;
  for (int i = 0; i < count; ++i) {
    const double t = i * period;
    const auto row = [&](const char* what, double begin, double end) {
      return std::string(what) + "[" + std::to_string(t + begin) + "," + std::to_string(t + end) +
             ")";
    };
    out += row("H python ", 0, 30) + " PjitFunction(f)\n";
    out += row("H python ", 1, 29) + " PjitFunction(f)\n";
    out += row("C s1 ", 20, 40) + row(" launch ", 5, 6) + "\n";
    out += row("C s1 ", 40, 60) + row(" launch ", 7, 8) + "\n";
  }
  return out + around;
}

TEST(Steps, AreTheOutermostCallsOfTheFunctionWithMostDeviceTime) {
  const Analysed a(calls(6, 100, R"(H python [85,90) PjitFunction(log)
                                    H python [185,190) PjitFunction(log)
                                    H python [285,290) PjitFunction(log)
                                    C s1 [90,91) launch [86,87))"));
  EXPECT_EQ(a.steps.rule, StepRule::function);
  EXPECT_EQ(a.steps.name, "f");
  ASSERT_EQ(a.steps.steps.size(), 6u);
  EXPECT_EQ(a.steps.steps[0].fate, StepFate::first);
  EXPECT_EQ(a.steps.steps[2].devices[0].kernels, 2u);
  EXPECT_EQ(a.steps.steps[2].devices[0].kernel_time, us(40));
  EXPECT_EQ(a.steps.steps[2].period, us(100));
  ASSERT_TRUE(a.steps.median.has_value());
  EXPECT_EQ(step_functions(a.trace), (std::vector<std::string>{"f", "log"}));
}

TEST(Steps, AreOfTheFunctionThatTheUserNames) {
  StepOptions options;
  options.function = "log";
  const Analysed a(calls(6, 100, R"(H python [85,90) PjitFunction(log)
                                    H python [185,190) PjitFunction(log)
                                    H python [285,290) PjitFunction(log)
                                    H python [385,390) PjitFunction(log)
                                    C s1 [90,91) launch [86,87)
                                    C s1 [190,191) launch [186,187)
                                    C s1 [290,291) launch [286,287)
                                    C s1 [390,391) launch [386,387))"),
                   options);
  EXPECT_EQ(a.steps.name, "log");
  EXPECT_EQ(a.steps.steps.size(), 4u);
}

TEST(Steps, AreRunsOfTheProgramWhereNoFunctionIsSeen) {
  std::string rows;
  for (int i = 0; i < 5; ++i) {
    const std::string t = std::to_string(i);
    rows += "H exec [" + t + "00," + t + "30) jit_f:XLA GPU module\n";
    rows += "C s1 [" + t + "20," + t + "50) on exec launch [" + t + "05," + t + "06)\n";
  }
  const Analysed a(rows);
  EXPECT_EQ(a.steps.rule, StepRule::module_run);
  ASSERT_EQ(a.steps.steps.size(), 5u);
  EXPECT_EQ(a.steps.steps[1].period, us(100));
}

TEST(Steps, ArePeriodsOfTheNamesWhereTheHostIsSilent) {
  std::string rows;
  for (int i = 0; i < 11; ++i) {
    rows += "C s1 [" + std::to_string(i * 10) + "," + std::to_string(i * 10 + 5) + ") name " +
            std::string(1, "ABC"[i % 3]) + "\n";
  }
  const Analysed a(rows);
  EXPECT_EQ(a.steps.rule, StepRule::period);
  ASSERT_EQ(a.steps.steps.size(), 3u);
  for (const Step& step : a.steps.steps) EXPECT_EQ(step.devices[0].kernels, 3u);
  EXPECT_EQ(a.steps.step_of[9], kNoStep);
  EXPECT_EQ(a.steps.step_of[10], kNoStep);
}

TEST(Steps, AreNoneWhereNothingRepeats) {
  std::string rows;
  for (int i = 0; i < 12; ++i) {
    rows += "C s1 [" + std::to_string(i * 10) + "," + std::to_string(i * 10 + 5) + ") name k" +
            std::to_string(i) + "\n";
  }
  const Analysed a(rows);
  EXPECT_EQ(a.steps.rule, StepRule::none);
  EXPECT_FALSE(a.steps.median.has_value());
}

/// Steps of f with so many kernels each; the first is warm-up and does not count.
std::string steps_of(const std::vector<int>& kernels) {
  std::string out;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const double t = static_cast<double>(i) * 1000;
    out += "H python [" + std::to_string(t) + "," + std::to_string(t + 500) + ") PjitFunction(f)\n";
    for (int k = 0; k < kernels[i]; ++k) {
      const double l = t + k * 10;
      out += "C s1 [" + std::to_string(l + 20) + "," + std::to_string(l + 28) + ") launch [" +
             std::to_string(l) + "," + std::to_string(l + 2) + ")\n";
    }
  }
  return out;
}

TEST(Steps, WithAnotherNumberOfKernelsAreLeftOutIfFew) {
  const Analysed a(steps_of({40, 30, 30, 29, 30, 30}));
  ASSERT_EQ(a.steps.steps.size(), 6u);
  EXPECT_EQ(a.steps.usual_kernels, (std::vector<std::uint64_t>{30}));
  EXPECT_EQ(a.steps.usual, 4u);
  EXPECT_EQ(a.steps.counted, 5u);
  EXPECT_EQ(a.steps.steps[3].fate, StepFate::other_count);
  EXPECT_TRUE(a.steps.median.has_value());
}

TEST(Steps, GiveNoMedianWhereTooManyDiffer) {
  const Analysed a(steps_of({40, 30, 30, 29, 30}));
  EXPECT_EQ(a.steps.usual, 3u);
  EXPECT_EQ(a.steps.counted, 4u);
  EXPECT_FALSE(a.steps.median.has_value());
}

}  // namespace
}  // namespace jaxtrace
