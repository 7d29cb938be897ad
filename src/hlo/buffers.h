// Where each value of a program lies in device memory: the buffer assignment of an HloProto.
//
// The proto lists only the values that some instruction defines; what a bitcast, a tuple, a loop or
// an asynchronous operation merely passes on is found by following it to its definition.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "hlo/program.h"

namespace jaxtrace::pb {
class HloProto;
}

namespace jaxtrace::hlo {

/// Path to a leaf of a tuple shape; empty for an array.
using ShapeIndex = std::vector<std::int64_t>;

struct Allocation {
  bool entry_parameter = false;
  bool constant = false;
};

struct Buffers {
  std::map<std::pair<InstructionId, ShapeIndex>, Slice> defined;
  std::map<std::int64_t, Allocation> allocations;   ///< by Slice::allocation
  std::vector<std::vector<InstructionId>> callers;  ///< by computation
  std::vector<std::vector<ShapeIndex>> leaves;      ///< array leaves, by instruction

  bool empty() const { return defined.empty(); }
};

/// `rows[i]` is Program::instructions[i] in the proto.
Buffers read_buffers(const pb::HloProto& proto, const Program& program);

/// The slice of one leaf of the result of `id`; nullopt if the proto does not tell.
std::optional<Slice> slice_of(const Program& program, const Buffers& buffers, InstructionId id,
                              const ShapeIndex& index = {});

}  // namespace jaxtrace::hlo
