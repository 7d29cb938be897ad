// Each pattern on a listing that has it, with what it claims, gives back and says; and on one that
// has not.
#include "att/plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/listing.h"

namespace jaxtrace {
namespace {

/// A SIMD that has `waves` waves all the time.
void fill(ThreadTrace& trace, std::int64_t waves) {
  for (const bool starts : {true, false}) {
    for (std::int64_t slot = 0; slot < waves; ++slot) {
      OccupancyEvent e;
      e.time = starts ? 0 : 1000;
      e.slot = slot;
      e.kernel = 1;
      e.starts = starts;
      trace.occupancy.push_back(e);
    }
  }
}

Plan plan_of(const ThreadTrace& trace) {
  const OccupancyReport occupancy = occupancy_of(trace, "gfx942");
  const Loops loops = find_loops(trace.instructions);
  return make_plan(trace, loops, static_waits(trace, loops, occupancy.arch), occupancy, nullptr);
}

Plan plan_of(std::string_view text) {
  return plan_of(listing(text));
}

const PlanItem* item(const Plan& plan, std::string_view pattern) {
  const auto at = std::ranges::find(plan.items, pattern, &PlanItem::pattern);
  return at == plan.items.end() ? nullptr : &*at;
}

bool has_note(const Plan& plan, std::string_view part) {
  return std::ranges::any_of(
      plan.notes, [&](const std::string& n) { return n.find(part) != std::string::npos; });
}

/// Line numbers of an item's rows.
std::vector<std::int64_t> lines(const PlanItem& item) {
  std::vector<std::int64_t> result;
  for (const std::uint32_t row : item.rows) result.push_back(row + 1);
  return result;
}

TEST(Plan, seed_pattern_1_loads_inside_the_matrix_loop) {
  const Plan plan = plan_of(R"(
      0x1000 2 8 0 0 s_mov_b32 s0, 0
      0x1004 20 160 80 0 global_load_dwordx4 v[0:3], v[8:9], off
      0x100c 20 80 0 0 v_mfma_f32_16x16x16_f16 v[4:7], v[0:1], v[2:3], v[4:7]
      0x1014 20 6000 6000 0 s_waitcnt vmcnt(0)
      0x1018 20 320 240 0 v_mfma_f32_16x16x16_f16 v[4:7], v[0:1], v[2:3], v[4:7]
      0x1020 20 4000 0 0 v_exp_f32 v20, v21
      0x1024 20 80 0 0 s_cbranch_scc1 65527
      0x1028 2 8 0 0 s_endpgm)");
  const PlanItem* found = item(plan, "vmem-in-loop");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->priority, Priority::high);
  EXPECT_EQ(found->stall_class, "VMEM-wait");
  EXPECT_EQ(lines(*found), std::vector<std::int64_t>{4});
  EXPECT_EQ(found->stall_cycles, 6000);
  // An iteration has 232 cycles of math, 20 of them between load and wait already: 20 × 212, of
  // which such changes give back 70 %.
  EXPECT_EQ(found->gain_cycles, 20 * 212 * 70 / 100);
  EXPECT_NE(found->evidence.find("issued 8 cycles before"), std::string::npos) << found->evidence;
  EXPECT_NE(found->assumption.find("more VGPRs fit"), std::string::npos) << found->assumption;
}

TEST(Plan, a_load_that_is_mostly_hidden_is_only_late) {
  const Plan plan = plan_of(R"(
      0x1000 2 8 0 0 s_mov_b32 s0, 0
      0x1004 20 160 80 0 global_load_dwordx4 v[0:3], v[8:9], off
      0x100c 20 20000 0 0 v_exp_f32 v20, v21
      0x1010 20 4000 4000 0 s_waitcnt vmcnt(0)
      0x1014 20 320 240 0 v_mfma_f32_16x16x16_f16 v[4:7], v[0:1], v[2:3], v[4:7]
      0x101c 20 2000 0 0 v_exp_f32 v22, v21
      0x1020 20 80 0 0 s_cbranch_scc1 65528
      0x1024 2 8 0 0 s_endpgm)");
  EXPECT_EQ(item(plan, "vmem-in-loop"), nullptr);
  const PlanItem* found = item(plan, "vmem-late");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->stall_cycles, 4000);
}

