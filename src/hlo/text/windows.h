// Dimension numbers, windows and precisions: attributes with a notation of their own.
#pragma once

#include <string>

namespace jaxtrace::pb {
class ConvolutionDimensionNumbers;
class DotDimensionNumbers;
class PaddingConfig;
class PrecisionConfig;
class Window;
}  // namespace jaxtrace::pb

namespace jaxtrace::hlo {

/// `size=3x3 stride=2x2 pad=0_1x0_1`: only the fields that say something.
void append_window(std::string& out, const pb::Window& window);

/// `b01f_01io->b01f`
void append_dim_labels(std::string& out, const pb::ConvolutionDimensionNumbers& numbers);

/// `0_0x1_3`, or `1_1_1x0_0_0` if any dimension has interior padding.
void append_padding(std::string& out, const pb::PaddingConfig& padding);

/// `, lhs_batch_dims={0}, lhs_contracting_dims={2}, …`
void append_dot_dimensions(std::string& out, const pb::DotDimensionNumbers& numbers);

/// `, operand_precision={highest,default}, algorithm=…` for `operands` operands; defaults print
/// nothing.
void append_precision(std::string& out, const pb::PrecisionConfig& precision, int operands);

}  // namespace jaxtrace::hlo
