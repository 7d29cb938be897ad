// See module_index.h.
#include "hlo/text/module_index.h"

#include <algorithm>

#include "hlo/text/append.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

std::uint32_t local_id(std::int64_t id) {
  return static_cast<std::uint32_t>(id);
}

std::string_view keep_name(ModuleIndex& index, std::string_view name) {
  std::string changed;
  if (!sanitise_name(name, changed)) return name;
  return index.changed_names.emplace_back(std::move(changed));
}

bool is_async(std::string_view opcode) {
  return opcode == "async-start" || opcode == "async-update" || opcode == "async-done";
}

void add_computation(ModuleIndex& index, const pb::HloComputationProto& proto) {
  ComputationRow& computation = index.computations.emplace_back();
  const auto row = static_cast<std::uint32_t>(index.computations.size() - 1);
  computation.proto = &proto;
  computation.name = keep_name(index, proto.name());
  computation.first = static_cast<std::uint32_t>(index.instructions.size());
  computation.size = static_cast<std::uint32_t>(proto.instructions_size());
  index.computation_rows.try_emplace(proto.id(), row);
  for (const auto& instruction : proto.instructions()) {
    computation.by_id.emplace_back(local_id(instruction.id()),
                                   static_cast<std::uint32_t>(index.instructions.size()));
    index.instructions.push_back(
        {.proto = &instruction, .name = keep_name(index, instruction.name()), .computation = row});
  }
  if (!std::ranges::is_sorted(computation.by_id)) std::ranges::sort(computation.by_id);
  computation.root = index.instruction(computation, proto.root_id());
  for (std::uint32_t i = computation.first; i < index.instructions.size(); ++i) {
    if (i != computation.root && index.instructions[i].proto->opcode() != "parameter") {
      computation.one_operation = false;
    }
  }
}

/// What async-start calls, async-update and async-done go on with.
void find_wrapped(ModuleIndex& index) {
  for (InstructionRow& instruction : index.instructions) {
    const pb::HloInstructionProto& proto = *instruction.proto;
    if (!is_async(proto.opcode())) continue;
    const bool starts = proto.opcode() == "async-start";
    if (starts && proto.called_computation_ids_size() > 0) {
      instruction.wrapped = index.computation(proto.called_computation_ids(0));
      if (instruction.wrapped != kNoRow) index.computations[instruction.wrapped].async = true;
    } else if (!starts && proto.operand_ids_size() > 0) {
      const std::uint32_t operand =
          index.instruction(index.computations[instruction.computation], proto.operand_ids(0));
      if (operand != kNoRow) instruction.wrapped = index.instructions[operand].wrapped;
    }
  }
}

/// For each computation whose calls are being followed: how far.
struct Visit {
  std::uint32_t computation;
  std::size_t next = 0;
};

class ComputationWalk {
 public:
  explicit ComputationWalk(const ModuleIndex& index)
      : index_(index), visited_(index.computations.size(), false) {}

  void from(std::uint32_t root) {
    push(root);
    while (!stack_.empty()) {
      Visit& top = stack_.back();
      const ComputationRow& computation = index_.computations[top.computation];
      if (top.next == computation.by_id.size()) {
        order.push_back(top.computation);
        stack_.pop_back();
        continue;
      }
      const auto& calls =
          index_.instructions[computation.by_id[top.next++].second].proto->called_computation_ids();
      // In reverse, so that the first called is the first followed.
      for (int i = calls.size() - 1; i >= 0; --i) push(index_.computation(calls.Get(i)));
    }
  }

  std::vector<std::uint32_t> order;

 private:
  void push(std::uint32_t computation) {
    if (computation == kNoRow || visited_[computation]) return;
    visited_[computation] = true;
    stack_.push_back({.computation = computation});
  }

  const ModuleIndex& index_;
  std::vector<bool> visited_;
  std::vector<Visit> stack_;
};

/// Depth first over operands and control predecessors; each instruction once.
class InstructionWalk {
 public:
  InstructionWalk(const ModuleIndex& index, const ComputationRow& computation)
      : index_(index), computation_(computation), states_(computation.size, State::fresh) {}

  void from(std::uint32_t root) {
    push(root);
    while (!stack_.empty()) {
      const std::uint32_t row = stack_.back();
      State& state = states_[row - computation_.first];
      if (state != State::fresh) {
        stack_.pop_back();
        if (state == State::open) order.push_back(row);
        state = State::done;
        continue;
      }
      state = State::open;
      const pb::HloInstructionProto& proto = *index_.instructions[row].proto;
      const auto& operands = proto.operand_ids();
      for (int i = operands.size() - 1; i >= 0; --i) push_id(operands.Get(i));
      for (const std::int64_t id : proto.control_predecessor_ids()) push_id(id);
    }
  }

  std::vector<std::uint32_t> order;

 private:
  enum class State : std::uint8_t { fresh, open, done };

