// See shapes.h.  Recursion follows the nesting of the proto, which protobuf limits to 100.
#include "hlo/text/shapes.h"

#include <algorithm>
#include <array>
#include <limits>

#include "hlo/text/append.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

/// By the numbers of xla.PrimitiveType.
constexpr std::array<std::string_view, 37> kTypeNames = {
    "",           "pred",       "s8",       "s16",       "s32",    "s64",
    "u8",         "u16",        "u32",      "u64",       "f16",    "f32",
    "f64",        "tuple",      "opaque",   "c64",       "bf16",   "token",
    "c128",       "f8e5m2",     "f8e4m3fn", "s4",        "u4",     "f8e4m3b11fnuz",
    "f8e5m2fnuz", "f8e4m3fnuz", "s2",       "u2",        "f8e4m3", "f8e3m4",
    "s1",         "u1",         "f4e2m1fn", "f8e8m0fnu", "buffer", "f6e3m2fn",
    "f6e2m3fn"};

/// A dimension without bound, as xla::Shape writes it.
constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::min();

void append_dimension(std::string& out, const pb::ShapeProto& shape, int i) {
  const std::int64_t size = shape.dimensions(i);
  const bool dynamic = i < shape.is_dynamic_dimension_size() && shape.is_dynamic_dimension(i);
  if (dynamic && size == kUnbounded) {
    out += '?';
    return;
  }
  if (dynamic) out += "<=";
  append_int(out, size);
}

void append_tile(std::string& out, const pb::LayoutProto::Tile& tile) {
  // XLA's Tile::kCombineDimension: merge with the next more minor dimension.
  constexpr std::int64_t kCombine = std::numeric_limits<std::int64_t>::min();
  out += '(';
  append_joined(out, tile.dimensions(), ",", [](std::string& to, std::int64_t dimension) {
    if (dimension == kCombine) {
      to += '*';
      return;
    }
    if (dimension < 0) to += "Invalid value ";
    append_int(to, dimension);
  });
  out += ')';
}

/// `#(s32)`, or `#(invalid)` for what is no integer type; nothing for 0.
void append_layout_type(std::string& out, const char* mark, int type) {
  out += mark;
  out += '(';
  const bool integer =
      is_signed_integer_type(type) || (is_unsigned_or_pred_type(type) && type != kPredType);
  out += integer ? element_type_name(type) : std::string_view("invalid");
  out += ')';
}

void append_layout(std::string& out, const pb::LayoutProto& layout) {
  out += '{';
  append_ints(out, layout.minor_to_major());
  bool colon = false;
  const auto begin = [&](const char* mark) {
    if (!colon) out += ':';
    colon = true;
    out += mark;
  };
  const auto number = [&](const char* mark, std::int64_t value) {
    begin(mark);
    out += '(';
    append_int(out, value);
    out += ')';
  };
  if (layout.tiles_size() > 0) {
    begin("T");
    for (const auto& tile : layout.tiles()) append_tile(out, tile);
  }
  const std::int64_t tail = layout.tail_padding_alignment_in_elements();
  if (tail != 0 && tail != 1) number("L", tail);
  if (layout.index_primitive_type() != 0) {
    begin("");
    append_layout_type(out, "#", layout.index_primitive_type());
  }
  if (layout.pointer_primitive_type() != 0) {
    begin("");
    append_layout_type(out, "*", layout.pointer_primitive_type());
  }
  if (layout.element_size_in_bits() != 0) number("E", layout.element_size_in_bits());
  if (layout.memory_space() != 0) number("S", layout.memory_space());
  if (layout.split_configs_size() > 0) {
    begin("SC");
    for (const auto& split : layout.split_configs()) {
      out += '(';
      append_int(out, split.dimension());
      out += ':';
      append_ints(out, split.split_indices());
      out += ')';
    }
  }
  if (layout.has_physical_shape()) {
    begin("P(");
    append_shape(out, layout.physical_shape(), Layouts::shown);
    out += ')';
  }
  if (layout.dynamic_shape_metadata_prefix_bytes() > 0) {
    number("M", layout.dynamic_shape_metadata_prefix_bytes());
  }
  out += '}';
}

/// A scalar's layout prints only if it says something: `{:S(5)}`, never `{}`.
void append_layout_of(std::string& out, const pb::ShapeProto& shape) {
  const std::size_t before = out.size();
  append_layout(out, shape.layout());
  if (shape.dimensions_size() == 0 && out.size() == before + 2) out.resize(before);
}

}  // namespace

std::string_view element_type_name(int type) {
  return type > 0 && type < static_cast<int>(kTypeNames.size())
             ? kTypeNames[static_cast<std::size_t>(type)]
             : std::string_view();
}

bool is_reserved_type_name(std::string_view word) {
  if (word.empty() || word.size() > 13) return false;
  if (word == "tuple" || word == "buffer") return false;
  return std::ranges::find(kTypeNames, word) != kTypeNames.end();
}

bool is_array_type(int type) {
  return !element_type_name(type).empty() && type != kTupleType && type != kOpaqueType &&
         type != kTokenType && type != kBufferType;
}

bool is_unsigned_or_pred_type(int type) {
  const std::string_view name = element_type_name(type);
  return name.starts_with('u') || type == kPredType;
}

bool is_signed_integer_type(int type) {
  return element_type_name(type).starts_with('s');
}

void append_shape(std::string& out, const pb::ShapeProto& shape, Layouts layouts) {
  const int type = shape.element_type();
  if (type == kTupleType) {
    out += '(';
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      append_list_separator(out, i);
      append_shape(out, shape.tuple_shapes(i), layouts);
    }
    out += ')';
    return;
  }
  if (type == kBufferType) {
    out += "b(";
    for (const auto& inner : shape.tuple_shapes()) append_shape(out, inner, layouts);
    out += ')';
    return;
  }
  const std::string_view name = element_type_name(type);
  out += name.empty() ? "primitive_type_invalid" : name;
  out += '[';
  const bool array = is_array_type(type);
  for (int i = 0; array && i < shape.dimensions_size(); ++i) {
    if (i > 0) out += ',';
    append_dimension(out, shape, i);
  }
  out += ']';
  if (layouts == Layouts::shown && array && shape.has_layout()) append_layout_of(out, shape);
}

std::int64_t leaf_count(const pb::ShapeProto& shape) {
  if (shape.element_type() != kTupleType) return 1;
  std::int64_t leaves = 0;
  for (const auto& element : shape.tuple_shapes()) leaves += leaf_count(element);
  return leaves;
}

std::int64_t element_count(const pb::ShapeProto& shape) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  std::int64_t count = 1;
  for (const std::int64_t size : shape.dimensions()) {
    if (size == 0) return 0;
    if (size < 0 || count > kHuge / size) {
      count = kHuge;
    } else {
      count *= size;
    }
  }
  return count;
}

}  // namespace jaxtrace::hlo
