#include "att/hidden.h"

#include <gtest/gtest.h>

#include "support/listing.h"

namespace jaxtrace {
namespace {

HiddenStall collect(const ThreadTrace& trace, const std::vector<Wave>& waves) {
  HiddenCollector collector(trace, detect_arch({}, "gfx942"));
  for (const Wave& wave : waves) collector.add(wave);
  return collector.finish();
}

const char* const kProgram = R"(
    s_waitcnt vmcnt(0)
    v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15])";

TEST(Hidden, another_wave_of_the_simd_hides_a_stall) {
  const ThreadTrace trace = program(kProgram);
  const HiddenStall found = collect(trace, {wave("1 0 100 100"), wave("2 20 0 4\n2 60 10 14")});
  EXPECT_EQ(found.stall_cycles[0], 100);
  EXPECT_EQ(found.hidden_cycles[0], 32 + 30) << "the pipe is busy from 20 to 52 and 70 to 102";
  EXPECT_EQ(found.waves, 2u);
}

TEST(Hidden, another_simd_does_not) {
  const ThreadTrace trace = program(kProgram);
  Wave other = wave("2 20 0 4");
  other.simd = 1;
  EXPECT_EQ(collect(trace, {wave("1 0 100 100"), other}).hidden_cycles[0], 0);
}

TEST(Hidden, overlapping_work_counts_once) {
  const ThreadTrace trace = program(kProgram);
  const HiddenStall found =
      collect(trace, {wave("1 0 100 100"), wave("2 20 0 4"), wave("2 30 0 4")});
  EXPECT_EQ(found.hidden_cycles[0], 42);
}

TEST(Hidden, a_simd_that_comes_back_is_counted) {
  const ThreadTrace trace = program(kProgram);
  Wave other = wave("1 0 100 100");
  other.simd = 1;
  EXPECT_EQ(collect(trace, {wave("1 0 9 9"), other, wave("2 0 0 4")}).split_simds, 1u);
}

}  // namespace
}  // namespace jaxtrace