  void push(std::uint32_t row) {
    if (states_[row - computation_.first] != State::done) stack_.push_back(row);
  }
  void push_id(std::int64_t id) {
    if (const std::uint32_t row = index_.instruction(computation_, id); row != kNoRow) push(row);
  }

  const ModuleIndex& index_;
  const ComputationRow& computation_;
  std::vector<State> states_;
  std::vector<std::uint32_t> stack_;
};

std::vector<std::uint32_t> dependency_order(const ModuleIndex& index,
                                            const ComputationRow& computation) {
  std::vector<bool> used(computation.size, false);
  for (std::uint32_t i = 0; i < computation.size; ++i) {
    for (const std::int64_t id : index.instructions[computation.first + i].proto->operand_ids()) {
      const std::uint32_t operand = index.instruction(computation, id);
      if (operand != kNoRow) used[operand - computation.first] = true;
    }
  }
  InstructionWalk walk(index, computation);
  for (const auto& [id, row] : computation.by_id) {
    if (!used[row - computation.first]) walk.from(row);
  }
  // Only what uses itself in a circle is left.
  if (walk.order.size() < computation.size) {
    for (const auto& [id, row] : computation.by_id) walk.from(row);
  }
  return std::move(walk.order);
}

}  // namespace

std::uint32_t ModuleIndex::instruction(const ComputationRow& computation, std::int64_t id) const {
  const auto& rows = computation.by_id;
  if (rows.empty()) return kNoRow;
  const std::uint32_t key = local_id(id);
  // Ids mostly count up without a gap.
  const std::size_t guess = key - rows.front().first;
  if (guess < rows.size() && rows[guess].first == key &&
      (guess == 0 || rows[guess - 1].first != key)) {
    return rows[guess].second;
  }
  const auto found = std::ranges::lower_bound(rows, std::pair(key, std::uint32_t{0}));
  return found != rows.end() && found->first == key ? found->second : kNoRow;
}

std::uint32_t ModuleIndex::computation(std::int64_t id) const {
  const auto found = computation_rows.find(id);
  return found == computation_rows.end() ? kNoRow : found->second;
}

const InstructionRow* ModuleIndex::wrapped_operation(const InstructionRow& instruction) const {
  if (instruction.wrapped == kNoRow) return nullptr;
  const ComputationRow& computation = computations[instruction.wrapped];
  if (!computation.one_operation || computation.root == kNoRow) return nullptr;
  return &instructions[computation.root];
}

ModuleIndex index_module(const pb::HloModuleProto& module) {
  ModuleIndex index;
  index.proto = &module;
  index.computations.reserve(static_cast<std::size_t>(module.computations_size()));
  std::size_t total = 0;
  for (const auto& computation : module.computations()) {
    total += static_cast<std::size_t>(computation.instructions_size());
  }
  index.instructions.reserve(total);
  for (const auto& computation : module.computations()) add_computation(index, computation);
  for (const auto& entry : module.schedule().sequences()) {
    const std::uint32_t row = index.computation(entry.key());
    if (row != kNoRow) index.computations[row].schedule = &entry.value();
  }
  find_wrapped(index);
  return index;
}

std::vector<std::uint32_t> computation_order(const ModuleIndex& index) {
  std::vector<std::uint32_t> by_id(index.computations.size());
  for (std::uint32_t i = 0; i < by_id.size(); ++i) by_id[i] = i;
  std::ranges::stable_sort(by_id, {},
                           [&](std::uint32_t row) { return index.computations[row].proto->id(); });
  std::vector<bool> called(index.computations.size(), false);
  for (const InstructionRow& instruction : index.instructions) {
    for (const std::int64_t id : instruction.proto->called_computation_ids()) {
      if (const std::uint32_t row = index.computation(id); row != kNoRow) called[row] = true;
    }
  }
  ComputationWalk walk(index);
  for (const std::uint32_t row : by_id) {
    if (!called[row]) walk.from(row);
  }
  for (const std::uint32_t row : by_id) walk.from(row);  // Only what calls itself in a circle.
  return std::move(walk.order);
}

std::vector<std::uint32_t> instruction_order(const ModuleIndex& index,
                                             const ComputationRow& computation) {
  if (computation.schedule == nullptr || computation.schedule->instruction_ids_size() == 0) {
    return dependency_order(index, computation);
  }
  std::vector<std::uint32_t> order;
  order.reserve(computation.size);
  std::vector<bool> listed(computation.size, false);
  const auto list = [&](std::uint32_t row) {
    if (row == kNoRow || listed[row - computation.first]) return;
    listed[row - computation.first] = true;
    order.push_back(row);
  };
  for (const std::int64_t id : computation.schedule->instruction_ids()) {
    list(index.instruction(computation, id));
  }
  for (const auto& [id, row] : computation.by_id) list(row);
  return order;
}

}  // namespace jaxtrace::hlo
