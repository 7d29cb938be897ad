#include "att/arch.h"

#include <gtest/gtest.h>

#include "support/listing.h"

namespace jaxtrace {
namespace {

using Arches = std::vector<Arch>;

ThreadTrace with_agent(ThreadTrace trace, std::string arch, std::int64_t lds) {
  DispatchResources r;
  r.arch = std::move(arch);
  r.lds_bytes = lds;
  trace.resources.push_back(r);
  return trace;
}

TEST(Arch, asked_for_comes_first) {
  const DetectedArch found = detect_arch(program("v_bitop3_b32 v1, v2, v3, v4"), "gfx90a");
  EXPECT_EQ(found.arch, Arch::gfx90a);
  EXPECT_EQ(found.evidence, "--arch");
  ASSERT_EQ(found.findings.size(), 1u) << "and what contradicts it is said";
  EXPECT_EQ(found.findings[0].code, "arch-contradiction");
}

TEST(Arch, then_the_agent_of_the_dispatch) {
  const DetectedArch found = detect_arch(with_agent(program("s_nop 0"), "gfx950", 0), "");
  EXPECT_EQ(found.arch, Arch::gfx950);
  EXPECT_EQ(found.evidence, "agent_info.csv");
  EXPECT_TRUE(found.findings.empty());
}

TEST(Arch, another_family_is_not_modelled) {
  ThreadTrace trace = program("s_nop 0");
  trace.gfxip = "11";
  const DetectedArch found = detect_arch(trace, "");
  EXPECT_EQ(found.name, "gfx11");
  EXPECT_EQ(found.family, 11);
  EXPECT_TRUE(found.candidates.empty());
  EXPECT_EQ(detect_arch(trace, "gfx1201").family, 12);
  EXPECT_EQ(detect_arch(trace, "gfx1030").family, 10);
}

TEST(Arch, b5_instructions_of_one_gpu_alone_decide) {
  for (const std::string_view isa :
       {"v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[0:7], v[8:15], v[0:3], v1, v2",
        "v_mfma_f32_16x16x32_bf16 v[0:3], v[4:7], v[8:11], 0", "v_bitop3_b32 v1, v2, v3, v4",
        "ds_read_b64_tr_b16 v[0:1], v2", "buffer_load_dwordx4 v5, s[12:15], 0 offen lds"}) {
    EXPECT_EQ(detect_arch(program(isa), "").arch, Arch::gfx950) << isa;
  }
  EXPECT_EQ(detect_arch(program("v_mfma_f32_32x32x4_xf32 a[0:15], v[0:1], v[2:3], 0"), "").arch,
            Arch::gfx942);
  EXPECT_EQ(detect_arch(program("v_mfma_f32_32x32x8bf16_1k a[0:15], v[0:1], v[2:3], 0"), "").arch,
            Arch::gfx90a);
}

TEST(Arch, b5_never_a_silent_gfx942) {
  const DetectedArch found = detect_arch(
      program("v_mfma_f32_16x16x32_fp8_fp8 v[0:3], v[0:1], v[2:3], 0\nbuffer_load_dwordx4 v[0:3], "
              "v5, s[12:15], 0 offen"),
      "");
  EXPECT_EQ(found.arch, Arch::other);
  EXPECT_EQ(found.candidates, (Arches{Arch::gfx942, Arch::gfx950}));
  EXPECT_EQ(found.name, "gfx9 (gfx942 or gfx950)");
}

TEST(Arch, scenario_26_nothing_known_leaves_all_three) {
  const DetectedArch found = detect_arch(program("s_load_dword s0, s[4:5], 0x0"), "");
  EXPECT_EQ(found.candidates, (Arches{Arch::gfx90a, Arch::gfx942, Arch::gfx950}));
  EXPECT_EQ(found.name, "gfx9 (gfx90a, gfx942 or gfx950)");
}

TEST(Arch, old_spelling_is_no_gfx942) {
  const DetectedArch found =
      detect_arch(program("v_mfma_f32_16x16x16f16 a[0:3], v[0:1], v[2:3], 0"), "");
  EXPECT_EQ(found.arch, Arch::other) << "gfx908 spells it so too";
  EXPECT_EQ(found.candidates, Arches{Arch::gfx90a});
}

TEST(Arch, more_lds_than_older_gpus_have_is_gfx950) {
  EXPECT_EQ(detect_arch(with_agent(program("s_nop 0"), "", 84992), "").arch, Arch::gfx950);
  const DetectedArch wrong = detect_arch(with_agent(program("s_nop 0"), "gfx942", 84992), "");
  ASSERT_EQ(wrong.findings.size(), 1u);
  EXPECT_EQ(wrong.findings[0].code, "arch-contradiction");
}

TEST(Arch, a_tensile_kernel_names_its_gpu) {
  ThreadTrace trace = program("v_mfma_f32_16x16x16_bf16 v[0:3], v[0:1], v[2:3], 0");
  trace.kernels[0].symbol = "Cijk_Alik_Bljk_BBS_BH_MT256x224x64_ISA942_IU1";
  EXPECT_EQ(detect_arch(trace, "").arch, Arch::gfx942);
}

TEST(Arch, names) {
  EXPECT_EQ(arch_of("gfx942"), Arch::gfx942);
  EXPECT_EQ(arch_of("gfx1100"), Arch::other);
  EXPECT_EQ(arch_of("MI300"), std::nullopt);
  EXPECT_EQ(arch_of("gfx"), std::nullopt);
}

}  // namespace
}  // namespace jaxtrace
