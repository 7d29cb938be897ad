// Patterns of library kernel names.  Seen in captures: Cijk_*, ck_tile, __amd_rocclr_*, Im3d2Col,
// Transformer Engine's; the others are the libraries' public naming schemes.
#include "analysis/kernel_family.h"

#include <algorithm>
#include <array>
#include <string>

#include "analysis/text.h"

namespace jaxtrace {
namespace {

struct Pattern {
  std::string_view part;  // '^' in front: the name begins with it
  Family family;
};

// In order: the first that fits decides.  Lower case; names are compared in lower case.
constexpr std::array kPatterns = std::to_array<Pattern>({
    {"__amd_rocclr_copybuffer", Family::copy},
    {"__amd_rocclr_fillbuffer", Family::fill},
    {"^memcpy", Family::copy},
    {"^copydevicetodevice", Family::copy},
    {"^copyhosttodevice", Family::copy},
    {"^copydevicetohost", Family::copy},
    {"^memset", Family::fill},
    {"fillbufferaligned", Family::fill},
    {"^nccldev", Family::collective},
    {"^ncclkernel", Family::collective},
    {"rccl", Family::collective},
    {"allreducekernelimpl", Family::collective},
    {"raggedalltoall", Family::collective},
    {"nvshmem", Family::collective},
    {"set_while_condition", Family::control},
    {"set_case_condition", Family::control},
    {"set_if_condition", Family::control},
    {"set_for_condition", Family::control},
    {"driver_conditional_helper", Family::control},
    {"splitkreduce", Family::gemm_helper},
    {"splitk_reduce", Family::gemm_helper},
    {"_postgsu", Family::gemm_helper},
    {"reduce_1block_kernel", Family::gemm_helper},
    {"fmha", Family::attention},
    {"flash_", Family::attention},
    {"sdpa", Family::attention},
    {"aiter", Family::attention},
    {"cub::", Family::sort},
    {"deviceradixsort", Family::sort},
    {"rocprim::", Family::sort},
    {"cudnn", Family::convolution},
    {"xmma_fprop", Family::convolution},
    {"xmma_dgrad", Family::convolution},
    {"xmma_wgrad", Family::convolution},
    {"implicit_gemm", Family::convolution},
    {"implicit_convolve", Family::convolution},
    {"winograd", Family::convolution},
    {"nchwtonhwc", Family::convolution},
    {"nhwctonchw", Family::convolution},
    {"im2col", Family::convolution},
    {"im2d2col", Family::convolution},
    {"im3d2col", Family::convolution},
    {"col2im", Family::convolution},
    {"miopen", Family::convolution},
    {"igemm_", Family::convolution},
    {"batched_transpose", Family::convolution},
    {"subtensorop", Family::convolution},
    {"conv2d", Family::convolution},
    {"^fft", Family::fft},
    {"_fft", Family::fft},
    {"regular_fft", Family::fft},
    {"vector_fft", Family::fft},
    {"rocfft", Family::fft},
    {"^cijk_", Family::gemm},
    {"custom_cijk", Family::gemm},
    {"nvjet", Family::gemm},
    {"cutlass", Family::gemm},
    {"gemm", Family::gemm},
    {"gemv", Family::gemm},
    {"rocblas", Family::gemm},
    {"hipblaslt", Family::gemm},
    {"cublas", Family::gemm},
    {"dot_kernel", Family::gemm},
    {"ck::", Family::gemm},
});

bool fits(std::string_view name, std::string_view part) {
  if (part.front() == '^') return name.starts_with(part.substr(1));
  return name.find(part) != std::string_view::npos;
}

}  // namespace

std::string_view bare_kernel_name(std::string_view name) {
  for (const std::string_view suffix : {" [clone .kd]", ".kd"}) {
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  }
  return name;
}

Family kernel_family(std::string_view name) {
  std::string folded = lower(bare_kernel_name(name));
  if (folded.starts_with("void ")) folded.erase(0, 5);
  for (const Pattern& pattern : kPatterns) {
    if (fits(folded, pattern.part)) return pattern.family;
  }
  return Family::unknown;
}

Primitive collective_primitive(std::string_view name) {
  struct Row {
    std::string_view part;
    Primitive primitive;
  };
  constexpr std::array kRows = std::to_array<Row>({
      {"allreduce", Primitive::all_reduce},
      {"allgather", Primitive::all_gather},
      {"reducescatter", Primitive::reduce_scatter},
      {"sendrecv", Primitive::send_recv},
      {"alltoall", Primitive::send_recv},
      {"broadcast", Primitive::broadcast},
      {"_reduce_", Primitive::reduce},
  });
  const std::string folded = lower(name);
  for (const Row& row : kRows) {
    if (folded.find(row.part) != std::string::npos) return row.primitive;
  }
  return Primitive::unknown;
}

}  // namespace jaxtrace
