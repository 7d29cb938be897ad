#include "att/registers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/listing.h"

namespace jaxtrace {
namespace {

RegisterScan scan(std::string_view text) {
  return scan_registers(program(text).instructions);
}

DispatchResources counts(std::int64_t vgprs, std::int64_t accum) {
  DispatchResources r;
  r.file = "kernel_trace.csv";
  r.vgprs = vgprs;
  r.accum_vgprs = accum;
  return r;
}

bool has(const RegisterCount& count, std::string_view code) {
  return std::ranges::any_of(count.findings, [&](const Finding& f) { return f.code == code; });
}

TEST(Registers, b2_a_range_counts_to_its_last_register) {
  const RegisterScan found = scan("v_add_f32 v[12:15], v1, v2\nv_mfma_f32_32x32x8_f16 a[240:255]");
  EXPECT_EQ(found.vgprs, 16);
  EXPECT_EQ(found.accum, 256);
  EXPECT_EQ(found.unified(), 272);
}

TEST(Registers, scenario_21_a0_is_one_register) {
  EXPECT_EQ(scan("v_accvgpr_write_b32 a0, v1").accum, 1);
}

TEST(Registers, b3_accumulators_begin_at_a_multiple_of_four) {
  EXPECT_EQ((RegisterScan{.vgprs = 5, .accum = 3, .sgprs = 0, .beyond = 0}.unified()), 11);
  EXPECT_EQ((RegisterScan{.vgprs = 5, .accum = 0, .sgprs = 0, .beyond = 0}.unified()), 5);
}

TEST(Registers, b4_only_operands_count) {
  const RegisterScan found = scan(
      "s_nop 0 ; comment v300\n"
      "v_mov_b32 v3, v300foo // a[0:99]\n"
      "s_branch a9x\n"
      "v_add_f32 v4, -v5, |v7|\n"
      "v_bfe_u32 v2, s[100:101], 10, 10\n");
  EXPECT_EQ(found.vgprs, 8);
  EXPECT_EQ(found.accum, 0);
  EXPECT_EQ(found.sgprs, 102);
}

TEST(Registers, b12_a_register_beyond_255_is_said_and_left_out) {
  const ThreadTrace trace = program("v_mov_b32 v511, v7");
  const RegisterScan found = scan_registers(trace.instructions);
  EXPECT_EQ(found.vgprs, 8);
  EXPECT_EQ(found.beyond, 1);
  EXPECT_TRUE(has(count_registers(Arch::gfx942, found, nullptr), "register-beyond-file"));
}

TEST(Registers, without_csv_the_instructions_are_a_lower_bound) {
  const RegisterCount count = count_registers(Arch::gfx942, scan("v_mov_b32 v99, 0"), nullptr);
  EXPECT_EQ(count.vgprs, 100);
  EXPECT_TRUE(count.lower_bound);
}

TEST(Registers, scenario_23_gfx942_adds_accumulators) {
  const DispatchResources r = counts(144, 136);
  const RegisterCount count = count_registers(Arch::gfx942, scan("v_mov_b32 v140, 0"), &r);
  EXPECT_EQ(count.vgprs, 280);
  EXPECT_FALSE(count.lower_bound);
}

TEST(Registers, b6_scenario_22_gfx950_reports_half) {
  const DispatchResources r = counts(124, 0);
  const RegisterCount count = count_registers(Arch::gfx950, scan("v_mov_b32 v241, 0"), &r);
  EXPECT_EQ(count.vgprs, 248);
  EXPECT_TRUE(has(count, "vgpr-count-halved"));
}

TEST(Registers, gfx950_reports_all_where_the_instructions_fill_just_that) {
  const DispatchResources r = counts(248, 0);
  const RegisterCount count = count_registers(Arch::gfx950, scan("v_mov_b32 v241, 0"), &r);
  EXPECT_EQ(count.vgprs, 248);
  EXPECT_TRUE(count.findings.empty());
}

TEST(Registers, gfx950_ambiguous_count_is_said) {
  const DispatchResources r = counts(132, 0);
  const RegisterCount count = count_registers(Arch::gfx950, scan("v_mov_b32 v119, 0"), &r);
  EXPECT_EQ(count.vgprs, 264);
  EXPECT_EQ(count.otherwise, 132);
  EXPECT_TRUE(has(count, "vgpr-count-ambiguous"));
}

TEST(Registers, b7_scenario_24_absurd_accumulators_are_ignored) {
  const DispatchResources r = counts(64, 4294966272);
  const RegisterCount count = count_registers(Arch::gfx942, scan("v_mov_b32 v60, 0"), &r);
  EXPECT_EQ(count.vgprs, 64);
  EXPECT_TRUE(has(count, "accum-count-absurd"));
}

TEST(Registers, a_count_below_what_the_instructions_name_is_not_taken) {
  const DispatchResources r = counts(32, 0);
  const RegisterCount count = count_registers(Arch::gfx942, scan("v_mov_b32 v99, 0"), &r);
  EXPECT_EQ(count.vgprs, 100);
  EXPECT_TRUE(has(count, "register-count-low"));
}

}  // namespace
}  // namespace jaxtrace
