#include "support/library_kernels.h"

#include <fmt/format.h>

#include <string_view>

#include "support/random.h"

namespace jaxtrace::synth {
namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(…)", as NCCL 2.2x names them.
std::string collective_name(const Thunk& thunk, const Facts& facts, Style style,
                            std::uint64_t seed) {
  const std::string& kind = thunk.kind;
  constexpr std::string_view kArguments = "(ncclDevKernelArgsStorage<4096ul>)";
  // Some builds of RCCL launch one kernel for everything.
  if (style != Style::cuda && mix(seed, "rccl") % 3 == 0) {
    return fmt::format("ncclDevKernel_Generic_4{}", kArguments);
  }
  const std::string_view protocol = mix(seed, "protocol") % 2 == 0 ? "RING_LL" : "RING_SIMPLE";
  if (contains(kind, "AllReduce")) {
    const bool max = contains(facts.op_name, "pmax") || contains(facts.op_name, "reduce_max");
    return fmt::format("ncclDevKernel_AllReduce_{}_{}_{}{}", max ? "Max" : "Sum", facts.element,
                       protocol, kArguments);
  }
  if (contains(kind, "ReduceScatter")) {
    return fmt::format("ncclDevKernel_ReduceScatter_Sum_{}_{}{}", facts.element, protocol,
                       kArguments);
  }
  if (contains(kind, "AllGather")) {
    return fmt::format("ncclDevKernel_AllGather_{}{}", protocol, kArguments);
  }
  if (contains(kind, "Broadcast")) {
    return fmt::format("ncclDevKernel_Broadcast_{}{}", protocol, kArguments);
  }
  return fmt::format("ncclDevKernel_SendRecv{}", kArguments);
}

using Kernels = std::vector<LibraryKernel>;

Kernels gemm(const Thunk& thunk, const Facts& facts, Style style, std::uint64_t seed) {
  const std::uint64_t pick = mix(seed, thunk.instruction);
  Kernels out;
  if (pick % 11 == 0) out.push_back({.name = "", .fill = true});
  if (style == Style::cuda) {
    // Which kernel a shape gets is the same for all GEMMs of one size.
    constexpr std::string_view kMain[] = {
        "nvjet_hsh_128x128_64x4_1x2_h_bz_coopA_NNN",
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_"
        "segment_k_off_kernel__5x_cublas",
        "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x128_32x4_nn_align8>("
        "cutlass_80_tensorop_bf16_s16816gemm_bf16_128x128_32x4_nn_align8::Params)"};
    out.push_back({.name = std::string(kMain[mix(seed, facts.element + "gemm") % 3]),
                   .block = {128, 1, 1},
                   .shared_memory = 49152});
    if (pick % 4 == 1) {
      out.push_back({.name =
                         "void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, "
                         "float, __nv_bfloat16, false, true, false>(cublasLt::cublasSplitKParams<"
                         "float>, float const*)"});
    }
  } else {
    out.push_back(
        {.name = fmt::format("Cijk_Ailk_Bljk_{}S_BH_Bias_HA_S_SAV_UserArgs_MT{}x128x64_"
                             "MI16x16x1_SN_LDSB0_AFC1_GRVWA8_WG32_8_1",
                             facts.element == "bf16" ? "BB" : "SB", pick % 2 == 0 ? 128 : 256)});
    if (pick % 4 == 1) out.push_back({.name = out.back().name + "_PostGSU4_VW4"});
  }
  return out;
}

Kernels convolution(const Thunk& thunk, const Facts&, Style style, std::uint64_t seed,
                    std::uint64_t variation) {
  const std::uint64_t pick = mix(seed, thunk.instruction) + variation;
  Kernels out;
  if (style == Style::cuda) {
    const bool gradient = contains(thunk.instruction, "bw");
    const std::string transform =
        "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true, "
        "(cudnnKernelDataType_t)2>(cudnn::ops::nchw2nhwc_params_t<float>, float const*, float*)";
    for (std::uint64_t i = 0; i < pick % 3; ++i) out.push_back({.name = transform});
    out.push_back({.name = gradient ? "sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32_tf32f32_f32_"
                                      "nhwckrsc_nhwc_tilesize64x64x64_stage3_g1_execute_kernel__5x"
                                    : "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_"
                                      "nhwckcrs_nchw_tilesize128x128x16_stage4_g1_kernel__5x"});
    if (pick % 5 == 0) {
      out.push_back({.name = "void cudnn::ops::nhwcToNchwKernel<float, float, float, true, false>("
                             "cudnn::ops::nhwc2nchw_params_t<float>, float const*, float*)"});
    }
  } else {
    const std::uint64_t helpers = pick % 3;
    if (helpers == 2) {
      out.push_back({.name = "Im3d2Col"});
      out.push_back({.name = "Cijk_Ailk_Bljk_SB_MT64x64x16_MI32x32x2_SN_1LDSB0"});
    } else {
      for (std::uint64_t i = 0; i < helpers; ++i)
        out.push_back({.name = "SubTensorOpWithScalar1d"});
      out.push_back(
          {.name = "igemm_fwd_gtcx3_nhwc_fp32_bx0_ex1_bt128x64x16_wt32x32x2_ws1x1_wr2x1"});
    }
  }
  return out;
}

Kernels numbered(std::string_view format, std::uint64_t count) {
  Kernels out;
  for (std::uint64_t i = 0; i < count; ++i) {
    out.push_back({.name = fmt::format(fmt::runtime(format), 2 << i)});
  }
  return out;
}

}  // namespace

