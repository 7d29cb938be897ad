// Shapes and layouts as HLO text: `(f32[2,3]{1,0}, pred[])`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace jaxtrace::pb {
class ShapeProto;
}

namespace jaxtrace::hlo {

/// xla.PrimitiveType, as far as the printer tells types apart.
constexpr int kPredType = 1;
constexpr int kTupleType = 13;
constexpr int kOpaqueType = 14;
constexpr int kTokenType = 17;
constexpr int kBufferType = 34;

/// "f32", "token" …; empty for a number that is not a type.
std::string_view element_type_name(int type);

/// A word that HLO text reads as an element type, so that nothing may be named so.
bool is_reserved_type_name(std::string_view word);

/// Has dimensions and perhaps a layout.
bool is_array_type(int type);
bool is_unsigned_or_pred_type(int type);
bool is_signed_integer_type(int type);

enum class Layouts : bool { hidden, shown };

/// An element type that is unknown prints as `primitive_type_invalid`.
void append_shape(std::string& out, const pb::ShapeProto& shape, Layouts layouts);

/// Leaves of a tuple that are no tuples themselves; 1 for what is no tuple.
std::int64_t leaf_count(const pb::ShapeProto& shape);

/// Product of the dimensions; saturates, and negative dimensions count as huge.
std::int64_t element_count(const pb::ShapeProto& shape);

}  // namespace jaxtrace::hlo
