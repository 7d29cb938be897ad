// What library calls compute, and in which precision.
//
//   __cublas$lt$matmul
//   {"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"]…
//   __cudnn$convForward  window and dim_labels of the call itself
//
// alpha, beta, bias and activation are left out, as XLA leaves them out: the product outweighs
// them.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "hlo/cost_parts.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

using Json = nlohmann::json;

// Element types by their numbers in xla_data.proto.
constexpr int kF16 = 10, kF32 = 11, kF64 = 12, kC64 = 15, kBf16 = 16, kC128 = 18;

bool is_any(int type, std::initializer_list<int> types) {
  return std::ranges::find(types, type) != types.end();
}

Precision product_precision(int type) {
  if (is_any(type, {kF64, kC128})) return Precision::f64;
  if (is_any(type, {kF32, kC64})) return Precision::f32;
  if (is_any(type, {kF16, kBf16})) return Precision::f16;
  if (is_any(type, {19, 20, 23, 24, 25, 28, 29, 33})) return Precision::f8;
  if (type == 32) return Precision::f4;
  if (is_any(type, {2, 6, 21, 22})) return Precision::i8;  // S8 U8, and 4 bits unpacked to them
  return Precision::none;
}

/// Wider ones first: a product is computed in the wider type of its operands.
int width_rank(Precision precision) {
  constexpr std::array kWidest = {Precision::f64, Precision::f32, Precision::f16,
                                  Precision::f8,  Precision::f4,  Precision::i8};
  return static_cast<int>(std::ranges::find(kWidest, precision) - kWidest.begin());
}

// PrecisionConfig.Algorithm; the x3, x6 and x9 forms make an f32 product of several narrow ones,
// and their operations are counted once.
std::optional<Precision> algorithm_precision(int algorithm) {
  switch (algorithm) {
    case 1:
    case 2:
      return Precision::f8;
    case 3:
    case 4:
    case 5:
    case 6:
      return Precision::f16;
    case 9:
      return Precision::tf32;
    case 7:
    case 8:
    case 10:
    case 11:
    case 13:
      return Precision::f32;
    case 12:
      return Precision::f64;
    default:
      return {};
  }
}

/// "1" or 1.
std::optional<std::int64_t> integer(const Json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_string()) return {};
  const auto& text = value.get_ref<const std::string&>();
  if (text.empty() || text.size() > 4) return {};
  std::int64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return {};
    number = number * 10 + (c - '0');
  }
  return number;
}

const Json& member(const Json& object, const char* key) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

pb::PrecisionConfig read_precision(const Json& config) {
  pb::PrecisionConfig precision;
  for (const Json& operand : member(config, "operand_precision")) {
    precision.add_operand_precision(operand == "HIGHEST" ? 2 : operand == "HIGH" ? 1 : 0);
  }
  constexpr std::array<std::string_view, 14> kAlgorithms = {"ALG_UNSET",
                                                            "ALG_DOT_ANY_F8_ANY_F8_F32",
                                                            "ALG_DOT_ANY_F8_ANY_F8_F32_FAST_ACCUM",
                                                            "ALG_DOT_F16_F16_F16",
                                                            "ALG_DOT_F16_F16_F32",
                                                            "ALG_DOT_BF16_BF16_BF16",
                                                            "ALG_DOT_BF16_BF16_F32",
                                                            "ALG_DOT_BF16_BF16_F32_X3",
                                                            "ALG_DOT_BF16_BF16_F32_X6",
                                                            "ALG_DOT_TF32_TF32_F32",
                                                            "ALG_DOT_TF32_TF32_F32_X3",
                                                            "ALG_DOT_F32_F32_F32",
                                                            "ALG_DOT_F64_F64_F64",
                                                            "ALG_DOT_BF16_BF16_F32_X9"};
  if (const Json& algorithm = member(config, "algorithm"); algorithm.is_string()) {
    const auto* found = std::ranges::find(kAlgorithms, algorithm.get_ref<const std::string&>());
    if (found != kAlgorithms.end()) {
      precision.set_algorithm(static_cast<int>(found - kAlgorithms.begin()));
    }
  }
  return precision;
}

