// One operation as the printers of its attributes see it, and those printers.
//
// They are split by what the operation does: operations_math.cc computes, operations_data.cc moves
// and picks data; operations.cc has the calls and the table of opcodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hlo/text/append.h"
#include "hlo/text/module_index.h"

namespace jaxtrace::pb {
class ShapeProto;
}

namespace jaxtrace::hlo {

struct Operation {
  const pb::HloInstructionProto& proto;
  const ModuleIndex& index;
  const InstructionRow& row;

  /// The shape of operand `i`; null if there is none.
  const pb::ShapeProto* operand_shape(int i) const;
};

/// `name` and the number; `name` holds the comma and the equals sign.
inline void append_field(std::string& out, const char* name, std::int64_t value) {
  out += name;
  append_int(out, value);
}

/// `name` and the numbers in braces.
template <class List>
void append_list(std::string& out, const char* name, const List& values) {
  out += name;
  append_braced(out, values);
}

/// `text` if `on`.
inline void append_flag(std::string& out, const char* text, bool on) {
  if (on) out += text;
}

/// `name` and the word for value `i` of an enum; the number if it has no word.
inline void append_word(std::string& out, const char* name, std::span<const std::string_view> words,
                        int i) {
  out += name;
  if (i >= 0 && static_cast<std::size_t>(i) < words.size()) {
    out += words[static_cast<std::size_t>(i)];
  } else {
    append_int(out, i);
  }
}

/// The group counts of convolutions, also of those that are custom calls.
void append_group_counts(std::string& out, const pb::HloInstructionProto& proto);

void append_batch_norm(std::string& out, const Operation& op);
void append_cholesky(std::string& out, const Operation& op);
void append_compare(std::string& out, const Operation& op);
void append_convolution(std::string& out, const Operation& op);
void append_copy_start(std::string& out, const Operation& op);
void append_dimensions(std::string& out, const Operation& op);
void append_domain(std::string& out, const Operation& op);
void append_dot(std::string& out, const Operation& op);
void append_dynamic_slice(std::string& out, const Operation& op);
void append_fft(std::string& out, const Operation& op);
void append_gather(std::string& out, const Operation& op);
void append_get_tuple_element(std::string& out, const Operation& op);
void append_infeed(std::string& out, const Operation& op);
void append_iota(std::string& out, const Operation& op);
void append_map(std::string& out, const Operation& op);
void append_outfeed(std::string& out, const Operation& op);
void append_pad(std::string& out, const Operation& op);
void append_parameter(std::string& out, const Operation& op);
void append_ragged_dot(std::string& out, const Operation& op);
void append_reduce_precision(std::string& out, const Operation& op);
void append_reshape(std::string& out, const Operation& op);
void append_rng(std::string& out, const Operation& op);
void append_rng_bit_generator(std::string& out, const Operation& op);
void append_rng_state(std::string& out, const Operation& op);
void append_scan(std::string& out, const Operation& op);
void append_scatter(std::string& out, const Operation& op);
void append_slice(std::string& out, const Operation& op);
void append_sort(std::string& out, const Operation& op);
void append_topk(std::string& out, const Operation& op);
void append_triangular_solve(std::string& out, const Operation& op);
void append_windowed(std::string& out, const Operation& op);

}  // namespace jaxtrace::hlo
