// See operation.h.  Arithmetic, linear algebra, random numbers and sorting.
#include <algorithm>
#include <array>

#include "hlo/text/operation.h"
#include "hlo/text/shapes.h"
#include "hlo/text/windows.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

/// Floats compare as floats, signed and unsigned integers as what they are: only another way needs
/// words.
std::string_view default_comparison(int type) {
  if (is_signed_integer_type(type)) return "SIGNED";
  if (is_unsigned_or_pred_type(type)) return "UNSIGNED";
  return "FLOAT";
}

/// Before 2020, each comparison was an operation of its own.
struct OldComparison {
  std::string_view opcode, direction;
};
constexpr std::array<OldComparison, 6> kOldComparisons = {{{"equal-to", "EQ"},
                                                           {"greater-than", "GT"},
                                                           {"greater-than-or-equal-to", "GE"},
                                                           {"less-than", "LT"},
                                                           {"less-than-or-equal-to", "LE"},
                                                           {"not-equal-to", "NE"}}};

void append_sparsity(std::string& out, const char* name,
                     const pb::SparsityConfig::TensorSparsityConfig& config) {
  append_field(out, name, config.num_non_zero());
  append_field(out, "x", config.block_size());
  append_field(out, " dimension=", config.dimension());
  append_field(out, " stride=", config.stride());
  out += '}';
}

}  // namespace

void append_compare(std::string& out, const Operation& op) {
  out += ", direction=";
  const auto old = std::ranges::find(kOldComparisons, op.proto.opcode(), &OldComparison::opcode);
  out += old != kOldComparisons.end() ? old->direction
                                      : std::string_view(op.proto.comparison_direction());
  const std::string_view type = op.proto.comparison_type();
  const pb::ShapeProto* operand = op.operand_shape(0);
  if (type.empty()) return;
  if (operand != nullptr && type == default_comparison(operand->element_type())) return;
  out += ", type=";
  out += type;
}

void append_batch_norm(std::string& out, const Operation& op) {
  out += ", epsilon=";
  append_six_digits(out, op.proto.epsilon());
  append_field(out, ", feature_index=", op.proto.feature_index());
}

void append_cholesky(std::string& out, const Operation& op) {
  append_flag(out, ", lower=true", op.proto.cholesky_options().lower());
}

void append_convolution(std::string& out, const Operation& op) {
  const pb::HloInstructionProto& proto = op.proto;
  if (proto.window().dimensions_size() > 0) {
    out += ", window={";
    append_window(out, proto.window());
    out += '}';
  }
  out += ", dim_labels=";
  append_dim_labels(out, proto.convolution_dimension_numbers());
  append_group_counts(out, proto);
  constexpr std::array<std::string_view, 4> kKinds = {"unset", "fprop", "dgrad", "wgrad"};
  if (proto.conv_kind() != 0) append_word(out, ", convolution_kind=", kKinds, proto.conv_kind());
  append_precision(out, proto.precision_config(), proto.operand_ids_size());
  const pb::SparsityConfig& sparsity = proto.sparsity_config();
  if (!sparsity.has_lhs() && !sparsity.has_rhs()) return;
  out += ", sparsity_config={";
  if (sparsity.has_lhs()) append_sparsity(out, "lhs={sparsity=", sparsity.lhs());
  if (sparsity.has_lhs() && sparsity.has_rhs()) out += ' ';
  if (sparsity.has_rhs()) append_sparsity(out, "rhs={sparsity=", sparsity.rhs());
  out += '}';
}

void append_dot(std::string& out, const Operation& op) {
  append_dot_dimensions(out, op.proto.dot_dimension_numbers());
  append_precision(out, op.proto.precision_config(),
                   op.proto.opcode() == "scaled-dot" ? 2 : op.proto.operand_ids_size());
}

void append_fft(std::string& out, const Operation& op) {
  constexpr std::array<std::string_view, 4> kTypes = {"FFT", "IFFT", "RFFT", "IRFFT"};
  append_word(out, ", fft_type=", kTypes, op.proto.fft_type());
  append_list(out, ", fft_length=", op.proto.fft_length());
}

void append_ragged_dot(std::string& out, const Operation& op) {
  const pb::RaggedDotDimensionNumbers& numbers = op.proto.ragged_dot_dimension_numbers();
  append_dot_dimensions(out, numbers.dot_dimension_numbers());
  if (numbers.lhs_ragged_dimensions_size() > 0) {
    append_list(out, ", lhs_ragged_dims=", numbers.lhs_ragged_dimensions());
  }
  if (numbers.rhs_group_dimensions_size() > 0) {
    append_list(out, ", rhs_group_dims=", numbers.rhs_group_dimensions());
  }
  append_precision(out, op.proto.precision_config(), 2);
}

void append_reduce_precision(std::string& out, const Operation& op) {
  append_field(out, ", exponent_bits=", op.proto.exponent_bits());
  append_field(out, ", mantissa_bits=", op.proto.mantissa_bits());
}

void append_rng(std::string& out, const Operation& op) {
  constexpr std::array<std::string_view, 3> kNames = {"rng_invalid", "rng_uniform", "rng_normal"};
  append_word(out, ", distribution=", kNames, op.proto.distribution());
}

void append_rng_bit_generator(std::string& out, const Operation& op) {
  constexpr std::array<std::string_view, 3> kNames = {"rng_default", "rng_three_fry", "rng_philox"};
  append_word(out, ", algorithm=", kNames, op.proto.rng_algorithm());
}

void append_rng_state(std::string& out, const Operation& op) {
  append_field(out, ", delta=", op.proto.delta());
}

void append_scan(std::string& out, const Operation& op) {
  append_dimensions(out, op);
  append_field(out, ", num_carries=", op.proto.num_carries());
  append_flag(out, ", is_reverse=true", op.proto.is_reverse());
  append_flag(out, ", is_associative=true", op.proto.is_associative() == 1);
  append_flag(out, ", is_associative=false", op.proto.is_associative() == 2);
}

void append_sort(std::string& out, const Operation& op) {
  append_dimensions(out, op);
  append_flag(out, ", is_stable=true", op.proto.is_stable());
}

void append_topk(std::string& out, const Operation& op) {
  append_field(out, ", k=", op.proto.k());
  out += op.proto.largest() ? ", largest=true" : ", largest=false";
}

void append_triangular_solve(std::string& out, const Operation& op) {
  const pb::TriangularSolveOptions& options = op.proto.triangular_solve_options();
  append_flag(out, ", left_side=true", options.left_side());
  append_flag(out, ", lower=true", options.lower());
  append_flag(out, ", unit_diagonal=true", options.unit_diagonal());
  constexpr std::array<std::string_view, 4> kTransposes = {"TRANSPOSE_INVALID", "NO_TRANSPOSE",
                                                           "TRANSPOSE", "ADJOINT"};
  if (options.transpose_a() != 0)
    append_word(out, ", transpose_a=", kTransposes, options.transpose_a());
}

void append_windowed(std::string& out, const Operation& op) {
  if (op.proto.window().dimensions_size() == 0) return;
  out += ", window={";
  append_window(out, op.proto.window());
  out += '}';
}

}  // namespace jaxtrace::hlo
