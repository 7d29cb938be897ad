// What makes two fusions one kernel: text forms of their computations and of their arguments.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "hlo/buffers.h"
#include "hlo/launches.h"
#include "hlo/program.h"

namespace jaxtrace::hlo {

/// Numbers computations so that equal ones, apart from names and metadata, get the same number.
struct ComputationNumbers {
  std::vector<std::uint32_t> number;  ///< by computation; 0: not looked at yet
  std::unordered_map<std::string, std::uint32_t> by_text;
};

/// Never 0.  Numbers from 1 on, in the order of asking.
std::uint32_t computation_number(const Program& program, const ProtoRows& rows,
                                 ComputationNumbers& numbers, ComputationId computation,
                                 int depth = 0);

/// XLA's fingerprint of the arguments of a kernel: operands, then results, each "=k" if it has the
/// slice of argument k, else its alignment, 'a' if it overlaps another slice and either is
/// written, 'w' if written; "?" where the slice is not known.
std::string argument_fingerprint(const Program& program, const Buffers& buffers, InstructionId id);

}  // namespace jaxtrace::hlo
