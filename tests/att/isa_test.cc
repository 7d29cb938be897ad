#include "att/isa.h"

#include <gtest/gtest.h>

namespace jaxtrace {
namespace {

using enum WaitCounter;
using Waits = std::vector<CounterWait>;

Instruction at(std::int64_t address, std::string text) {
  Instruction instruction;
  instruction.address = address;
  instruction.text = std::move(text);
  return instruction;
}

TEST(Isa, mnemonic_and_operands_end_where_a_comment_begins) {
  EXPECT_EQ(mnemonic_of("  v_add_f32 v1, v2, v3 ; v300"), "v_add_f32");
  EXPECT_EQ(mnemonic_of("; _Z4axpyPf"), "");
  EXPECT_EQ(operands_of("v_mfma_f32_16x16x16_bf16 v[6:9], v[2:3], v[4:5], 0 // note"),
            (std::vector<std::string_view>{"v[6:9]", "v[2:3]", "v[4:5]", "0"}));
  EXPECT_TRUE(operands_of("s_endpgm").empty());
}

TEST(Isa, a_modifier_is_a_word_of_its_own) {
  EXPECT_TRUE(has_modifier("buffer_load_dword v9, s[4:7], 0 offen lds", "lds"));
  EXPECT_FALSE(has_modifier("s_mov_b32 m0, lds_base", "lds"));
  EXPECT_FALSE(has_modifier("lds", "lds"));
}

TEST(Isa, scenario_40_branch_offset_is_signed_and_counts_from_the_next_instruction) {
  EXPECT_EQ(branch_target(at(0x1bc4, "s_cbranch_scc1 65363")), 0x1914);
  EXPECT_EQ(branch_target(at(0x1614, "s_branch 58")), 0x1700);
  EXPECT_EQ(branch_target(at(0x1614, "s_cbranch_scc1 BB0_3")), std::nullopt);
  EXPECT_EQ(branch_target(at(0x1614, "s_cbranch_scc1 70000")), std::nullopt);
  EXPECT_EQ(branch_target(at(0x1614, "s_setpc_b64 s[30:31]")), std::nullopt);
}

TEST(Isa, waits_of_gfx9_to_gfx11) {
  EXPECT_EQ(waits_of("s_waitcnt vmcnt(3)", 9), (Waits{{vm, 3}}));
  EXPECT_EQ(waits_of("s_waitcnt lgkmcnt(0) vmcnt(7)", 9), (Waits{{vm, 7}, {lgkm, 0}}));
  EXPECT_EQ(waits_of("s_waitcnt vmcnt(0) & expcnt(1)", 9), (Waits{{vm, 0}, {exp, 1}}));
  EXPECT_EQ(waits_of("s_waitcnt_vscnt null, 0x2", 10), (Waits{{vs, 2}}));
  EXPECT_EQ(waits_of("s_barrier", 9), Waits{});
  EXPECT_EQ(waits_of("s_waitcnt_depctr 0xfffe", 11), Waits{});
}

TEST(Isa, waits_as_a_bare_number_are_laid_out_by_family) {
  EXPECT_EQ(waits_of("s_waitcnt 0xc07f", 9), (Waits{{lgkm, 0}}));
  EXPECT_EQ(waits_of("s_waitcnt 0x0f70", 9), (Waits{{vm, 0}}));
  EXPECT_EQ(waits_of("s_waitcnt 0", 9), (Waits{{vm, 0}, {lgkm, 0}, {exp, 0}}));
  EXPECT_EQ(waits_of("s_waitcnt 0x8f71", 9), (Waits{{vm, 33}})) << "high bits of vmcnt are 15:14";
  EXPECT_EQ(waits_of("s_waitcnt 0xc07f", 10), (Waits{{lgkm, 0}}));
  EXPECT_EQ(waits_of("s_waitcnt 0x3f7", 11), (Waits{{vm, 0}})) << "vmcnt moved to 15:10";
  EXPECT_EQ(waits_of("s_waitcnt 0xfc07", 11), (Waits{{lgkm, 0}}));
}

TEST(Isa, waits_of_gfx12_name_one_counter_each) {
  EXPECT_EQ(waits_of("s_wait_loadcnt 0x2", 12), (Waits{{load, 2}}));
  EXPECT_EQ(waits_of("s_wait_kmcnt 0", 12), (Waits{{km, 0}}));
  EXPECT_EQ(waits_of("s_wait_loadcnt_dscnt 0x103", 12), (Waits{{load, 1}, {ds, 3}}));
  EXPECT_EQ(waits_of("s_wait_storecnt_dscnt 0x0", 12), (Waits{{store, 0}, {ds, 0}}));
  EXPECT_EQ(waits_of("s_wait_idle", 12).size(), 7u);
  EXPECT_EQ(waits_of("s_wait_alu 0xfffd", 12), Waits{}) << "not memory";
}

TEST(Isa, what_an_operation_counts_as) {
  const auto counters = [](std::string_view isa, int family) {
    return outstanding_of(isa, family).counters;
  };
  using Counters = std::vector<WaitCounter>;
  EXPECT_EQ(counters("buffer_load_dwordx4 v5, s[12:15], 0 offen lds", 9), Counters{vm});
  EXPECT_EQ(counters("global_store_dword v[4:5], v0, off", 9), Counters{vm}) << "gfx9: stores too";
  EXPECT_EQ(counters("global_store_b32 v[4:5], v0, off", 11), Counters{vs});
  EXPECT_EQ(counters("global_store_b32 v[4:5], v0, off", 12), Counters{store});
  EXPECT_EQ(counters("ds_read_b128 v[0:3], v9", 9), Counters{lgkm});
  EXPECT_EQ(counters("ds_load_b128 v[0:3], v9", 12), Counters{ds});
  EXPECT_EQ(counters("s_buffer_load_dword s0, s[4:7], 0", 9), Counters{lgkm});
  EXPECT_EQ(counters("flat_load_dword v0, v[2:3]", 9), (Counters{vm, lgkm}));
  EXPECT_FALSE(outstanding_of("flat_load_dword v0, v[2:3]", 9).ordered);
  EXPECT_FALSE(outstanding_of("s_load_dword s0, s[4:5], 0", 9).ordered);
  EXPECT_EQ(counters("v_add_f32 v1, v2, v3", 9), Counters{});
  EXPECT_EQ(counters("buffer_inv sc1", 9), Counters{});
  EXPECT_EQ(counters("global_atomic_add v0, v[2:3], v1, off glc", 10), Counters{vm});
  EXPECT_EQ(counters("global_atomic_add v[2:3], v1, off", 10), Counters{vs});
}

TEST(Isa, passes_of_matrix_instructions) {
  const auto passes = [](std::string_view isa, Arch arch) {
    return matrix_passes(isa, arch).value_or(-1);
  };
  EXPECT_EQ(passes("v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], 0", Arch::gfx942), 4);
  EXPECT_EQ(passes("v_mfma_f32_16x16x16f16 a[0:3], v[0:1], v[2:3], 0", Arch::gfx90a), 8);
  EXPECT_EQ(passes("v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], 0", Arch::gfx942), 8);
  EXPECT_EQ(passes("v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[2:3], 0", Arch::gfx90a), 16);
  EXPECT_EQ(passes("v_mfma_f32_16x16x4_f32 a[0:3], v0, v1, 0", Arch::gfx942), 8);
  EXPECT_EQ(passes("v_mfma_f32_32x32x2_f32 a[0:15], v0, v1, 0", Arch::gfx942), 16);
  EXPECT_EQ(passes("v_mfma_f32_32x32x4_xf32 a[0:15], v[0:1], v[2:3], 0", Arch::gfx942), 8);
  EXPECT_EQ(passes("v_mfma_f32_16x16x32_fp8_fp8 v[0:3], v[0:1], v[2:3], 0", Arch::gfx950), 4);
  EXPECT_EQ(passes("v_mfma_f32_4x4x4_16b_f16 a[0:3], v[0:1], v[2:3], 0", Arch::gfx942), 2);
  EXPECT_EQ(passes("v_mfma_f64_16x16x4_f64 a[0:7], v[0:1], v[2:3], 0", Arch::gfx942), 8);
  EXPECT_EQ(passes("v_mfma_f64_16x16x4_f64 a[0:7], v[0:1], v[2:3], 0", Arch::gfx950), 16)
      << "half of gfx942's rate";
  EXPECT_EQ(passes("v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[0:7], v[8:15], 0", Arch::gfx950), 8);
  EXPECT_EQ(
      passes("v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[0:7], v[8:15], 0 cbsz:4 blgp:4", Arch::gfx950),
      4);
  EXPECT_EQ(passes("v_mfma_scale_f32_32x32x64_f8f6f4 v[0:15], v[0:7], v[8:15], v[0:15], v1, v2 "
                   "cbsz:4",
                   Arch::gfx950),
            16)
      << "B is still FP8";
  EXPECT_EQ(passes("v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], 0", Arch::other), -1);
  EXPECT_EQ(passes("v_fma_f32 v0, v1, v2, v3", Arch::gfx942), -1);
}

TEST(Isa, wait_states_after_a_matrix_instruction) {
  std::vector<int> gfx942, gfx950;
  for (const int passes : {2, 4, 8, 16}) {
    gfx942.push_back(required_wait_states(passes, Arch::gfx942).value());
    gfx950.push_back(required_wait_states(passes, Arch::gfx950).value());
  }
  EXPECT_EQ(gfx942, (std::vector{5, 7, 11, 19}));
  EXPECT_EQ(gfx950, (std::vector{5, 8, 12, 20}));
}

}  // namespace
}  // namespace jaxtrace
