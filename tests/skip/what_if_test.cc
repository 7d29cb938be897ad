// How long a step would be without one of its losses.
#include "skip/what_if.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/rows.h"

namespace jaxtrace {
namespace {

using rows::us;

StepParts example() {
  StepParts parts;
  parts.step = us(100);
  parts.compute = us(60);
  parts.collective = us(20);
  parts.copy = us(5);
  parts.idle[IdlePart::host_late] = us(9);
  parts.idle[IdlePart::launch_path] = us(1);
  parts.idle[IdlePart::queued_short] = us(3);
  parts.idle[IdlePart::tail] = us(2);
  return parts;
}

const WhatIf* find(const std::vector<WhatIf>& all, const std::string& id) {
  const auto found = std::ranges::find(all, id, &WhatIf::id);
  return found == all.end() ? nullptr : &*found;
}

TEST(WhatIfs, TakeOneLossFromTheStep) {
  const std::vector<WhatIf> all = what_ifs(example());
  for (const auto& [id, step] : {std::pair("W1", 90), {"W4", 95}, {"W1+W3", 70}, {"W8", 60}}) {
    const WhatIf* const what = find(all, id);
    ASSERT_NE(what, nullptr) << id;
    EXPECT_EQ(what->step, us(step)) << id;
    EXPECT_FALSE(what->assumption.empty()) << id;
  }
  const auto overlap = std::ranges::find_if(
      all, [](const WhatIf& what) { return what.id == "W3" && what.step == us(80); });
  EXPECT_NE(overlap, all.end());
}

TEST(WhatIfs, NeverPromiseLessThanComputeOrMoreThanTheStep) {
  StepParts parts = example();
  parts.idle[IdlePart::host_late] = us(80);  // more than there is
  for (const WhatIf& what : what_ifs(parts)) {
    EXPECT_GE(what.step, parts.compute) << what.id;
    EXPECT_LE(what.step, parts.step) << what.id;
  }
}

TEST(WhatIfs, AStragglerMayComputeLess) {
  // It computes 90 and transfers 10, and is 30 behind the others.
  StepParts parts;
  parts.step = us(100);
  parts.compute = us(90);
  parts.collective = us(10);
  parts.collective_wait = us(30);
  const std::vector<WhatIf> all = what_ifs(parts);
  ASSERT_NE(find(all, "W3 balance"), nullptr);
  EXPECT_EQ(find(all, "W3 balance")->step, us(70));
  EXPECT_EQ(find(all, "W3")->step, us(90));
}

TEST(WhatIfs, ThatGainLittleAreNotWorthIt) {
  StepParts parts = example();
  parts.copy = us(2);
  parts.compute = us(63);
  for (const WhatIf& what : what_ifs(parts)) {
    EXPECT_EQ(what.worth, (parts.step - what.step) * 100 >= parts.step * 3) << what.id;
  }
}

}  // namespace
}  // namespace jaxtrace