const pb::ShapeProto& main_result(const pb::ShapeProto& shape) {
  return shape.tuple_shapes().empty() ? shape : shape.tuple_shapes(0);
}

std::optional<LibraryCall> gemm(const CostView& view, InstructionId id) {
  if (!view.has_operands(id, 2)) return {};
  const Json config = Json::parse(view.program[id].backend_config, nullptr, false);
  // Old configurations are not inside another.
  const Json& inner = member(config, "gemm_backend_config");
  const Json& gemm = inner.is_object() ? inner : config;
  const Json& contracting =
      member(member(gemm, "dot_dimension_numbers"), "lhs_contracting_dimensions");
  if (!contracting.is_array()) return {};
  std::vector<std::int64_t> dimensions;
  for (const Json& value : contracting) {
    const auto number = integer(value);
    if (!number) return {};
    dimensions.push_back(*number);
  }
  const pb::ShapeProto& lhs = view.shape(view.operand(id, 0));
  const auto matrix =
      matrix_precision(lhs.element_type(), view.shape(view.operand(id, 1)).element_type(),
                       read_precision(member(gemm, "precision_config")));
  return LibraryCall{dot_flops(lhs, main_result(view.shape(id)), dimensions), matrix.precision,
                     matrix.open, false};
}

std::optional<LibraryCall> convolution(const CostView& view, InstructionId id,
                                       std::int64_t& steps) {
  if (!view.has_operands(id, 2)) return {};
  // A backward convolution has the dimensions of the forward one, whose input or kernel it results
  // in.
  const pb::ShapeProto& first = view.shape(view.operand(id, 0));
  const pb::ShapeProto& second = view.shape(view.operand(id, 1));
  const pb::ShapeProto& result = main_result(view.shape(id));
  const std::string_view target = view.program[id].custom_call_target;
  const pb::HloInstructionProto& row = view.row(id);
  Count flops;
  if (target.starts_with("__cudnn$convBackwardInput")) {
    flops = convolution_flops(row, result, second, first, steps);
  } else if (target.starts_with("__cudnn$convBackwardFilter")) {
    flops = convolution_flops(row, first, result, second, steps);
  } else {
    flops = convolution_flops(row, first, second, result, steps);
  }
  const auto matrix =
      matrix_precision(first.element_type(), second.element_type(), row.precision_config());
  return LibraryCall{flops, matrix.precision, matrix.open, false};
}

bool is_gemm(std::string_view target) {
  return target == "__cublas$gemm" || target.starts_with("__cublas$lt$matmul");
}

bool is_convolution(std::string_view target) {
  return target.starts_with("__cudnn$conv") && !target.starts_with("__cudnn$convReorder");
}

bool is_attention(std::string_view target) {
  return target.starts_with("__cudnn$fmha") || target == "te_fused_attn_forward_ffi" ||
         target == "te_fused_attn_backward_ffi";
}

}  // namespace

Precision vector_precision(int type) {
  return is_any(type, {kF64, kC128}) ? Precision::f64_vector : Precision::f32_vector;
}

MatrixPrecision matrix_precision(int lhs_type, int rhs_type, const pb::PrecisionConfig& config) {
  const Precision lhs = product_precision(lhs_type), rhs = product_precision(rhs_type);
  const Precision wider = width_rank(rhs) < width_rank(lhs) ? rhs : lhs;
  if (const auto said = algorithm_precision(config.algorithm())) return {*said, false};
  const bool highest =
      std::ranges::find(config.operand_precision(), 2) != config.operand_precision().end();
  return {wider, wider == Precision::f32 && !highest};
}

bool is_library_call(std::string_view target) {
  return is_gemm(target) || is_convolution(target) || is_attention(target);
}

std::optional<LibraryCall> library_call(const CostView& view, InstructionId id,
                                        std::int64_t& steps) {
  const std::string_view target = view.program[id].custom_call_target;
  if (is_gemm(target)) return gemm(view, id);
  if (is_convolution(target)) return convolution(view, id, steps);
  if (is_attention(target)) return attention_call(view, id);
  return {};
}

}  // namespace jaxtrace::hlo
