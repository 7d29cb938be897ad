#include "att/occupancy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/listing.h"

namespace jaxtrace {
namespace {

/// Work-items, VGPRs, SGPRs, bytes of LDS.
Occupancy model(Arch arch, std::int64_t workgroup, std::int64_t vgprs, std::int64_t sgprs,
                std::int64_t lds) {
  return model_occupancy(arch, {workgroup, vgprs, sgprs, lds, {}, {}});
}

Limit limit(const Occupancy& occupancy, Resource resource) {
  const auto at = std::ranges::find(occupancy.limits, resource, &Limit::resource);
  return at == occupancy.limits.end() ? Limit{} : *at;
}

std::string binding(const Occupancy& occupancy) {
  std::string names;
  for (const Limit& l : occupancy.limits) {
    if (l.binding) names += std::string(name_of(l.resource)) + " ";
  }
  return names;
}

TEST(Occupancy, example_1_seed_pa_decode_on_gfx942) {
  const Occupancy o = model(Arch::gfx942, 256, 280, 112, 12800);
  EXPECT_EQ(o.workgroups, 1);
  EXPECT_EQ(o.waves, 4) << "one wave a SIMD";
  EXPECT_EQ(binding(o), "VGPRs ");
  EXPECT_EQ(limit(o, Resource::lds).workgroups, 5);
  EXPECT_EQ(limit(o, Resource::sgprs).workgroups, 7);
  EXPECT_EQ(limit(o, Resource::vgprs).next_most, 256) << "two waves need at most 256";
  EXPECT_TRUE(limit(o, Resource::vgprs).blocks_next);
  EXPECT_FALSE(limit(o, Resource::lds).blocks_next);
  EXPECT_TRUE(o.whole);
}

TEST(Occupancy, example_2_256_registers_give_two) {
  EXPECT_EQ(model(Arch::gfx942, 256, 256, 112, 12800).waves, 8);
}

TEST(Occupancy, example_3_b8_lds_is_rounded_to_its_blocks) {
  EXPECT_EQ(model(Arch::gfx942, 256, 128, 64, 32768).workgroups, 2);
  const Occupancy o = model(Arch::gfx942, 256, 128, 64, 33000);
  EXPECT_EQ(o.workgroups, 1);
  EXPECT_EQ(binding(o), "LDS ");
  EXPECT_EQ(limit(o, Resource::lds).allocated, 33280);
  EXPECT_EQ(limit(o, Resource::lds).next_most, 32768);
}

TEST(Occupancy, example_4_b8_gfx950_lds_blocks_are_larger) {
  EXPECT_EQ(model(Arch::gfx950, 256, 64, 64, 81920).workgroups, 2);
  EXPECT_EQ(model(Arch::gfx950, 256, 64, 64, 82000).workgroups, 1);
  EXPECT_EQ(limit(model(Arch::gfx950, 64, 64, 64, 13312), Resource::lds).workgroups, 11);
}

TEST(Occupancy, example_5_b11_workgroups_are_placed_whole) {
  const Occupancy o = model(Arch::gfx950, 512, 96, 64, 0);
  EXPECT_EQ(o.workgroups, 2);
  EXPECT_EQ(o.waves, 16) << "4 a SIMD, though registers allow 5 waves";
}

TEST(Occupancy, example_6_b11_a_workgroup_that_does_not_fit_cannot_launch) {
  const Occupancy o = model(Arch::gfx90a, 1024, 168, 64, 0);
  EXPECT_EQ(o.workgroups, 0);
  EXPECT_EQ(binding(o), "VGPRs ");
}

TEST(Occupancy, example_7_waves_a_simd_may_be_a_fraction) {
  const Occupancy o = model(Arch::gfx942, 192, 64, 104, 0);
  EXPECT_EQ(o.workgroups, 9);
  EXPECT_EQ(o.waves, 27) << "6.75 a SIMD";
}

TEST(Occupancy, example_8_one_wave_needs_no_barrier) {
  EXPECT_EQ(model(Arch::gfx942, 64, 32, 32, 0).workgroups, 32);
  const Occupancy two = model(Arch::gfx942, 128, 32, 32, 0);
  EXPECT_EQ(two.workgroups, 16);
  EXPECT_EQ(binding(two), "wave slots barriers ");
}

TEST(Occupancy, example_9_models_of_measured_kernels) {
  EXPECT_EQ(model(Arch::gfx950, 256, 248, 112, 49920).waves, 8) << "flash_attn_func: 2 a SIMD";
  const Occupancy mla = model(Arch::gfx950, 512, 256, 112, 85760);
  EXPECT_EQ(mla.waves, 8) << "mla_decode: 2 a SIMD";
  EXPECT_EQ(binding(mla), "VGPRs LDS ") << "B15: all that bind";
  EXPECT_EQ(model(Arch::gfx950, 256, 264, 112, 0).waves, 4) << "hgemm: 1";
  EXPECT_EQ(model(Arch::gfx950, 256, 168, 112, 0).waves, 12) << "preshuffle_gemm: 3";
}

TEST(Occupancy, b9_more_lds_than_there_is_is_no_occupancy_of_one) {
  const Occupancy o = model(Arch::gfx942, 256, 64, 64, 84992);
  EXPECT_EQ(o.workgroups, 0);
  EXPECT_EQ(binding(o), "LDS ");
}

TEST(Occupancy, b13_the_next_target_is_a_whole_block) {
  const Occupancy o = model(Arch::gfx942, 256, 248, 64, 0);
  EXPECT_EQ(o.waves, 8);
  EXPECT_EQ(limit(o, Resource::vgprs).next_most, 168);
}

TEST(Occupancy, b14_all_that_must_change_for_the_next_level_are_marked) {
  const Occupancy o = model(Arch::gfx950, 256, 256, 112, 61440);
  EXPECT_EQ(o.workgroups, 2);
  EXPECT_TRUE(limit(o, Resource::vgprs).blocks_next);
  EXPECT_TRUE(limit(o, Resource::lds).blocks_next);
  EXPECT_FALSE(limit(o, Resource::sgprs).blocks_next);
}

TEST(Occupancy, without_a_workgroup_it_is_an_upper_bound) {
  const Occupancy o = model_occupancy(Arch::gfx942, {{}, 214, {}, {}, {}, {}});
  EXPECT_FALSE(o.whole);
  EXPECT_EQ(o.waves, 8);
  EXPECT_EQ(o.unknown, (std::vector{Resource::sgprs, Resource::lds, Resource::wave_slots}));
}

TEST(Occupancy, the_grid_may_not_fill_the_gpu) {
  const Occupancy o = model_occupancy(Arch::gfx950, {512, 32, 32, 36864, 16384, 256});
  EXPECT_EQ(o.workgroups, 4);
  EXPECT_EQ(o.grid_workgroups, 32);
  EXPECT_EQ(o.device_workgroups, 1024);
}

// ---- Measured

OccupancyEvent event(std::int64_t time, bool starts, std::int64_t slot, std::int64_t simd = 0) {
  OccupancyEvent e;
  e.time = time;
  e.simd = simd;
  e.slot = slot;
  e.kernel = 1;
  e.starts = starts;
  return e;
}

TEST(MeasuredOccupancy, scenario_37_a_slot_is_used_again_at_once) {
  const MeasuredOccupancy m = measure_occupancy(
      std::vector{event(0, true, 0), event(10, false, 0), event(10, true, 0), event(30, false, 0)});
  EXPECT_EQ(m.waves, 2u);
  EXPECT_EQ(m.peak_of_simd, 1);
  EXPECT_EQ(m.wave_cycles, 30);
  EXPECT_EQ(m.busy_cycles, 30);
}

TEST(MeasuredOccupancy, scenario_37_waves_that_ran_when_the_trace_began_or_ended) {
  const MeasuredOccupancy m = measure_occupancy(std::vector{
      event(0, true, 1), event(40, false, 0), event(50, true, 2), event(100, false, 1)});
  EXPECT_EQ(m.without_start, 1u);
  EXPECT_EQ(m.without_end, 1u);
  EXPECT_EQ(m.waves, 3u);
  EXPECT_EQ(m.peak_of_simd, 2);
  EXPECT_EQ(m.wave_cycles, 40 + 100 + 50) << "clipped at both ends";
}

TEST(MeasuredOccupancy, peaks_of_a_cu_add_its_simds) {
  const MeasuredOccupancy m = measure_occupancy(std::vector{
      event(0, true, 0, 0), event(0, true, 0, 1), event(5, false, 0, 0), event(9, false, 0, 1)});
  EXPECT_EQ(m.peak_of_simd, 1);
  EXPECT_EQ(m.peak_of_cu, 2);
  EXPECT_EQ(m.simds, 2);
  EXPECT_EQ(m.cus, 1);
}

TEST(MeasuredOccupancy, nothing_is_nothing) {
  EXPECT_EQ(measure_occupancy({}).waves, 0u);
}

// ---- Together

ThreadTrace ran_with(std::int64_t waves_of_simd, std::int64_t vgprs) {
  ThreadTrace trace = program("v_mov_b32 v119, 0");
  DispatchResources r;
  r.file = "kernel_trace.csv";
  r.arch = "gfx950";
  r.workgroup_size = 64;
  r.vgprs = vgprs;
  r.accum_vgprs = 0;
  r.sgprs = 32;
  r.lds_bytes = 0;
  trace.resources.push_back(r);
  for (std::int64_t w = 0; w < waves_of_simd; ++w) trace.occupancy.push_back(event(0, true, w));
  for (std::int64_t w = 0; w < waves_of_simd; ++w) trace.occupancy.push_back(event(9, false, w));
  return trace;
}

bool has(const OccupancyReport& report, std::string_view code) {
  return std::ranges::any_of(report.findings, [&](const Finding& f) { return f.code == code; });
}

TEST(OccupancyReport, a_measurement_above_the_model_is_a_contradiction) {
  ThreadTrace trace = ran_with(8, 248);
  trace.instructions[0].text = "v_mov_b32 v247, 0";
  const OccupancyReport report = occupancy_of(trace, "");
  ASSERT_EQ(report.variants.size(), 1u);
  EXPECT_TRUE(report.variants[0].refuted);
  EXPECT_TRUE(has(report, "occupancy-contradiction"));
  EXPECT_FALSE(has(occupancy_of(ran_with(1, 248), ""), "occupancy-contradiction"));
}

TEST(OccupancyReport, a_measurement_settles_an_ambiguous_register_count) {
  const OccupancyReport doubled = occupancy_of(ran_with(1, 132), "");
  EXPECT_EQ(doubled.variants[0].needs.vgprs, 264);
  EXPECT_TRUE(has(doubled, "vgpr-count-ambiguous"));
  const OccupancyReport whole = occupancy_of(ran_with(3, 132), "");
  EXPECT_EQ(whole.variants[0].needs.vgprs, 132);
  EXPECT_FALSE(whole.variants[0].refuted);
  EXPECT_FALSE(has(whole, "vgpr-count-ambiguous"));
}

TEST(OccupancyReport, scenario_26_each_candidate_has_its_variant) {
  const OccupancyReport report = occupancy_of(program("v_mov_b32 v9, 0"), "");
  EXPECT_EQ(report.variants.size(), 3u);
}

TEST(OccupancyReport, scenario_27_b39_variants_of_the_resources_are_all_shown) {
  ThreadTrace trace = ran_with(1, 248);
  trace.resources.push_back(trace.resources[0]);
  EXPECT_EQ(occupancy_of(trace, "").variants.size(), 1u) << "equal rows are one";
  trace.resources[1].vgprs = 200;
  EXPECT_EQ(occupancy_of(trace, "").variants.size(), 2u);
}

TEST(OccupancyReport, numbers_that_cannot_be_are_not_known) {
  ThreadTrace trace = ran_with(1, 248);
  trace.resources[0].lds_bytes = std::numeric_limits<std::int64_t>::max();
  trace.resources[0].grid_size = std::numeric_limits<std::int64_t>::max();
  trace.occupancy[0].time = std::numeric_limits<std::int64_t>::min();
  trace.occupancy[1].time = std::numeric_limits<std::int64_t>::max();
  const OccupancyReport report = occupancy_of(trace, "");
  EXPECT_EQ(report.variants[0].needs.lds_bytes, std::nullopt);
  EXPECT_FALSE(report.variants[0].model.whole);
  EXPECT_EQ(report.measured->wave_cycles, std::numeric_limits<std::int64_t>::max());
}

TEST(OccupancyReport, other_gpus_are_not_modelled) {
  ThreadTrace trace = program("v_mov_b32 v9, 0");
  trace.gfxip = "11";
  const OccupancyReport report = occupancy_of(trace, "");
  EXPECT_TRUE(report.variants.empty());
  EXPECT_TRUE(has(report, "occupancy-not-modelled"));
}

TEST(OccupancyReport, a_kernel_that_ran_cannot_be_too_large_to_launch) {
  ThreadTrace trace = ran_with(1, 248);
  trace.resources[0].lds_bytes = 200000;
  EXPECT_TRUE(has(occupancy_of(trace, ""), "kernel-cannot-launch"));
}

}  // namespace
}  // namespace jaxtrace
