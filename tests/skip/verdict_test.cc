// The rules of the verdict.
#include "skip/verdict.h"

#include <gtest/gtest.h>

#include <string>

namespace jaxtrace {
namespace {

/// Host is what is neither input nor compilation.
Shares shares(double compute, double comm, double copies, double host, double wait, double unknown,
              double input = 0, double compile = 0) {
  Shares out{.compute = compute, .loss = {}};
  const auto set = [&](Loss loss, double value) {
    out.loss[static_cast<std::size_t>(loss)] = value;
  };
  set(Loss::comm, comm);
  set(Loss::memcpy, copies);
  set(Loss::host, host - input - compile);
  set(Loss::input, input);
  set(Loss::compile, compile);
  set(Loss::device_wait, wait);
  set(Loss::unknown, unknown);
  return out;
}

TEST(Verdicts, FollowTheGreatestLoss) {
  EXPECT_EQ(decide(shares(.92, .03, 0, .04, .01, 0)).bound, Bound::gpu);
  EXPECT_EQ(decide(shares(.45, .03, .02, .44, .04, .02)).bound, Bound::host);
  EXPECT_EQ(decide(shares(.60, .30, .02, .05, .03, 0)).bound, Bound::comm);
  EXPECT_EQ(decide(shares(.68, .02, .02, .25, .03, 0, .21)).bound, Bound::input);
  EXPECT_EQ(decide(shares(.60, .02, .30, .05, .03, 0)).bound, Bound::memcpy);
  EXPECT_EQ(decide(shares(.60, .02, .02, .05, .31, 0)).bound, Bound::device_wait);
  EXPECT_EQ(decide(shares(.60, .02, .02, .05, .01, .30)).bound, Bound::unknown_idle);
  EXPECT_EQ(decide(shares(.60, .02, .02, .34, .02, 0, 0, .30)).bound, Bound::compile);
}

TEST(Verdicts, AreMixedWhereNoneLeads) {
  const Decision low = decide(shares(.75, .10, .02, .09, .03, .01));
  EXPECT_EQ(low.bound, Bound::mixed);
  EXPECT_EQ(low.first, Loss::comm);
  EXPECT_EQ(low.second, Loss::host);

  const Decision near = decide(shares(.58, .17, .02, .19, .03, .01));
  EXPECT_EQ(near.bound, Bound::mixed);
  EXPECT_EQ(near.first, Loss::host);
  EXPECT_EQ(near.second, Loss::comm);
  EXPECT_NEAR(near.margin, .02, 1e-12);

  // Three points apart is not within three points.
  EXPECT_EQ(decide(shares(.50, .20, .02, .25, .02, .01)).bound, Bound::host);
}

TEST(Verdicts, AreInputFromAFifthWhateverElseLeads) {
  EXPECT_EQ(decide(shares(.40, .34, .02, .24, 0, 0, .20)).bound, Bound::input);
  EXPECT_TRUE(decide(shares(.80, .02, .02, .10, .06, 0, .06)).input_moderate);
  EXPECT_FALSE(decide(shares(.80, .02, .02, .10, .06, 0, .04)).input_moderate);
}

TEST(Verdicts, AreNotMixedWithALossThatIsLow) {
  // The runner-up is near, and below the threshold.
  EXPECT_EQ(decide(shares(.68, .14, .01, .16, .01, 0)).bound, Bound::host);
}

TEST(Verdicts, TiesGoByTheOrderOfTheLosses) {
  const Decision tie = decide(shares(.60, .20, 0, .20, 0, 0));
  EXPECT_EQ(tie.bound, Bound::mixed);
  EXPECT_EQ(tie.first, Loss::host);
  EXPECT_EQ(tie.second, Loss::comm);
}

TEST(Verdicts, FollowTheThresholdsOfTheUser) {
  Thresholds thresholds;
  thresholds.high = 0.05;
  thresholds.margin = 0.005;
  EXPECT_EQ(decide(shares(.75, .10, .02, .09, .03, .01), thresholds).bound, Bound::comm);
}

TEST(Verdicts, AreSaidInWords) {
  EXPECT_EQ(in_words(decide(shares(.92, .03, 0, .04, .01, 0))), "GPU-bound");
  const std::string mixed = in_words(decide(shares(.75, .10, .02, .09, .03, .01)));
  EXPECT_NE(mixed.find("mixed"), std::string::npos) << mixed;
  EXPECT_LT(mixed.find("comm"), mixed.find("host")) << mixed;
}

}  // namespace
}  // namespace jaxtrace
