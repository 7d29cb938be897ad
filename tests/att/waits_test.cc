#include "att/waits.h"

#include <gtest/gtest.h>

#include "support/listing.h"

namespace jaxtrace {
namespace {

DetectedArch gfx942() {
  return detect_arch({}, "gfx942");
}

WaitAnalysis replay(const ThreadTrace& trace, const std::vector<Wave>& waves) {
  WaitCollector collector(trace, gfx942());
  for (const Wave& wave : waves) collector.add(wave);
  return collector.finish();
}

/// The dependencies of the instruction at `line`.
std::vector<WaitDependency> of_line(const WaitAnalysis& waits, std::int64_t line) {
  std::vector<WaitDependency> found;
  for (const WaitDependency& d : waits.dependencies) {
    if (d.wait == line - 1) found.push_back(d);
  }
  return found;
}

TEST(DynamicWaits, vmcnt_waits_for_the_last_but_n) {
  const ThreadTrace trace = program(R"(
      buffer_load_dword v0, v9, s[0:3], 0 offen
      buffer_load_dword v1, v9, s[0:3], 0 offen
      v_mfma_f32_16x16x16_f16 v[4:7], v[2:3], v[2:3], 0
      s_waitcnt vmcnt(1)
      s_waitcnt vmcnt(0))");
  const WaitAnalysis waits = replay(trace, {wave(R"(
      1 100 10 14
      2 114 20 24
      3 138 0 4
      4 142 300 300
      5 442 50 50)")});
  ASSERT_EQ(of_line(waits, 4).size(), 1u);
  const WaitDependency first = of_line(waits, 4)[0];
  EXPECT_EQ(first.operation, 0u);
  EXPECT_EQ(first.distance_cycles, 142 - 110);
  EXPECT_EQ(first.exposed_cycles, 300);
  EXPECT_EQ(first.matrix_cycles, 16) << "four passes";
  EXPECT_EQ(first.matrix_between, 1);
  EXPECT_EQ(first.issue_cycles, 8) << "the second load and the matrix instruction";
  EXPECT_EQ(of_line(waits, 5)[0].operation, 1u);
  EXPECT_TRUE(waits.dynamic);
}

TEST(DynamicWaits, operations_of_the_iteration_before_are_carried) {
  const ThreadTrace trace = program(R"(
      s_waitcnt vmcnt(0)
      global_load_dword v0, v[2:3], off)");
  const WaitAnalysis waits = replay(trace, {wave(R"(
      1 0 4 4
      2 4 0 4
      1 8 90 90
      2 98 0 4)")});
  const auto found = of_line(waits, 1);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].operation, 1u);
  EXPECT_TRUE(found[0].carried);
  EXPECT_EQ(found[1].operation, kNoOperation) << "the first had nothing to wait for";
  EXPECT_EQ(found[1].exposed_cycles, 4);
}

TEST(DynamicWaits, scalar_loads_return_in_any_order) {
  const ThreadTrace trace = program(R"(
      s_load_dword s0, s[4:5], 0x0
      s_load_dword s1, s[4:5], 0x4
      s_waitcnt lgkmcnt(1)
      s_waitcnt lgkmcnt(0))");
  const WaitAnalysis waits = replay(trace, {wave("1 0 0 4\n2 4 0 4\n3 8 70 70\n4 78 9 9")});
  EXPECT_EQ(of_line(waits, 3)[0].operation, kNoOperation) << "order does not tell which";
  EXPECT_EQ(waits.unresolved, 1u);
  EXPECT_EQ(of_line(waits, 4)[0].operation, 1u);
}

TEST(DynamicWaits, b27_scenario_17_a_mixed_wait_is_charged_to_the_later_counter) {
  // Waits for one counter alone show 500 cycles for vector memory and 60 for LDS.
  const ThreadTrace trace = program(R"(
      global_load_dword v0, v[2:3], off
      s_waitcnt vmcnt(0)
      ds_read_b32 v1, v9
      s_waitcnt lgkmcnt(0)
      global_load_dword v0, v[2:3], off
      ds_read_b32 v1, v9
      s_waitcnt vmcnt(0) lgkmcnt(0)
      s_nop 0
      ds_read_b32 v1, v9
      s_waitcnt vmcnt(0) lgkmcnt(0))");
  const WaitAnalysis waits = replay(trace, {wave(R"(
      1 0 0 4
      2 10 490 490
      3 500 0 4
      4 510 50 50
      5 600 0 4
      6 604 0 4
      7 610 480 480)")});
  const auto mixed = of_line(waits, 7);
  ASSERT_EQ(mixed.size(), 2u);
  EXPECT_EQ(mixed[0].counter, WaitCounter::vm);
  EXPECT_EQ(mixed[0].exposed_cycles, 480);
  EXPECT_EQ(mixed[1].exposed_cycles, 0);
  std::int64_t shared = 0;
  for (const WaitShare& share : waits.shares) {
    shared += share.cycles;
    if (share.wait == 6) {
      EXPECT_EQ(share.counter, WaitCounter::vm);
    }
  }
  EXPECT_EQ(shared, 490 + 50 + 480) << "the parts are the whole";
}

TEST(DynamicWaits, a_mixed_wait_with_one_counter_outstanding_is_no_mixed_one) {
  const ThreadTrace trace = program("ds_read_b32 v1, v9\ns_waitcnt vmcnt(0) lgkmcnt(0)");
  const WaitAnalysis waits = replay(trace, {wave("1 0 0 4\n2 4 60 60")});
  ASSERT_EQ(waits.shares.size(), 1u);
  EXPECT_EQ(waits.shares[0].counter, WaitCounter::lgkm);
}

TEST(DynamicWaits, a_mixed_wait_that_nothing_compares_with_stays_whole) {
  const ThreadTrace trace = program(
      "global_load_dword v0, v[2:3], off\nds_read_b32 v1, v9\ns_waitcnt vmcnt(0) lgkmcnt(0)");
  const WaitAnalysis waits = replay(trace, {wave("1 0 0 4\n2 4 0 4\n3 8 60 60")});
  ASSERT_EQ(waits.shares.size(), 1u);
  EXPECT_EQ(waits.shares[0].counter, std::nullopt);
  EXPECT_EQ(waits.shares[0].cycles, 60);
  EXPECT_EQ(of_line(waits, 3)[0].exposed_cycles, std::nullopt);
}

TEST(DynamicWaits, the_files_own_lists_are_compared) {
  const ThreadTrace trace = program("ds_read_b32 v1, v9\ns_waitcnt lgkmcnt(0)");
  Wave right = wave("1 0 0 4\n2 4 60 60");
  right.waits.push_back({2, {1}});
  Wave wrong = right;
  wrong.waits[0].waits_for = {9};
  const WaitAnalysis waits = replay(trace, {right, wrong});
  EXPECT_EQ(waits.lists, 2u);
  EXPECT_EQ(waits.lists_equal, 1u);
}

TEST(StaticWaits, a_loop_is_walked_twice) {
  // The load at the end of the body is waited for at its beginning, an iteration later.
  const ThreadTrace trace = listing(R"(
      0x1000 2 8 0 0 s_mov_b32 s0, 0
      0x1004 20 6000 6000 0 s_waitcnt vmcnt(0)
      0x1008 20 80 0 0 v_mfma_f32_16x16x16_f16 v[4:7], v[2:3], v[2:3], v[4:7]
      0x1010 20 400 320 0 global_load_dwordx4 v[0:3], v[8:9], off
      0x1018 20 80 0 0 v_add_u32 v8, v8, v10
      0x101c 20 80 0 0 s_cbranch_scc1 65529
      0x1020 2 8 0 0 s_endpgm)");
  const Loops loops = find_loops(trace.instructions);
  ASSERT_EQ(loops.loops.size(), 1u);
  const WaitAnalysis waits = static_waits(trace, loops, gfx942());
  ASSERT_EQ(waits.dependencies.size(), 1u);
  const WaitDependency& d = waits.dependencies[0];
  EXPECT_EQ(d.operation, 3u);
  EXPECT_TRUE(d.carried);
  EXPECT_EQ(d.times, 20);
  EXPECT_EQ(d.distance_cycles, 20 * (4 + 4 + 4)) << "its own issue, the add and the branch";
  EXPECT_EQ(d.exposed_cycles, 6000);
  EXPECT_FALSE(waits.dynamic);
}

TEST(StaticWaits, a_mixed_wait_stays_whole) {
  const ThreadTrace trace = listing(R"(
      0x1000 1 4 0 0 global_load_dword v0, v[2:3], off
      0x1008 1 4 0 0 ds_read_b32 v1, v9
      0x1010 1 90 90 0 s_waitcnt vmcnt(0) lgkmcnt(0))");
  const WaitAnalysis waits = static_waits(trace, find_loops(trace.instructions), gfx942());
  EXPECT_EQ(waits.dependencies.size(), 2u);
  ASSERT_EQ(waits.shares.size(), 1u);
  EXPECT_EQ(waits.shares[0].counter, std::nullopt);
}

TEST(StaticWaits, what_never_ran_is_not_walked) {
  const ThreadTrace trace = listing(R"(
      0x1000 1 4 0 0 global_load_dword v0, v[2:3], off
      0x1008 0 0 0 0 global_load_dword v1, v[2:3], off
      0x1010 1 90 90 0 s_waitcnt vmcnt(0))");
  const WaitAnalysis waits = static_waits(trace, find_loops(trace.instructions), gfx942());
  ASSERT_EQ(waits.dependencies.size(), 1u);
  EXPECT_EQ(waits.dependencies[0].operation, 0u);
}

}  // namespace
}  // namespace jaxtrace
