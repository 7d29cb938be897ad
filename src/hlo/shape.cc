// Sizes of XLA shapes; element types by their numbers in xla_data.proto.
#include "hlo/shape.h"

#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

constexpr int kPred = 1, kTuple = 13, kOpaque = 14, kToken = 17;

/// Bits of one element; 0 for what occupies no memory, -1 if unknown.
int element_bits(int type) {
  switch (type) {
    case 1:
    case 2:
    case 6:
      return 8;  // PRED S8 U8
    case 3:
    case 7:
    case 10:
    case 16:
      return 16;  // S16 U16 F16 BF16
    case 4:
    case 8:
    case 11:
      return 32;  // S32 U32 F32
    case 5:
    case 9:
    case 12:
    case 15:
      return 64;  // S64 U64 F64 C64
    case 18:
      return 128;  // C128
    case 19:
    case 20:
    case 23:
    case 24:
    case 25:
    case 28:
    case 29:
    case 33:
      return 8;  // F8 …
    case 21:
    case 22:
    case 32:
      return 4;  // S4 U4 F4E2M1FN
    case 26:
    case 27:
      return 2;  // S2 U2
    case 30:
    case 31:
      return 1;  // S1 U1
    case 35:
    case 36:
      return 6;  // F6 …
    case kTuple:
    case kOpaque:
    case kToken:
      return 0;
    default:
      return -1;
  }
}

std::int64_t elements(const pb::ShapeProto& shape) {
  std::int64_t product = 1;
  for (const std::int64_t dimension : shape.dimensions()) {
    if (dimension < 0 || __builtin_mul_overflow(product, dimension, &product)) return -1;
  }
  return product;
}

}  // namespace

std::int64_t byte_size(const pb::ShapeProto& shape) {
  if (shape.element_type() == kTuple) {
    std::int64_t sum = 0;
    for (const auto& part : shape.tuple_shapes()) {
      const std::int64_t bytes = byte_size(part);
      if (bytes < 0 || __builtin_add_overflow(sum, bytes, &sum)) return -1;
    }
    return sum;
  }
  const int bits = element_bits(shape.element_type());
  const std::int64_t count = elements(shape);
  std::int64_t total = 0;
  if (bits < 0 || count < 0 || __builtin_mul_overflow(count, bits, &total)) return -1;
  return total / 8 + (total % 8 != 0);
}

std::int64_t first_leaf_elements(const pb::ShapeProto& shape) {
  if (shape.element_type() == kTuple) {
    return shape.tuple_shapes().empty() ? 0 : first_leaf_elements(shape.tuple_shapes(0));
  }
  return shape.element_type() == kToken ? 0 : elements(shape);
}

bool is_scalar_pred(const pb::ShapeProto& shape) {
  return shape.element_type() == kPred && shape.dimensions().empty();
}

}  // namespace jaxtrace::hlo
