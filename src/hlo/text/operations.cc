// See operations.h.  Calls of kernels and libraries, and the table of which opcode has which
// attributes; what the table does not name has none of its own.
#include "hlo/text/operations.h"

#include <algorithm>
#include <array>

#include "hlo/text/append.h"
#include "hlo/text/collectives.h"
#include "hlo/text/literals.h"
#include "hlo/text/operation.h"
#include "hlo/text/shapes.h"
#include "hlo/text/windows.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

using Proto = pb::HloInstructionProto;

void append_custom_call(std::string& out, const Operation& op) {
  const Proto& proto = op.proto;
  if (proto.has_window()) {
    out += ", window={";
    append_window(out, proto.window());
    out += '}';
  }
  if (proto.has_convolution_dimension_numbers()) {
    out += ", dim_labels=";
    append_dim_labels(out, proto.convolution_dimension_numbers());
  }
  append_group_counts(out, proto);
  append_precision(out, proto.precision_config(), proto.operand_ids_size());
  constexpr std::array<std::string_view, 3> kPaddings = {"PADDING_INVALID", "PADDING_VALID",
                                                         "PADDING_SAME"};
  if (proto.padding_type() != 0) {
    append_word(out, ", padding_type=", kPaddings, proto.padding_type());
  }
  out += ", custom_call_target=";
  append_quoted(out, proto.custom_call_target());
  if (proto.constrain_layout()) {
    out += ", operand_layout_constraints={";
    append_joined(out, proto.operand_shapes_with_layout(), ", ",
                  [](std::string& to, const pb::ShapeProto& shape) {
                    append_shape(to, shape, Layouts::shown);
                  });
    out += '}';
  }
  append_flag(out, ", custom_call_has_side_effect=true", proto.custom_call_has_side_effect());
  if (proto.has_literal()) {
    out += ", literal=";
    append_literal(out, proto.literal(), LiteralShapes::shown);
  }
  append_output_aliasing(out, proto);
  constexpr std::array<std::string_view, 3> kSchedules = {"SCHEDULE_NONE", "SCHEDULE_LATEST",
                                                          "SCHEDULE_EARLIEST"};
  if (proto.custom_call_schedule() != 0) {
    append_word(out, ", schedule=", kSchedules, proto.custom_call_schedule());
  }
  constexpr int kOriginal = 1;
  constexpr std::array<std::string_view, 5> kVersions = {
      "API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
      "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
  if (proto.custom_call_api_version() != kOriginal) {
    append_word(out, ", api_version=", kVersions, proto.custom_call_api_version());
  }
}

void append_fusion(std::string& out, const Operation& op) {
  out += ", kind=";
  out += op.proto.fusion_kind();
  append_output_aliasing(out, op.proto);
}

void append_collective(std::string& out, const Operation& op) {
  append_collective_attributes(out, op.proto, op.operand_shape(0), op.operand_shape(2));
}

struct Row {
  std::string_view opcode;
  void (*append)(std::string&, const Operation&);
};

constexpr Row kRows[] = {
    {"all-gather", append_collective},
    {"all-gather-start", append_collective},
    {"all-reduce", append_collective},
    {"all-reduce-start", append_collective},
    {"all-to-all", append_collective},
    {"batch-norm-grad", append_batch_norm},
    {"batch-norm-inference", append_batch_norm},
    {"batch-norm-training", append_batch_norm},
    {"broadcast", append_dimensions},
    {"cholesky", append_cholesky},
    {"collective-broadcast", append_collective},
    {"collective-permute", append_collective},
    {"collective-permute-start", append_collective},
    {"compare", append_compare},
    {"concatenate", append_dimensions},
    {"convolution", append_convolution},
    {"copy-start", append_copy_start},
    {"custom-call", append_custom_call},
    {"domain", append_domain},
    {"dot", append_dot},
    {"dynamic-slice", append_dynamic_slice},
    {"equal-to", append_compare},
    {"fft", append_fft},
    {"fusion", append_fusion},
    {"gather", append_gather},
    {"get-dimension-size", append_dimensions},
    {"get-tuple-element", append_get_tuple_element},
    {"greater-than", append_compare},
    {"greater-than-or-equal-to", append_compare},
    {"infeed", append_infeed},
    {"iota", append_iota},
    {"less-than", append_compare},
    {"less-than-or-equal-to", append_compare},
    {"map", append_map},
    {"not-equal-to", append_compare},
    {"outfeed", append_outfeed},
    {"pad", append_pad},
    {"parameter", append_parameter},
    {"ragged-all-to-all", append_collective},
    {"ragged-dot", append_ragged_dot},
    {"recv", append_collective},
    {"recv-done", append_collective},
    {"reduce", append_dimensions},
    {"reduce-precision", append_reduce_precision},
    {"reduce-scatter", append_collective},
    {"reduce-window", append_windowed},
    {"reshape", append_reshape},
    {"reverse", append_dimensions},
    {"rng", append_rng},
    {"rng-bit-generator", append_rng_bit_generator},
    {"rng-get-and-update-state", append_rng_state},
    {"scaled-dot", append_dot},
    {"scan", append_scan},
    {"scatter", append_scatter},
    {"select-and-scatter", append_windowed},
    {"send", append_collective},
    {"send-done", append_collective},
    {"set-dimension-size", append_dimensions},
    {"slice", append_slice},
    {"sort", append_sort},
    {"topk", append_topk},
    {"transpose", append_dimensions},
    {"triangular-solve", append_triangular_solve},
};
static_assert(std::ranges::is_sorted(kRows, {}, &Row::opcode));

/// The operations for which XLA keeps a wanted accuracy.
constexpr std::string_view kWithAccuracy[] = {"acos",
                                              "acosh",
                                              "asin",
                                              "asinh",
                                              "atanh",
                                              "cbrt",
                                              "cosh",
                                              "cosine",
                                              "erf",
                                              "exponential",
                                              "exponential-minus-one",
                                              "log",
                                              "log-plus-one",
                                              "logistic",
                                              "rsqrt",
                                              "sine",
                                              "sinh",
                                              "sqrt",
                                              "tan",
                                              "tanh"};
static_assert(std::ranges::is_sorted(kWithAccuracy));

}  // namespace

