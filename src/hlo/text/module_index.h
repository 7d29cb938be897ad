// The ids of an HloModuleProto resolved to rows, and the orders in which XLA prints.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace jaxtrace::pb {
class HloComputationProto;
class HloInstructionProto;
class HloModuleProto;
class HloScheduleProto_InstructionSequence;
}  // namespace jaxtrace::pb

namespace jaxtrace::hlo {

/// A row that the proto names but does not hold.
constexpr std::uint32_t kNoRow = 0xffffffff;

struct InstructionRow {
  const pb::HloInstructionProto* proto = nullptr;
  std::string_view name;  ///< As XLA spells it.
  std::uint32_t computation = kNoRow;
  std::uint32_t wrapped = kNoRow;  ///< The computation that an async operation runs.
};

struct ComputationRow {
  const pb::HloComputationProto* proto = nullptr;
  std::string_view name;    ///< As XLA spells it.
  std::uint32_t first = 0;  ///< Its instructions are the rows [first, first + size),
  std::uint32_t size = 0;   ///< in the proto's order.
  std::uint32_t root = kNoRow;
  const pb::HloScheduleProto_InstructionSequence* schedule = nullptr;
  bool async = false;         ///< Called by async-start.
  bool one_operation = true;  ///< Holds parameters and its root, nothing else.

  /// (id, row) by id.  Only the low half of an id counts: newer writers put the computation's id
  /// into the high half.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> by_id;
};

struct ModuleIndex {
  const pb::HloModuleProto* proto = nullptr;
  std::vector<InstructionRow> instructions;
  std::vector<ComputationRow> computations;  ///< In the proto's order.
  std::unordered_map<std::int64_t, std::uint32_t> computation_rows;
  std::deque<std::string> changed_names;

  std::uint32_t instruction(const ComputationRow& computation, std::int64_t id) const;
  std::uint32_t computation(std::int64_t id) const;

  /// The operation that an async instruction runs, if it prints in its place; else null.
  const InstructionRow* wrapped_operation(const InstructionRow& instruction) const;
};

ModuleIndex index_module(const pb::HloModuleProto& module);

/// Callees before callers: for each computation that nobody calls, by id, what it calls, in the
/// order of the instructions' ids, then itself.  Every computation is in it once, whatever the
/// damage.
std::vector<std::uint32_t> computation_order(const ModuleIndex& index);

/// The schedule if there is one for the computation, else operands before users, depth first from
/// each instruction without users.  Every instruction is in it once: what a damaged schedule
/// leaves out comes last.
std::vector<std::uint32_t> instruction_order(const ModuleIndex& index,
                                             const ComputationRow& computation);

}  // namespace jaxtrace::hlo
