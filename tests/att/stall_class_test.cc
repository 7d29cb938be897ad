// Classes of stalls, mnemonic by mnemonic, over the families gfx9 to gfx12.  "B" numbers are those
// of docs/hotspot.md.
#include "att/stall_class.h"

#include <gtest/gtest.h>

#include <string>

namespace jaxtrace {
namespace {

struct Case {
  const char* isa;
  const char* name;
  int family = 9;
};

void expect(std::initializer_list<Case> cases) {
  for (const Case& c : cases) {
    EXPECT_EQ(name_of(stall_class_of(c.isa, c.family)), c.name) << c.isa;
  }
}

TEST(StallClass, KeepsTheNamesOfTheOldTable) {
  expect({{"buffer_load_dwordx4 v[0:3], v4, s[0:3], 0 offen", "VMEM-load"},
          {"global_load_dword v0, v[2:3], off", "VMEM-load"},
          {"s_waitcnt vmcnt(3)", "VMEM-wait"},
          {"s_waitcnt lgkmcnt(0)", "LDS/SMEM-wait"},
          {"s_waitcnt expcnt(0)", "EXP-wait"},
          {"s_barrier", "barrier"},
          {"v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]", "MFMA"},
          {"ds_read_b128 v[0:3], v4", "LDS"},
          {"ds_write_b64 v0, v[2:3]", "LDS"},
          {"s_load_dwordx2 s[0:1], s[4:5], 0x0", "SMEM"}});
}

TEST(StallClass, B27_AWaitForSeveralKindsIsMixed) {
  expect({{"s_waitcnt vmcnt(0) lgkmcnt(0)", "MIXED-wait"},
          {"s_waitcnt vmcnt(0) expcnt(0)", "MIXED-wait"},
          {"s_wait_loadcnt_dscnt 0x0", "MIXED-wait", 12}});
}

TEST(StallClass, B28_DsLoadIsLdsThoughItHoldsSLoad) {
  expect({{"ds_load_b128 v[0:3], v4", "LDS", 11}, {"ds_store_b32 v0, v1", "LDS", 11}});
}

TEST(StallClass, B29_SBufferLoadIsScalar) {
  expect({{"s_buffer_load_dwordx4 s[0:3], s[4:7], 0x0", "SMEM"},
          {"s_buffer_load_b128 s[0:3], s[4:7], 0x0", "SMEM", 12}});
}

TEST(StallClass, B30_WaitsOfGfx12) {
  expect({{"s_wait_loadcnt 0x0", "VMEM-wait", 12},
          {"s_wait_samplecnt 0x0", "VMEM-wait", 12},
          {"s_wait_storecnt 0x0", "VSTORE-wait", 12},
          {"s_waitcnt_vscnt null, 0x0", "VSTORE-wait", 10},
          {"s_wait_dscnt 0x0", "LDS-wait", 12},
          {"s_wait_kmcnt 0x0", "SMEM-wait", 12},
          {"s_wait_expcnt 0x0", "EXP-wait", 12},
          {"s_wait_alu 0xfffe", "ALU-wait", 12},
          {"s_delay_alu instid0(VALU_DEP_1)", "ALU-wait", 11}});
}

TEST(StallClass, B31_StoresScratchAtomicsImages) {
  expect({{"flat_store_dword v[0:1], v2", "VMEM-store"},
          {"global_store_short_d16_hi v[0:1], v2, off", "VMEM-store"},
          {"scratch_load_dwordx4 v[0:3], off, s0", "SCRATCH"},
          {"scratch_store_dword off, v0, s0", "SCRATCH"},
          {"global_atomic_add_f32 v0, v1, s[0:1]", "VMEM-atomic"},
          {"image_load v[0:3], v[4:5], s[0:7]", "VMEM-load"},
          {"buffer_wbl2 sc1", "CACHE"},
          {"buffer_inv sc1", "CACHE"}});
}

TEST(StallClass, B32_FmaIsNoMatrixInstruction) {
  expect({{"v_fma_f32 v0, v1, v2, v3", "VALU"},
          {"v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]", "VALU"},
          {"v_fmac_f32_e32 v0, v1, v2", "VALU"},
          {"v_dot2_f32_f16 v0, v1, v2, v3", "VALU"},
          {"v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10", "MFMA"},
          {"v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]", "MFMA", 11},
          {"v_swmmac_f32_16x16x32_f16 v[0:7], v[8:11], v[12:19], v20", "MFMA", 12}});
}

TEST(StallClass, B33_WhatWasOtherHasClassesOfItsOwn) {
  expect({{"v_add_u32_e32 v0, v1, v2", "VALU"},
          {"v_exp_f32_e32 v0, v1", "TRANS"},
          {"v_s_rcp_f32 s0, s1", "TRANS", 12},
          {"v_accvgpr_read_b32 v0, a0", "ACC"},
          {"s_add_i32 s0, s1, s2", "SALU"},
          {"s_cbranch_scc1 65363", "BRANCH"},
          {"s_nop 7", "NOP"},
          {"s_sendmsg sendmsg(MSG_INTERRUPT)", "MSG"},
          {"ds_bpermute_b32 v0, v1, v2", "LDS-xlane"},
          {"ds_swizzle_b32 v0, v1 offset:0x1f", "LDS-xlane"},
          {".long 0xbf9f0000", "other"}});
}

TEST(StallClass, B34_B35_IdleIsNoBarrierAndASignalIsNoWait) {
  expect({{"s_wait_idle", "ALL-wait", 12},
          {"s_barrier_wait 0xffff", "barrier", 12},
          {"s_barrier_signal -1", "barrier-signal", 12}});
}

TEST(StallClass, LoadsIntoLdsAreToldByTheirModifierOrName) {
  expect({{"buffer_load_dword v5, s[4:7], 0 offen lds", "VMEM-load(LDS)"},
          {"buffer_load_dword v5, s[4:7], 0 offen ; lds", "VMEM-load"},
          {"global_load_lds_dwordx4 v[0:1], off", "VMEM-load(LDS)"},
          {"global_load_async_to_lds_b128 v0, v[2:3], off", "VMEM-load(LDS)", 12}});
}

TEST(StallClass, CommentsDoNotCount) {
  expect({{"v_mov_b32 v0, v1 ; s_waitcnt vmcnt(0)", "VALU"}, {"", "other"}});
}

}  // namespace
}  // namespace jaxtrace
