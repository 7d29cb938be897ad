// The cheapest explanation of a sequence of kernels by a schedule.
//
// A beam search over places in the schedule tree (flow.h): after each kernel the places that
// explain the kernels so far most cheaply are kept, and each is led on to the next slots that could
// have launched the next kernel.  Loops are entered lazily, kernels may be missing (dropped
// records) or foreign (no slot), slots may have several kernels (libraries), and both ends may be
// cut.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attribution/flow.h"

namespace jaxtrace {

inline constexpr std::uint32_t kNoSlot = 0xffffffff;

/// A slot that could have launched a kernel, and what it costs to believe it (0: it fits
/// perfectly).
struct Candidate {
  std::uint32_t slot;
  Cost cost;
  Cost again;  ///< Cost of taking this kernel as one more of a slot that has one; kNever if it
               ///< can't.
};

/// A kernel to explain: its candidates by slot, ascending; none means "no slot fits".
struct Piece {
  std::span<const Candidate> candidates;
  Cost skip;               ///< Cost of leaving this kernel unexplained.
  std::uint32_t from = 0;  ///< Slots before this one cost kOutside: the piece's graph starts here.
  std::uint32_t to = kNoSlot;  ///< Slots from this one on cost kOutside: its graph ends here.
  bool tight = false;  ///< It began as soon as the piece before had ended: nothing ran in between.
  bool loose = false;  ///< Time was left between the piece before and this one.
};

struct Explained {
  std::uint32_t slot = kNoSlot;
  std::uint32_t round = 0;  ///< Round of the outermost loop; the execution if the flow is cyclic.
  Cost margin = kFar;       ///< By how much the best explanation with another instruction is worse.
  std::uint32_t tied = 1;   ///< How many instructions are equally good, this one included.
};

struct Bounds {
  bool open_begin = true;         ///< What comes before the first kernel may be missing for little.
  bool open_end = true;           ///< What comes after the last kernel may be missing for little.
  std::uint32_t start = kNoSlot;  ///< The first kernel belongs at this slot, or a little after it.
  std::uint32_t last = kNoSlot;  ///< With `start`: the last kernel belongs at this slot, or before.
};

struct Alignment {
  std::vector<Explained> pieces;  ///< One for each piece.
  Cost cost = 0;                  ///< Of the cheapest explanation: 0 if everything fits.
};

/// Explains `pieces` in order.  `same[s]` is an id that slots of one instruction share:
/// explanations that differ only between such slots are one.
Alignment align(const Flow& flow, std::span<const Piece> pieces, const Bounds& bounds,
                std::span<const std::uint32_t> same);

}  // namespace jaxtrace