const pb::ShapeProto* Operation::operand_shape(int i) const {
  if (i >= proto.operand_ids_size()) return nullptr;
  const auto operand = index.instruction(index.computations[row.computation], proto.operand_ids(i));
  return operand == kNoRow ? nullptr : &index.instructions[operand].proto->shape();
}

void append_own_attributes(std::string& out, const ModuleIndex& index,
                           const InstructionRow& instruction) {
  const std::string_view opcode = instruction.proto->opcode();
  const auto row = std::ranges::lower_bound(kRows, opcode, {}, &Row::opcode);
  if (row == std::end(kRows) || row->opcode != opcode) return;
  row->append(out, {.proto = *instruction.proto, .index = index, .row = instruction});
}

void append_group_counts(std::string& out, const Proto& proto) {
  if (proto.feature_group_count() > 1) {
    append_field(out, ", feature_group_count=", proto.feature_group_count());
  }
  if (proto.batch_group_count() > 1) {
    append_field(out, ", batch_group_count=", proto.batch_group_count());
  }
}

void append_execution_thread(std::string& out, const Proto& proto) {
  const std::string_view thread = proto.async_execution_thread();
  if (thread.empty() || thread == "main") return;
  out += ", async_execution_thread=\"";
  out += thread;
  out += '"';
}

void append_output_aliasing(std::string& out, const Proto& proto) {
  if (proto.output_operand_aliasing_size() == 0) return;
  out += ", output_to_operand_aliasing={";
  append_joined(out, proto.output_operand_aliasing(), ", ",
                [](std::string& to, const pb::OutputOperandAliasing& alias) {
                  append_braced(to, alias.output_shape_index());
                  append_field(to, ": (", alias.operand_index());
                  append_list(to, ", ", alias.operand_shape_index());
                  to += ')';
                });
  out += '}';
}

void append_result_accuracy(std::string& out, const Proto& proto) {
  if (!proto.has_result_accuracy()) return;
  if (!std::ranges::binary_search(kWithAccuracy, std::string_view(proto.opcode()))) return;
  const pb::ResultAccuracy& accuracy = proto.result_accuracy();
  if (accuracy.mode() != 0) {
    constexpr std::array<std::string_view, 2> kModes = {"default", "highest"};
    append_word(out, ", result_accuracy={mode=", kModes, accuracy.mode());
    out += '}';
  } else if (accuracy.has_tolerance()) {
    out += ", result_accuracy={tolerance={atol=";
    append_six_digits(out, accuracy.tolerance().atol());
    out += ",rtol=";
    append_six_digits(out, accuracy.tolerance().rtol());
    append_field(out, ",ulps=", accuracy.tolerance().ulps());
    out += "}}";
  }
}

}  // namespace jaxtrace::hlo
