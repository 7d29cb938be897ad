// Sizes of XLA shapes.
#pragma once

#include <cstdint>

namespace jaxtrace::pb {
class ShapeProto;
}

namespace jaxtrace::hlo {

/// Bytes of all array leaves, as buffers hold them (4-bit types packed); -1 if an element type is
/// unknown or the product overflows.  Tokens and tuple tables count 0.
std::int64_t byte_size(const pb::ShapeProto& shape);

/// Elements of the first array leaf; 1 for a scalar, 0 if there is none.
std::int64_t first_leaf_elements(const pb::ShapeProto& shape);

/// A scalar of type PRED: the result of a while condition.
bool is_scalar_pred(const pb::ShapeProto& shape);

}  // namespace jaxtrace::hlo