std::string eight_loads(std::string_view load, std::string_view between) {
  std::string text = "0x1000 2 8 0 0 s_mov_b32 s0, 0\n";
  for (int k = 0; k < 8; ++k) {
    text += std::string("0x1004 20 2000 1900 0 ") + std::string(load) + "\n";
    if (k < 7) text += between;
  }
  return text + "0x1100 20 8000 0 0 v_exp_f32 v20, v21\n0x1104 2 8 0 0 s_endpgm\n";
}

TEST(Plan, seed_pattern_2_loads_in_a_row) {
  const Plan plan = plan_of(eight_loads("global_load_dwordx4 v[0:3], v[8:9], off", ""));
  const PlanItem* found = item(plan, "vmem-burst");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->rows.size(), 8u);
  EXPECT_EQ(found->stall_cycles, 8 * 1900);
  EXPECT_NE(found->fix.find("Spread the loads"), std::string::npos);
  const Plan spread =
      plan_of(eight_loads("global_load_dwordx4 v[0:3], v[8:9], off",
                          "0x1050 20 80 0 0 v_mfma_f32_16x16x16_f16 v[4:7], v[0:1], v[2:3], 0\n"));
  EXPECT_EQ(item(spread, "vmem-burst"), nullptr) << "math between";
}

TEST(Plan, narrow_loads_are_said) {
  const Plan plan = plan_of(eight_loads("global_load_ushort v0, v[8:9], off", ""));
  ASSERT_NE(item(plan, "vmem-burst"), nullptr);
  EXPECT_NE(item(plan, "vmem-burst")->fix.find("at most 2 bytes a lane"), std::string::npos);
  EXPECT_NE(item(plan, "vmem-burst")->fix.find("or move neighbouring"), std::string::npos);
  ThreadTrace bare = listing(eight_loads("global_load_ushort v0, v[8:9], off", ""));
  bare.instructions[9].latency_cycles = 80;  // Next to no math
  const PlanItem* found = nullptr;
  const Plan copy = plan_of(bare);
  found = item(copy, "vmem-burst");
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->fix.starts_with("Move the same bytes with fewer instructions")) << found->fix;
}

TEST(Plan, seed_pattern_3_lds_is_read_just_before_the_matrix_instruction) {
  const Plan plan = plan_of(R"(
      0x1000 20 80 0 0 ds_read_b128 v[0:3], v9
      0x1008 20 1000 1000 0 s_waitcnt lgkmcnt(0)
      0x100c 20 80 0 0 v_mfma_f32_16x16x16_f16 v[4:7], v[0:1], v[2:3], v[4:7]
      0x1014 20 2000 0 0 v_exp_f32 v20, v21
      0x1018 20 80 0 0 s_cbranch_scc1 65529
      0x101c 2 8 0 0 s_endpgm)");
  const PlanItem* found = item(plan, "lds-near");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(lines(*found), std::vector<std::int64_t>{2});
  EXPECT_EQ(found->gain_cycles, 900) << "all of it is covered by the loop's math, 90 % comes back";
}

TEST(Plan, seed_pattern_4_scales_are_loaded_later_than_the_tiles) {
  const Plan plan = plan_of(R"(
      0x1000 20 80 0 0 global_load_dwordx4 v[0:3], v[8:9], off
      0x1008 20 8000 0 0 v_exp_f32 v20, v21
      0x100c 20 80 0 0 global_load_dword v10, v[8:9], off
      0x1014 20 400 400 0 s_waitcnt vmcnt(1)
      0x1018 20 4000 4000 0 s_waitcnt vmcnt(0)
      0x101c 20 80 0 0 v_mfma_f32_16x16x16_f16 v[4:7], v[0:1], v[2:3], v[4:7]
      0x1024 20 80 0 0 s_cbranch_scc1 65526
      0x1028 2 8 0 0 s_endpgm)");
  const PlanItem* found = item(plan, "scale-near");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(lines(*found), std::vector<std::int64_t>{5});
}

