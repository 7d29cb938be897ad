// See literals.h.  A literal holds its elements in the order of its layout, and the text shows them
// in the order of the dimensions.
#include "hlo/text/literals.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "hlo/text/append.h"
#include "hlo/text/numbers.h"
#include "hlo/text/shapes.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

/// More dimensions than XLA could handle, and few enough to recurse over.
constexpr int kMostDimensions = 256;

/// An array may have no elements and yet any number of empty rows.
constexpr std::int64_t kMostRows = 1 << 12;

/// Elements in the order of the file, whatever their type.
struct Elements {
  int type = 0;
  std::size_t count = 0;
  std::string_view bytes;  ///< for types of one or two bytes
  const pb::LiteralProto* literal = nullptr;
};

std::size_t as_size(int count) {
  return static_cast<std::size_t>(count);
}

/// The field of the proto that holds the elements of small types.
std::string_view byte_field(const pb::LiteralProto& literal, int type) {
  switch (type) {
    case 2:
      return literal.s8s();
    case 3:
      return literal.s16s();
    case 6:
      return literal.u8s();
    case 7:
      return literal.u16s();
    case 10:
      return literal.f16s();
    case 16:
      return literal.bf16s();
    case 19:
      return literal.f8e5m2s();
    case 20:
      return literal.f8e4m3fns();
    case 21:
      return literal.s4s();
    case 22:
      return literal.u4s();
    case 23:
      return literal.f8e4m3b11fnuzs();
    case 24:
      return literal.f8e5m2fnuzs();
    case 25:
      return literal.f8e4m3fnuzs();
    case 26:
      return literal.s2s();
    case 27:
      return literal.u2s();
    case 28:
      return literal.f8e4m3s();
    case 29:
      return literal.f8e3m4s();
    case 30:
      return literal.s1s();
    case 31:
      return literal.u1s();
    case 32:
      return literal.f4e2m1fns();
    case 33:
      return literal.f8e8m0fnus();
    case 35:
      return literal.f6e3m2fns();
    case 36:
      return literal.f6e2m3fns();
    default:
      return {};
  }
}

Elements elements_of(const pb::LiteralProto& literal) {
  Elements out;
  out.type = literal.shape().element_type();
  out.literal = &literal;
  switch (out.type) {
    case kPredType:
      out.count = as_size(literal.preds_size());
      break;
    case 4:
      out.count = as_size(literal.s32s_size());
      break;
    case 5:
      out.count = as_size(literal.s64s_size());
      break;
    case 8:
      out.count = as_size(literal.u32s_size());
      break;
    case 9:
      out.count = as_size(literal.u64s_size());
      break;
    case 11:
      out.count = as_size(literal.f32s_size());
      break;
    case 12:
      out.count = as_size(literal.f64s_size());
      break;
    case 15:
      out.count = as_size(literal.c64s_size()) / 2;
      break;
    case 18:
      out.count = as_size(literal.c128s_size()) / 2;
      break;
    default: {
      out.bytes = byte_field(literal, out.type);
      const bool wide = out.type == 3 || out.type == 7 || small_float_bytes(out.type) == 2;
      out.count = out.bytes.size() / (wide ? 2 : 1);
    }
  }
  return out;
}

/// The low `width` bits of `bits` as a number.
void append_narrow_int(std::string& out, std::uint32_t bits, int width, bool has_sign) {
  const std::uint32_t value = bits & ((1u << width) - 1);
  const bool negative = has_sign && ((value >> (width - 1)) & 1) != 0;
  append_int(out, static_cast<std::int64_t>(value) - (negative ? std::int64_t{1} << width : 0));
}

void append_byte_element(std::string& out, const Elements& elements, std::size_t i) {
  const auto byte = [&](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(elements.bytes[at]));
  };
  const auto pair = [&] { return byte(2 * i) | (byte(2 * i + 1) << 8); };
  switch (elements.type) {
    case 2:
      return append_narrow_int(out, byte(i), 8, true);
    case 3:
      return append_narrow_int(out, pair(), 16, true);
    case 6:
      return append_narrow_int(out, byte(i), 8, false);
    case 7:
      return append_narrow_int(out, pair(), 16, false);
    case 21:
      return append_narrow_int(out, byte(i), 4, true);
    case 22:
      return append_narrow_int(out, byte(i), 4, false);
    case 26:
      return append_narrow_int(out, byte(i), 2, true);
    case 27:
      return append_narrow_int(out, byte(i), 2, false);
    case 30:
      return append_narrow_int(out, byte(i), 1, true);
    case 31:
      return append_narrow_int(out, byte(i), 1, false);
    default:
      return append_small_float(out, elements.type,
                                small_float_bytes(elements.type) == 2 ? pair() : byte(i));
  }
}

template <class Append, class Number>
void append_complex(std::string& out, Number real, Number imaginary, Append append) {
  out += '(';
  append(out, real);
  out += ", ";
  append(out, imaginary);
  out += ')';
}

