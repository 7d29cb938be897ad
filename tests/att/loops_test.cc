#include "att/loops.h"

#include <gtest/gtest.h>

#include "support/listing.h"

namespace jaxtrace {
namespace {

Loops loops_of(std::string_view text) {
  return find_loops(listing(text).instructions);
}

TEST(Loops, scenario_40_a_backward_branch_closes_a_loop) {
  const Loops found = loops_of(R"(
      0x1910 12 48 0 0 s_mov_b32 s0, 0
      0x1914 756 3024 0 0 s_add_i32 s0, s0, 1
      0x1bc0 756 3024 0 0 s_cmp_lg_u32 s0, 63
      0x1bc4 756 3024 0 0 s_cbranch_scc1 65363
      0x1bc8 12 48 0 0 s_endpgm)");
  ASSERT_EQ(found.loops.size(), 1u);
  const Loop& loop = found.loops[0];
  EXPECT_EQ(loop.head, 1u);
  EXPECT_EQ(loop.last, 3u);
  EXPECT_EQ(loop.iterations, 756);
  EXPECT_EQ(loop.entries, 12) << "63 iterations a wave";
  EXPECT_EQ(found.waves, 12);
  EXPECT_EQ(found.of, (std::vector<std::uint32_t>{kNoLoop, 0, 0, 0, kNoLoop}));
}

TEST(Loops, scenario_40_forward_branches_close_none) {
  const Loops found = loops_of(R"(
      0x1000 4 16 0 0 s_cbranch_execz 1
      0x1004 4 16 0 0 s_nop 0
      0x1008 4 16 0 0 s_endpgm)");
  EXPECT_TRUE(found.loops.empty());
  EXPECT_EQ(found.unknown_targets, 0u);
}

TEST(Loops, nested_loops_count_iterations_at_the_head) {
  // The outer loop's latch jumps back over the inner one.
  const Loops found = loops_of(R"(
      0x1000 2 8 0 0 s_mov_b32 s0, 0
      0x1004 8 32 0 0 s_mov_b32 s1, 0
      0x1008 80 320 0 0 v_add_f32 v0, v0, v1
      0x100c 80 320 0 0 s_cbranch_scc1 65534
      0x1010 8 32 0 0 s_cbranch_scc0 65532
      0x1014 2 8 0 0 s_endpgm)");
  ASSERT_EQ(found.loops.size(), 2u);
  EXPECT_EQ(found.loops[0].iterations, 8);
  EXPECT_EQ(found.loops[0].entries, 2);
  EXPECT_EQ(found.loops[1].iterations, 80);
  EXPECT_EQ(found.loops[1].entries, 8);
  EXPECT_EQ(found.loops[1].parent, 0u);
  EXPECT_EQ(found.loops[1].depth, 1);
  EXPECT_EQ(found.of[2], 1u);
  EXPECT_EQ(found.of[4], 0u);
}

TEST(Loops, branches_to_one_head_are_one_loop) {
  const Loops found = loops_of(R"(
      0x1000 10 40 0 0 v_add_f32 v0, v0, v1
      0x1004 10 40 0 0 s_cbranch_vccnz 65534
      0x1008 6 24 0 0 s_branch 65533
      0x100c 4 16 0 0 s_endpgm)");
  ASSERT_EQ(found.loops.size(), 1u);
  EXPECT_EQ(found.loops[0].branches, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(found.loops[0].last, 2u);
}

TEST(Loops, what_cannot_be_followed_is_counted) {
  const Loops found = loops_of(R"(
      0x1000 10 40 0 0 s_cbranch_scc1 BB0_3
      0x1004 10 40 0 0 s_setpc_b64 s[30:31]
      0x1008 10 40 0 0 s_cbranch_scc1 65000)");
  EXPECT_TRUE(found.loops.empty());
  EXPECT_EQ(found.unknown_targets, 3u);
}

TEST(Loops, a_target_of_another_code_object_is_none) {
  ThreadTrace trace = listing(R"(
      0x1000 1 4 0 0 s_nop 0
      0x1004 1 4 0 0 s_branch 65534)");
  trace.instructions[1].code_object = 7;
  EXPECT_TRUE(find_loops(trace.instructions).loops.empty());
}

TEST(Loops, one_that_never_ran_is_kept_without_iterations) {
  const Loops found = loops_of(R"(
      0x1000 0 0 0 0 s_nop 0
      0x1004 0 0 0 0 s_branch 65534)");
  ASSERT_EQ(found.loops.size(), 1u);
  EXPECT_EQ(found.loops[0].iterations, 0);
  EXPECT_EQ(found.waves, 0);
}

TEST(Loops, a_loop_may_be_entered_in_its_middle) {
  // As compilers rotate loops: the first iteration begins behind the head.
  const Loops found = loops_of(R"(
      0x1000 2 8 0 0 s_branch 1
      0x1004 6 24 0 0 v_add_f32 v0, v0, v1
      0x1008 8 32 0 0 v_add_f32 v2, v2, v0
      0x100c 8 32 0 0 s_cbranch_scc1 65533
      0x1010 2 8 0 0 s_endpgm)");
  ASSERT_EQ(found.loops.size(), 1u);
  EXPECT_EQ(found.loops[0].iterations, 6);
  EXPECT_EQ(found.loops[0].entries, 2);
}

TEST(Loops, hits_tell_through_a_chain_of_branches) {
  // The branch over the second add shares its target with the fall-through; the one at the end does
  // not, and what it was taken tells the rest.
  const Loops found = loops_of(R"(
      0x1000 3 12 0 0 s_cbranch_scc1 1
      0x1004 1 4 0 0 v_add_f32 v0, v0, v1
      0x1008 30 120 0 0 s_cbranch_vccz 1
      0x100c 12 48 0 0 v_add_f32 v2, v2, v0
      0x1010 30 120 0 0 s_cbranch_scc1 65533
      0x1014 3 12 0 0 s_endpgm)");
  ASSERT_EQ(found.loops.size(), 1u);
  EXPECT_EQ(found.loops[0].iterations, 30);
  EXPECT_EQ(found.loops[0].entries, 3);
}

TEST(Loops, entries_are_absent_where_hits_do_not_tell) {
  // The branch's fall-through is also jumped to, so how often it fell through is not known; nor is
  // it how often the conditional branch before the head did.
  const Loops found = loops_of(R"(
      0x1000 5 20 0 0 s_cbranch_scc1 2
      0x1004 9 36 0 0 v_add_f32 v0, v0, v1
      0x1008 9 36 0 0 s_cbranch_scc1 65534
      0x100c 5 20 0 0 s_endpgm)");
  ASSERT_EQ(found.loops.size(), 1u);
  EXPECT_EQ(found.loops[0].entries, std::nullopt);
}

}  // namespace
}  // namespace jaxtrace
