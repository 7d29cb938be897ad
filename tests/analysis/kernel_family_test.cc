// Names seen in captures and in the libraries' public naming schemes.
#include "analysis/kernel_family.h"

#include <gtest/gtest.h>

namespace jaxtrace {
namespace {

TEST(KernelFamily, KnowsLibrariesByTheirNames) {
  struct Case {
    const char* name;
    Family family;
  };
  for (const Case& one : {
           Case{"Cijk_Ailk_Bljk_SB_MT64x64x16_MI32x32x2_SN_1LDSB0", Family::gemm},
           Case{"Cijk_Ailk_Bljk_BBS_BH_MT128x128x64_PostGSU4_VW4", Family::gemm_helper},
           Case{"nvjet_hsh_128x128_64x4_1x2_h_bz_coopA_NNN", Family::gemm},
           Case{"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16>(x::Params)",
                Family::gemm},
           Case{"void cublasLt::splitKreduce_kernel<32, 16, int, float>(float*)",
                Family::gemm_helper},
           Case{"sm80_xmma_fprop_implicit_gemm_indexed_tf32f32", Family::convolution},
           Case{"Im3d2Col", Family::convolution},
           Case{"SubTensorOpWithScalar1d", Family::convolution},
           Case{"void ck_tile::kentry<ck_tile::gfx950_t, 2, ck_tile::FmhaFwdKernel>(x)",
                Family::attention},
           Case{"cudnn_generated_fort_native_sdpa_sm90_flash_fprop", Family::attention},
           Case{"void cub::CUB_200400_NS::DeviceRadixSortOnesweepKernel<2>(uint*)", Family::sort},
           Case{"void vector_fft<2u, 16u, 8u>(float2*)", Family::fft},
           Case{"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)", Family::collective},
           Case{"MemcpyD2D", Family::copy},
           Case{"CopyDeviceToDevice", Family::copy},
           Case{"__amd_rocclr_copyBuffer.kd", Family::copy},
           Case{"Memset", Family::fill},
           Case{"__amd_rocclr_fillBufferAligned.kd", Family::fill},
           Case{"set_while_condition", Family::control},
           Case{"loop_add_fusion_3", Family::unknown},
           Case{"", Family::unknown},
       }) {
    EXPECT_EQ(static_cast<int>(kernel_family(one.name)), static_cast<int>(one.family)) << one.name;
  }
}

TEST(KernelFamily, StripsWhatTracersAdd) {
  EXPECT_EQ(bare_kernel_name("loop_fusion.kd"), "loop_fusion");
  EXPECT_EQ(bare_kernel_name("loop_fusion [clone .kd]"), "loop_fusion");
  EXPECT_EQ(bare_kernel_name("loop_fusion"), "loop_fusion");
  EXPECT_EQ(bare_kernel_name(".kd"), "");
}

TEST(KernelFamily, ReadsThePrimitiveOfACollective) {
  EXPECT_EQ(collective_primitive("ncclDevKernel_AllReduce_Sum_bf16_RING_LL"),
            Primitive::all_reduce);
  EXPECT_EQ(collective_primitive("ncclDevKernel_AllGather_RING_LL"), Primitive::all_gather);
  EXPECT_EQ(collective_primitive("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL"),
            Primitive::reduce_scatter);
  EXPECT_EQ(collective_primitive("ncclDevKernel_SendRecv(x)"), Primitive::send_recv);
  EXPECT_EQ(collective_primitive("ncclDevKernel_Generic_4(x)"), Primitive::unknown)
      << "RCCL may run one kernel for everything";
}

}  // namespace
}  // namespace jaxtrace
