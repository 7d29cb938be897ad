// What a program launches, in launch order: a tree of slots, loops and branches.
//
// XLA:GPU walks the schedule of the entry computation and emits thunks instruction by instruction,
// entering while, conditional, call and async computations where they stand.  That order is the
// order in which the host launches work, the order in which kernels are named, and the order of the
// thunk numbers that `command_buffer_<N>` refers to.  Loops stay loops here: a training run of
// 100,000 launches may come from 40 slots.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hlo/program.h"

namespace jaxtrace::hlo {

/// One piece of device work: what one thunk launches.
struct Slot {
  InstructionId instruction = InstructionId::none;  ///< As the tracer's hlo_op names it.
  Work work = Work::own_kernel;
  Collective collective = Collective::none;
  /// As a profiler shows it, without `.kd`; empty if not XLA's to name.  A collective has one if
  /// XLA compiled a kernel that may run instead of the library's.
  std::string kernel_name = {};
  std::uint32_t thunk = 0;  ///< Predicted thunk number (1, 2, 3 …); 0 if it has none of its own.
  std::int64_t bytes = -1;  ///< copy, fill: size; -1 if unknown
  bool optional = false;    ///< It may well launch nothing (copy onto itself, no-op custom call).
};

/// A node of the schedule tree.
struct Node {
  enum class Of : std::uint8_t { slot, sequence, loop, branch, graph };
  Of of = Of::sequence;
  std::uint32_t slot = 0;  ///< slot: row of Schedule::slots
  std::vector<std::uint32_t> children =
      {};  ///< sequence, graph: in order; branch: the alternatives;
           ///< loop: one child, what runs in each iteration
  std::optional<std::uint64_t> trips = {};  ///< loop: known trip count
  InstructionId instruction =
      InstructionId::none;  ///< loop, branch, graph: the while, conditional, call
  std::uint32_t thunk = 0;  ///< loop, branch: its own thunk number, 0 if unknown
};

/// The leaves of the tree from left to right are `slots`, in order.  nodes[0] is the root.
///
/// A loop of unknown trip count holds the condition's slots and the predicate's host_copy before
/// the body's; the last, failing test is then a partial iteration.  With a known count, the
/// condition is compiled but never run, and is left out.  A conditional's predicate or branch index
/// is a host_copy before its branch node.  Inside a graph that holds the loop or conditional
/// itself, neither copy happens.
struct Schedule {
  std::vector<Slot> slots;
  std::vector<Node> nodes;
};

/// Never fails: without a schedule in the proto, the proto's own (dependency) order serves.
Schedule build_schedule(const Program& program);

}  // namespace jaxtrace::hlo
