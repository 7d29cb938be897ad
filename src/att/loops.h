// The loops of a kernel, from its backward branches.
//
// A branch back to an instruction of the same code object closes a loop over the addresses between.
// Branches back to the same head are one loop.  What jumps through a register or to a symbol is not
// followed: then a loop may be missing, never wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "jaxtrace/thread_trace.h"

namespace jaxtrace {

inline constexpr std::uint32_t kNoLoop = 0xffffffff;

struct Loop {
  std::uint32_t head = 0;               ///< Row of the first instruction
  std::uint32_t last = 0;               ///< Row of the last branch back
  std::vector<std::uint32_t> branches;  ///< Rows that branch back to the head, by address
  std::uint32_t parent = kNoLoop;       ///< Smallest loop around it
  std::int64_t depth = 0;               ///< 0: in no other
  std::int64_t iterations = 0;          ///< Hits of the head, over all waves
  /// How often it was entered from outside, over all waves; absent where hits do not tell.  As
  /// many as iterations: it never went round.
  std::optional<std::int64_t> entries;
};

struct Loops {
  std::vector<Loop> loops;            ///< By address of the head
  std::vector<std::uint32_t> of;      ///< For each row its innermost loop, or kNoLoop
  std::uint64_t unknown_targets = 0;  ///< Branches that cannot be followed
  std::int64_t waves = 0;             ///< Waves that the instructions were traced in
};

/// Loops that never ran have 0 iterations and are kept: a reader of the table sees why none is hot.
Loops find_loops(std::span<const Instruction> instructions);

}  // namespace jaxtrace