std::string entry_line(std::string_view first) {
  return std::string("# ") + std::string(first) + R"(
      0x1000 10 1000 900 0 v_add_f32 v0, v1, v2
      0x1004 10 9000 9000 0 s_barrier
      # k.py:20
      0x1008 10 400 300 0 global_load_dword v3, v[8:9], off
      # )" +
         std::string(first) + R"(
      0x1010 10 9000 9000 0 s_waitcnt vmcnt(0)
      # k.py:21
      0x1014 10 400 300 0 v_mul_f32 v4, v3, v3
      # k.py:22
      0x1018 10 400 0 0 v_exp_f32 v4, v3
      # )" +
         std::string(first) + "\n0x101c 10 40 0 0 s_endpgm\n";
}

TEST(Plan, seed_pattern_5_scenario_41_the_entry_line_is_set_aside) {
  const Plan plan = plan_of(entry_line("k.py:3"));
  ASSERT_EQ(plan.artefacts.size(), 1u);
  EXPECT_EQ(plan.artefacts[0].source, "k.py:3");
  EXPECT_EQ(plan.artefacts[0].stall_cycles, 900 + 9000 + 9000);
  const PlanItem* found = item(plan, "vmem-serial");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->source, "k.py:21") << "the next line that is real";
}

TEST(Plan, scenario_41_a_hot_line_in_the_middle_is_no_artefact) {
  std::string text = entry_line("k.py:30");
  text.insert(0, "# k.py:2\n0x0ff0 10 40 0 0 s_nop 0\n");
  EXPECT_TRUE(plan_of(text).artefacts.empty());
}

TEST(Plan, scenario_42_a_dma_load_is_drained_at_once) {
  const Plan plan = plan_of(R"(
      0x1000 20 100 20 0 buffer_load_dword v5, s[4:7], 0 offen lds
      0x1008 20 10000 10000 0 s_waitcnt vmcnt(0)
      0x100c 20 8000 0 0 v_exp_f32 v20, v21
      0x1010 20 80 0 0 s_cbranch_scc1 65531
      0x1014 2 8 0 0 s_endpgm)");
  const PlanItem* found = item(plan, "dma-drain");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->stall_cycles, 10000);
  EXPECT_EQ(found->priority, Priority::high);
}

TEST(Plan, arguments_are_waited_for_in_a_short_kernel) {
  const Plan plan = plan_of(R"(
      0x1000 10 400 300 0 s_load_dwordx2 s[0:1], s[4:5], 0x0
      0x1008 10 4000 4000 0 s_waitcnt lgkmcnt(0)
      0x100c 10 4000 0 0 v_exp_f32 v20, v21
      0x1010 10 40 0 0 s_endpgm)");
  const PlanItem* found = item(plan, "smem-prologue");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->gain_cycles, 2000);
}

const char* const kBarriers = R"(
    0x1000 10 4000 4000 0 s_barrier
    0x1004 10 4000 0 0 v_exp_f32 v20, v21
    0x1008 10 40 0 0 s_endpgm)";

TEST(Plan, barriers_that_take_a_tenth_of_the_time) {
  const Plan plan = plan_of(kBarriers);
  const PlanItem* found = item(plan, "barrier");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->gain_cycles, 2000);
  EXPECT_NE(found->assumption.find("upper bound"), std::string::npos) << found->assumption;
}

TEST(Plan, what_other_waves_fill_is_taken_off) {
  ThreadTrace trace = listing(kBarriers);
  fill(trace, 2);
  const PlanItem* found = nullptr;
  const Plan plan = plan_of(trace);
  found = item(plan, "barrier");
  ASSERT_NE(found, nullptr);
  // Two waves keep the math units busy 2 × 4000 of 8040 cycles, half of it by the other wave.
  EXPECT_NEAR(static_cast<double>(*found->gain_cycles), 0.5 * 4000 * (1 - 4000.0 / 8040), 60);
  ThreadTrace alone = listing(kBarriers);
  fill(alone, 1);
  EXPECT_NE(item(plan_of(alone), "barrier")->assumption.find("no other wave"), std::string::npos);
}

