// Moving through a schedule tree: what it costs to go from one slot to a later one.
//
// A schedule is never unrolled.  A place in it is a slot and, for each loop around the slot, the
// iteration; moving on means finishing what is left of the inner nodes, perhaps going round a loop,
// and entering the nodes around the target.  Everything that is passed without a kernel costs what
// missing it costs; a loop of unknown count and an untaken branch cost nothing.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hlo/schedule.h"

namespace jaxtrace {

/// Penalties of an alignment.  A missed own-named kernel costs 40; see costs.h for the others.
using Cost = std::int32_t;

inline constexpr Cost kFar = 400;            ///< Skipping more than this costs less than its sum.
inline constexpr Cost kNever = 1 << 28;      ///< There is no way.
inline constexpr std::size_t kMaxLoops = 6;  ///< Loops around a slot whose iterations are counted.

/// A place in the schedule.  `round[d]` is the iteration of the d-th loop from the outside; round 0
/// of a cyclic flow is the execution.
struct Place {
  std::uint32_t slot = 0;
  std::array<std::uint32_t, kMaxLoops> round{};

  bool operator==(const Place&) const = default;
};

class Flow {
 public:
  /// `miss[s]` is what it costs that slot s has no kernel.  A cyclic flow starts over after its
  /// end, as often as it needs to.
  Flow(const hlo::Schedule& schedule, std::vector<Cost> miss, bool cyclic);

  /// Cost of passing everything before `slot` in the first iteration of all loops around it.
  Cost enter(std::uint32_t slot) const;

  /// Cost of passing everything after `place`.
  Cost leave(const Place& place) const;

  /// One way on from a place.
  struct Move {
    Place to;
    Cost cost;
  };

  /// The ways from `from` to the next pass of `slot`: straight on, and round each loop that holds
  /// both.  Appends to `moves`.
  void moves(const Place& from, std::uint32_t slot, std::vector<Move>& moves) const;

  /// The loops around a slot, outermost first, as the range of slots that each repeats.
  struct Loop {
    std::uint32_t node;
    std::uint32_t first, last;  ///< slots [first, last)
    std::uint64_t trips;        ///< 0 if unknown

    bool operator==(const Loop&) const = default;
  };
  const std::vector<Loop>& loops(std::uint32_t slot) const { return loops_[loops_of_[slot]]; }

  /// Slots that a graph, branch, loop or sequence node spans: [first, last).
  std::pair<std::uint32_t, std::uint32_t> span(std::uint32_t node) const { return span_[node]; }

  Cost miss(std::uint32_t slot) const { return miss_[slot]; }

 private:
  struct Step {
    std::uint32_t node;   // an inner node on the way from the root to the slot
    std::uint32_t child;  // which child of it
  };

  void visit(std::uint32_t node, std::vector<Step>& path, std::vector<Loop>& around);
  Cost pass_after(const Place& place, std::size_t depth) const;
  Cost pass_before(std::uint32_t slot, std::size_t depth) const;

  const hlo::Schedule* schedule_;
  std::vector<Cost> miss_;
  using Sum = std::int64_t;               // of costs, before the cap
  std::vector<std::vector<Sum>> prefix_;  // per node: cost of passing its first i children
  std::vector<Sum> full_;                 // per node: cost of passing all of it
  std::vector<std::uint32_t> test_;       // per node: the child with which a failing test ends it
  std::vector<std::pair<std::uint32_t, std::uint32_t>> span_;
  std::vector<std::vector<Step>> path_;  // per slot
  std::vector<std::uint32_t> loops_of_;  // per slot: row of loops_
  std::vector<std::vector<Loop>> loops_;
  bool cyclic_;
};

}  // namespace jaxtrace
