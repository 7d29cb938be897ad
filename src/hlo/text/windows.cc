// See windows.h.
#include "hlo/text/windows.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "hlo/text/append.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

/// More dimensions than any convolution has; beyond it the numbers are nonsense.
constexpr std::int64_t kMostLabels = 256;

/// `b01f`: a letter or number for each dimension, '?' for one that has none.  One '?' stands for
/// numbers that make no sense.
template <class Spatial>
void append_labels(std::string& out, std::int64_t first, char first_label, std::int64_t second,
                   char second_label, const Spatial& spatial) {
  std::int64_t last = std::max(first, second);
  bool sound = first >= 0 && second >= 0;
  for (const std::int64_t dimension : spatial) {
    last = std::max(last, dimension);
    sound = sound && dimension >= 0;
  }
  if (!sound || last >= kMostLabels) {
    out += '?';
    return;
  }
  std::array<std::string, kMostLabels> labels;
  labels.fill("?");
  labels[static_cast<std::size_t>(first)] = first_label;
  labels[static_cast<std::size_t>(second)] = second_label;
  for (int i = 0; i < spatial.size(); ++i) {
    std::string& label = labels[static_cast<std::size_t>(spatial.Get(i))];
    label.clear();
    append_int(label, i);
  }
  for (std::int64_t i = 0; i <= last; ++i) out += labels[static_cast<std::size_t>(i)];
}

std::string_view precision_name(int precision) {
  switch (precision) {
    case 0:
      return "default";
    case 1:
      return "high";
    case 2:
      return "highest";
    default:
      return "unknown";
  }
}

/// xla.PrecisionConfig.Algorithm, by number, from 1.
constexpr std::array<std::string_view, 13> kAlgorithms = {
    "dot_any_f8_any_f8_f32", "dot_any_f8_any_f8_f32_fast_accum",
    "dot_f16_f16_f16",       "dot_f16_f16_f32",
    "dot_bf16_bf16_bf16",    "dot_bf16_bf16_f32",
    "dot_bf16_bf16_f32_x3",  "dot_bf16_bf16_f32_x6",
    "dot_tf32_tf32_f32",     "dot_tf32_tf32_f32_x3",
    "dot_f32_f32_f32",       "dot_f64_f64_f64",
    "dot_bf16_bf16_f32_x9"};

}  // namespace

void append_window(std::string& out, const pb::Window& window) {
  using Dimension = pb::WindowDimension;
  const auto& dimensions = window.dimensions();
  const auto field = [&](const char* name, auto says_something, auto append) {
    if (std::ranges::none_of(dimensions, says_something)) return;
    out += name;
    append_joined(out, dimensions, "x", append);
  };
  field(
      "size=", [](const Dimension&) { return true; },
      [](std::string& to, const Dimension& d) { append_int(to, d.size()); });
  field(
      " stride=", [](const Dimension& d) { return d.stride() != 1; },
      [](std::string& to, const Dimension& d) { append_int(to, d.stride()); });
  field(
      " pad=", [](const Dimension& d) { return d.padding_low() != 0 || d.padding_high() != 0; },
      [](std::string& to, const Dimension& d) {
        append_int(to, d.padding_low());
        to += '_';
        append_int(to, d.padding_high());
      });
  field(
      " lhs_dilate=", [](const Dimension& d) { return d.base_dilation() != 1; },
      [](std::string& to, const Dimension& d) { append_int(to, d.base_dilation()); });
  field(
      " rhs_dilate=", [](const Dimension& d) { return d.window_dilation() != 1; },
      [](std::string& to, const Dimension& d) { append_int(to, d.window_dilation()); });
  field(
      " rhs_reversal=", [](const Dimension& d) { return d.window_reversal(); },
      [](std::string& to, const Dimension& d) { to += d.window_reversal() ? '1' : '0'; });
}

void append_dim_labels(std::string& out, const pb::ConvolutionDimensionNumbers& numbers) {
  append_labels(out, numbers.input_batch_dimension(), 'b', numbers.input_feature_dimension(), 'f',
                numbers.input_spatial_dimensions());
  out += '_';
  append_labels(out, numbers.kernel_input_feature_dimension(), 'i',
                numbers.kernel_output_feature_dimension(), 'o',
                numbers.kernel_spatial_dimensions());
  out += "->";
  append_labels(out, numbers.output_batch_dimension(), 'b', numbers.output_feature_dimension(), 'f',
                numbers.output_spatial_dimensions());
}

void append_padding(std::string& out, const pb::PaddingConfig& padding) {
  const bool interior = std::ranges::any_of(padding.dimensions(), [](const auto& dimension) {
    return dimension.interior_padding() != 0;
  });
  append_joined(out, padding.dimensions(), "x", [&](std::string& to, const auto& dimension) {
    append_int(to, dimension.edge_padding_low());
    to += '_';
    append_int(to, dimension.edge_padding_high());
    if (!interior) return;
    to += '_';
    append_int(to, dimension.interior_padding());
  });
}

void append_dot_dimensions(std::string& out, const pb::DotDimensionNumbers& numbers) {
  const auto list = [&](const char* name, const auto& dimensions) {
    out += name;
    append_braced(out, dimensions);
  };
  if (!numbers.lhs_batch_dimensions().empty()) {
    list(", lhs_batch_dims=", numbers.lhs_batch_dimensions());
  }
  list(", lhs_contracting_dims=", numbers.lhs_contracting_dimensions());
  if (!numbers.rhs_batch_dimensions().empty()) {
    list(", rhs_batch_dims=", numbers.rhs_batch_dimensions());
  }
  list(", rhs_contracting_dims=", numbers.rhs_contracting_dimensions());
}

void append_precision(std::string& out, const pb::PrecisionConfig& precision, int operands) {
  const auto at = [&](int i) {
    return i < precision.operand_precision_size() ? precision.operand_precision(i) : 0;
  };
  bool special = false;
  for (int i = 0; i < operands; ++i) special = special || at(i) != 0;
  if (special) {
    out += ", operand_precision={";
    for (int i = 0; i < operands; ++i) {
      if (i > 0) out += ',';
      out += precision_name(at(i));
    }
    out += '}';
  }
  if (const int algorithm = precision.algorithm(); algorithm != 0) {
    out += ", algorithm=";
    if (algorithm > 0 && algorithm <= static_cast<int>(kAlgorithms.size())) {
      out += kAlgorithms[static_cast<std::size_t>(algorithm - 1)];
    } else {
      append_int(out, algorithm);
    }
  }
}

}  // namespace jaxtrace::hlo