TEST(Plan, measured_hidden_stall_comes_before_estimates) {
  const ThreadTrace trace = listing(kBarriers);
  const OccupancyReport occupancy = occupancy_of(trace, "gfx942");
  const Loops loops = find_loops(trace.instructions);
  HiddenStall hidden;
  hidden.stall_cycles = {1000, 0, 0};
  hidden.hidden_cycles = {750, 0, 0};
  const Plan plan =
      make_plan(trace, loops, static_waits(trace, loops, occupancy.arch), occupancy, &hidden);
  EXPECT_EQ(item(plan, "barrier")->gain_cycles, 500);
}

TEST(Plan, spills) {
  const Plan plan = plan_of(R"(
      0x1000 10 400 300 0 scratch_load_dword v1, off, off offset:4
      0x1008 10 4000 4000 0 s_waitcnt vmcnt(0)
      0x100c 10 4000 0 0 v_exp_f32 v20, v21
      0x1010 10 40 0 0 s_endpgm)");
  const PlanItem* found = item(plan, "spill");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->gain_cycles, 400 + 4000);
  EXPECT_EQ(item(plan, "vmem-serial"), nullptr) << "each cycle belongs to one item";
}

TEST(Plan, accumulation_registers_as_spill_space) {
  const std::string moves = R"(
      0x1000 10 400 300 0 v_accvgpr_write_b32 a0, v1
      0x1004 10 4000 0 0 v_exp_f32 v20, v21
      0x1008 10 400 300 0 v_accvgpr_read_b32 v1, a0
      0x100c 10 40 0 0 s_endpgm)";
  EXPECT_NE(item(plan_of(moves), "accum-spill"), nullptr);
  EXPECT_EQ(
      item(plan_of(moves + "\n0x1010 1 4 0 0 v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], 0"),
           "accum-spill"),
      nullptr)
      << "they are accumulators";
}

TEST(Plan, padding) {
  const Plan plan = plan_of(R"(
      0x1000 10 1000 1000 0 s_nop 7
      0x1004 10 4000 0 0 v_exp_f32 v20, v21
      0x1008 10 40 0 0 s_endpgm)");
  ASSERT_NE(item(plan, "nop"), nullptr);
  EXPECT_EQ(item(plan, "nop")->gain_cycles, 900);
}

ThreadTrace matrix_chain(std::int64_t stall) {
  ThreadTrace trace = listing(R"(
      0x1000 100 400 0 0 v_mfma_f32_16x16x16_f16 v[4:7], v[0:1], v[2:3], v[4:7]
      0x1008 100 0 0 0 v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[2:3], v[8:11]
      0x1010 10 40 0 0 s_endpgm)");
  trace.instructions[1].stall_cycles = 100 * stall;
  trace.instructions[1].latency_cycles = 100 * (stall + 4);
  fill(trace, 1);
  return trace;
}

TEST(Plan, a_matrix_result_is_needed_too_soon) {
  EXPECT_NE(item(plan_of(matrix_chain(40)), "mfma-dep"), nullptr);
  EXPECT_EQ(item(plan_of(matrix_chain(12)), "mfma-dep"), nullptr) << "the pipe takes 16 cycles";
}

TEST(Plan, a_busy_matrix_unit_is_no_loss) {
  const Plan plan = plan_of(matrix_chain(12));
  EXPECT_TRUE(has_note(plan, "no loss"));
  EXPECT_TRUE(has_note(plan, "The matrix unit of a SIMD is busy"));
}

TEST(Plan, too_few_waves) {
  ThreadTrace trace = listing(R"(
      0x1000 20 100 20 0 global_load_dwordx4 v[0:3], v[254:255], off
      0x1008 20 8000 8000 0 s_waitcnt vmcnt(0)
      0x100c 20 200 0 0 v_exp_f32 v20, v21
      0x1010 20 80 0 0 s_endpgm)");
  const Plan plan = plan_of(trace);
  const PlanItem* found = item(plan, "low-occupancy");
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found->fix.find("VGPRs ≤ 168 (now 256)"), std::string::npos) << found->fix;
  EXPECT_TRUE(found->rows.empty());
  fill(trace, 1);
  EXPECT_EQ(item(plan_of(trace), "low-occupancy"), nullptr) << "the grid had no more";
}

