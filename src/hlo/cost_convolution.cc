// Counting the multiplications of dots and convolutions from shapes alone.
#include <algorithm>
#include <numeric>

#include "hlo/cost_parts.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

// Beyond this nothing is a convolution that a GPU runs: a file may claim any number.
constexpr std::int64_t kMostPlaces = std::int64_t{1} << 30U;

/// Pairs of a place in the kernel and one in the output that meet an element of the input, along
/// one dimension.
Count valid_pairs(const pb::WindowDimension& window, std::int64_t input, std::int64_t kernel,
                  std::int64_t output, std::int64_t& steps) {
  const auto or_one = [](std::int64_t n) { return n == 0 ? 1 : n; };  // proto3 leaves out zeros
  const std::int64_t stride = or_one(window.stride());
  const std::int64_t dilation = or_one(window.window_dilation());
  const std::int64_t spread = or_one(window.base_dilation());
  const std::int64_t padding = window.padding_low();
  for (const std::int64_t n : {input, kernel, output}) {
    if (n < 0 || n > kMostPlaces) return {};
  }
  for (const std::int64_t n : {stride, dilation, spread}) {
    if (n < 1 || n > kMostPlaces) return {};
  }
  if (padding < -kMostPlaces || padding > kMostPlaces) return {};
  if (input == 0) return 0;

  // Between the elements of the input lie spread - 1 holes; outputs that meet an element through
  // one place of the kernel repeat with this period.
  const std::int64_t period = spread / std::gcd(stride, spread);
  std::int64_t pairs = 0;
  for (std::int64_t k = 0; k < kernel; ++k) {
    // The input's first element is met where o * stride is low, its last where it is high.
    const std::int64_t low = padding - k * dilation;
    const std::int64_t high = low + (input - 1) * spread;
    if (high < 0) break;
    std::int64_t o = low <= 0 ? 0 : (low + stride - 1) / stride;
    const std::int64_t last = std::min(high / stride, output - 1);
    const std::int64_t end = std::min(last, o + period - 1);
    while (o <= end && (o * stride - low) % spread != 0) {
      if (--steps < 0) return {};
      ++o;
    }
    if (o <= end) pairs += (last - o) / period + 1;
    if (--steps < 0) return {};
  }
  return pairs;
}

Count dimension_of(const pb::ShapeProto& shape, std::int64_t n) {
  if (n < 0 || n >= shape.dimensions_size()) return {};
  const std::int64_t size = shape.dimensions(static_cast<int>(n));
  return size < 0 ? Count() : Count(size);
}

}  // namespace

Count dot_flops(const pb::ShapeProto& lhs, const pb::ShapeProto& result,
                const std::vector<std::int64_t>& lhs_contracting) {
  Count depth = 1;
  for (const std::int64_t n : lhs_contracting) depth = times(depth, dimension_of(lhs, n));
  return times(times(2, depth), elements_of(result));
}

Count convolution_flops(const pb::HloInstructionProto& convolution, const pb::ShapeProto& input,
                        const pb::ShapeProto& kernel, const pb::ShapeProto& output,
                        std::int64_t& steps) {
  const auto& numbers = convolution.convolution_dimension_numbers();
  const auto& window = convolution.window().dimensions();
  const int spatial = window.size();
  // A layout with packed channels has a dimension more, of which dim_labels say nothing.
  for (const pb::ShapeProto* shape : {&input, &kernel, &output}) {
    if (shape->dimensions_size() != spatial + 2) return {};
  }
  if (numbers.input_spatial_dimensions_size() != spatial ||
      numbers.kernel_spatial_dimensions_size() != spatial ||
      numbers.output_spatial_dimensions_size() != spatial) {
    return {};
  }
  const std::int64_t groups = std::max<std::int64_t>(1, convolution.feature_group_count());
  const std::int64_t batches = std::max<std::int64_t>(1, convolution.batch_group_count());
  const Count features = dimension_of(input, numbers.input_feature_dimension());
  const Count batch = dimension_of(input, numbers.input_batch_dimension());
  if (!features || !batch) return {};
  Count product = times(times(2, *features / groups), *batch / batches);
  product = times(product, dimension_of(output, numbers.output_feature_dimension()));
  for (int i = 0; i < spatial; ++i) {
    const Count in = dimension_of(input, numbers.input_spatial_dimensions(i));
    const Count of_kernel = dimension_of(kernel, numbers.kernel_spatial_dimensions(i));
    const Count out = dimension_of(output, numbers.output_spatial_dimensions(i));
    if (!in || !of_kernel || !out) return {};
    product = times(product, valid_pairs(window.Get(i), *in, *of_kernel, *out, steps));
  }
  return product;
}

}  // namespace jaxtrace::hlo