bool is_collective(const std::string& kind) {
  if (kind.ends_with("Done")) return false;
  for (const std::string_view part :
       {"kAllReduce", "kAllGather", "kReduceScatter", "kAllToAll", "kCollectivePermute",
        "kCollectiveBroadcast", "kRaggedAllToAll", "kNcclAll", "kNcclReduce", "kNcclCollective"}) {
    if (kind.starts_with(part)) return true;
  }
  return false;
}

std::vector<LibraryKernel> library_kernels(const Thunk& thunk, const Facts& facts, Style style,
                                           std::uint64_t seed, std::uint64_t variation) {
  const std::string& kind = thunk.kind;
  const std::uint64_t pick = mix(seed, thunk.instruction);
  if (is_collective(kind)) {
    return {{.name = collective_name(thunk, facts, style, seed),
             .shared_memory = style == Style::cuda ? 65536u : 0u}};
  }
  if (contains(kind, "Gemm") || contains(kind, "Cublas")) return gemm(thunk, facts, style, seed);
  if (contains(kind, "Convolution")) return convolution(thunk, facts, style, seed, variation);
  if (contains(kind, "Fft")) {
    return style == Style::cuda
               ? numbered("void vector_fft<{}u, 16u, 8u, (padding_t)1, float, float2>(float2*)",
                          1 + pick % 2)
               : numbered("fft_rtc_fwd_len{}_factors_8_8_wgs_64_tpt_8_sp_op_CI_CI", 1 + pick % 2);
  }
  if (contains(kind, "Triangular")) {
    return style == Style::cuda
               ? numbered("void trsm_right_kernel<float, {}, 4, false, true>(int, float const*)",
                          1 + pick % 2)
               : numbered("rocblas_trsm_block_solve_kernel<float, {}>", 1 + pick % 2);
  }
  if (contains(kind, "Sort")) {
    return style == Style::cuda
               ? numbered("void cub::CUB_200400_NS::DeviceRadixSortOnesweepKernel<{}>(uint*)",
                          2 + pick % 3)
               : numbered("void rocprim::detail::onesweep_iteration_kernel<{}>(uint*)",
                          2 + pick % 3);
  }
  if (contains(kind, "CuDnn") || contains(kind, "Norm")) {
    return numbered("cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_{}", 1);
  }
  if (contains(thunk.instruction, "cholesky") || contains(thunk.instruction, "potrf")) {
    return numbered("void potrf_alg2_cta_lower<float, float, {}>(int, int, float*)", 1 + pick % 3);
  }
  Kernels out;
  for (std::uint64_t i = 0; i < 1 + pick % 3; ++i) {
    out.push_back({.name = fmt::format("void ffi_stage_kernel<{}>(float*, int)", i)});
  }
  return out;
}

}  // namespace jaxtrace::synth