TEST(Plan, a_grid_that_does_not_fill_the_gpu) {
  ThreadTrace trace = listing(kBarriers);
  DispatchResources r;
  r.workgroup_size = 64;
  r.vgprs = 32;
  r.accum_vgprs = 0;
  r.sgprs = 32;
  r.lds_bytes = 0;
  r.grid_size = 64 * 10;
  r.compute_units = 304;
  trace.resources.push_back(r);
  EXPECT_TRUE(has_note(plan_of(trace), "10 workgroups"));
}

TEST(Plan, memory_that_nothing_can_cover_is_said_without_a_gain) {
  const Plan plan = plan_of(R"(
      0x1000 20 100 20 0 global_load_dwordx4 v[0:3], v[8:9], off
      0x1008 20 80000 80000 0 s_waitcnt vmcnt(0)
      0x1010 20 80 0 0 s_endpgm)");
  ASSERT_EQ(plan.items.size(), 1u);
  EXPECT_EQ(plan.items[0].gain_cycles, std::nullopt);
  EXPECT_EQ(plan.items[0].priority, Priority::high);
  EXPECT_TRUE(has_note(plan, "pmc-l2"));
}

TEST(Plan, nothing_worth_a_percent_is_said) {
  const Plan plan = plan_of("0x1000 20 8000 0 0 v_exp_f32 v20, v21\n0x1004 20 80 0 0 s_endpgm");
  EXPECT_TRUE(plan.items.empty());
  EXPECT_TRUE(has_note(plan, "No known pattern"));
}

TEST(Plan, b16_no_cycles_give_no_plan) {
  const Plan plan = plan_of("0x1000 0 0 0 0 s_nop 0");
  EXPECT_TRUE(plan.items.empty());
  EXPECT_EQ(plan.wave_cycles, 0);
}

TEST(Plan, b27_the_top_class_divides_mixed_waits) {
  const ThreadTrace trace = listing(R"(
      0x1000 1 4 0 0 global_load_dword v0, v[2:3], off
      0x1008 1 100 100 0 s_waitcnt vmcnt(0)
      0x100c 1 4 0 0 global_load_dword v0, v[2:3], off
      0x1014 1 4 0 0 ds_read_b32 v1, v9
      0x101c 1 20 20 0 s_waitcnt lgkmcnt(0)
      0x1020 1 4 0 0 ds_read_b32 v1, v9
      0x1028 1 500 500 0 s_waitcnt vmcnt(0) lgkmcnt(0))");
  const OccupancyReport occupancy = occupancy_of(trace, "gfx942");
  const Loops loops = find_loops(trace.instructions);
  WaitCollector collector(trace, occupancy.arch);
  collector.add(
      wave("1 0 0 4\n2 4 600 600\n3 604 0 4\n4 608 0 4\n5 612 60 60\n6 672 0 4\n7 676 500 500"));
  const Plan plan = make_plan(trace, loops, collector.finish(), occupancy, nullptr);
  EXPECT_EQ(plan.top_class, "VMEM-wait");
  EXPECT_EQ(plan.top_class_cycles, 600);
}

TEST(Plan, items_never_claim_more_than_there_is) {
  const Plan plan = plan_of(eight_loads("global_load_ushort v0, v[8:9], off", "") +
                            "0x1108 10 900 900 0 s_waitcnt vmcnt(0)\n" + kBarriers);
  std::int64_t claimed = 0, gains = 0;
  for (const PlanItem& i : plan.items) {
    claimed += i.stall_cycles;
    gains += i.gain_cycles.value_or(0);
  }
  EXPECT_LE(claimed, plan.stall_cycles);
  EXPECT_LE(plan.combined_gain_cycles, gains);
  EXPECT_TRUE(std::ranges::is_sorted(plan.items, {}, &PlanItem::priority));
}

}  // namespace
}  // namespace jaxtrace