void append_element(std::string& out, const Elements& elements, std::size_t index, bool scalar) {
  const pb::LiteralProto& literal = *elements.literal;
  const int i = static_cast<int>(index);
  switch (elements.type) {
    case kPredType:
      if (scalar) {
        out += literal.preds(i) ? "true" : "false";
      } else {
        out += literal.preds(i) ? '1' : '0';
      }
      return;
    case 4:
      return append_int(out, literal.s32s(i));
    case 5:
      return append_int(out, literal.s64s(i));
    case 8:
      return append_int(out, literal.u32s(i));
    case 9:
      return append_int(out, literal.u64s(i));
    case 11:
      return append_float(out, literal.f32s(i));
    case 12:
      return append_double(out, literal.f64s(i));
    case 15:
      return append_complex(out, literal.c64s(2 * i), literal.c64s(2 * i + 1), append_float);
    case 18:
      return append_complex(out, literal.c128s(2 * i), literal.c128s(2 * i + 1), append_double);
    default:
      return append_byte_element(out, elements, index);
  }
}

/// Distance in the file between neighbours along each dimension; the usual order if the layout is
/// no permutation of the dimensions.
std::vector<std::int64_t> strides_of(const pb::ShapeProto& shape) {
  const int rank = shape.dimensions_size();
  if (element_count(shape) == 0) return std::vector<std::int64_t>(as_size(rank), 0);
  const auto& order = shape.layout().minor_to_major();
  std::vector<std::int64_t> strides(as_size(rank), 0);
  bool permutation = order.size() == rank;
  for (int i = 0; permutation && i < rank; ++i) {
    const std::int64_t dimension = order.Get(i);
    permutation =
        dimension >= 0 && dimension < rank && strides[as_size(static_cast<int>(dimension))] == 0;
    if (permutation) strides[as_size(static_cast<int>(dimension))] = 1;
  }
  std::int64_t stride = 1;
  for (int i = 0; i < rank; ++i) {
    const int dimension = permutation ? static_cast<int>(order.Get(i)) : rank - 1 - i;
    strides[as_size(dimension)] = stride;
    stride *= shape.dimensions(dimension);
  }
  return strides;
}

struct ArrayText {
  std::string& out;
  const Elements& elements;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;

  void append(std::size_t dimension, std::int64_t offset, std::int64_t row) const {
    const std::size_t rank = sizes.size();
    if (dimension == rank) {
      append_element(out, elements, static_cast<std::size_t>(offset), rank == 0);
      return;
    }
    const std::int64_t size = sizes[dimension];
    const bool innermost = dimension + 1 == rank;
    out += '{';
    if (rank > 1 && innermost) {
      if (size > 1) out += ' ';
    } else if (rank > 1 && rank > 3 && dimension > 0) {
      out += " /*i";
      append_int(out, dimension - 1);
      out += '=';
      append_int(out, row);
      out += "*/";
      if (size > 0) out += ' ';
    } else if (rank > 1) {
      out += ' ';
    }
    for (std::int64_t i = 0; i < size; ++i) {
      if (i > 0) out += ", ";
      append(dimension + 1, offset + i * strides[dimension], i);
    }
    if (rank > 1 && (!innermost || size > 1)) out += ' ';
    out += '}';
  }
};

/// What can be written in full: the elements are there, and not too many rows are empty.
bool printable(const pb::ShapeProto& shape, const Elements& elements) {
  const std::int64_t count = element_count(shape);
  if (shape.dimensions_size() > kMostDimensions) return false;
  if (count > 0) return static_cast<std::size_t>(count) <= elements.count;
  std::int64_t rows = 1;
  for (const std::int64_t size : shape.dimensions()) {
    if (size < 0 || size > kMostRows) return false;
    if (size == 0) return true;
    rows *= size;
    if (rows > kMostRows) return false;
  }
  return true;
}

void append_array(std::string& out, const pb::LiteralProto& literal, LiteralShapes shapes) {
  const pb::ShapeProto& shape = literal.shape();
  std::vector<std::int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  bool dynamic = false;
  for (int i = 0; i < shape.is_dynamic_dimension_size() && i < shape.dimensions_size(); ++i) {
    if (!shape.is_dynamic_dimension(i)) continue;
    dynamic = true;
    std::int64_t& size = sizes[as_size(i)];
    const std::int64_t given = i < literal.dynamic_sizes_size() ? literal.dynamic_sizes(i) : 0;
    size = std::clamp<std::int64_t>(given, 0, std::max<std::int64_t>(size, 0));
  }
  if (shapes == LiteralShapes::shown) {
    append_shape(out, shape, Layouts::shown);
    if (dynamic) {
      out += '(';
      append_ints(out, sizes);
      out += ')';
    }
    out += ' ';
  }
  const Elements elements = elements_of(literal);
  if (!printable(shape, elements)) {
    out += "{...}";
    return;
  }
  ArrayText{out, elements, std::move(sizes), strides_of(shape)}.append(0, 0, 0);
}

}  // namespace

void append_literal(std::string& out, const pb::LiteralProto& literal, LiteralShapes shapes) {
  const int type = literal.shape().element_type();
  if (type == kTokenType) {
    out += "token";
  } else if (type == kTupleType) {
    out += "( ";
    append_joined(out, literal.tuple_literals(), ", ", [&](std::string& to, const auto& element) {
      append_literal(to, element, shapes);
    });
    out += " )";
  } else if (is_array_type(type)) {
    append_array(out, literal, shapes);
  } else {
    out += "{...}";
  }
}

}  // namespace jaxtrace::hlo
