// XLA's walk over the schedule, with thunk numbers counted as XLA counts them: one for every thunk,
// whether it launches device work or not, also in a loop's condition that is compiled but not run.
#include "hlo/schedule.h"

#include <string_view>
#include <utility>

#include "hlo/emission.h"

namespace jaxtrace::hlo {
namespace {

struct Walk {
  const Program& program;
  bool nested_starts;  ///< Loops are numbered before their content, starts hold their collective.
  WalkBudget budget;
  Schedule out = {};
  std::uint32_t next_thunk = 1;
};

std::uint32_t add_node(Walk& walk, Node node) {
  walk.out.nodes.push_back(std::move(node));
  return static_cast<std::uint32_t>(walk.out.nodes.size() - 1);
}

void add_slot(Walk& walk, std::uint32_t parent, Slot slot) {
  walk.out.slots.push_back(std::move(slot));
  const auto row = static_cast<std::uint32_t>(walk.out.slots.size() - 1);
  const std::uint32_t node = add_node(walk, {.of = Node::Of::slot, .slot = row});
  walk.out.nodes[parent].children.push_back(node);
}

std::uint32_t add_child(Walk& walk, std::uint32_t parent, Node node) {
  const std::uint32_t id = add_node(walk, std::move(node));
  walk.out.nodes[parent].children.push_back(id);
  return id;
}

void emit_computation(Walk& walk, ComputationId computation, std::uint32_t parent);

/// Counts the thunks of a computation that is compiled but never run.
void skip_computation(Walk& walk, ComputationId computation) {
  Schedule kept = std::exchange(walk.out, {});
  emit_computation(walk, computation, add_node(walk, {}));
  walk.out = std::move(kept);
}

void emit_loop(Walk& walk, InstructionId id, std::uint32_t parent) {
  const LoopParts parts = loop_parts(walk.program, id);
  if (parts.body == ComputationId::none) return;
  const auto trips = known_trip_count(walk.program[id]);
  const std::uint32_t loop =
      add_child(walk, parent, {.of = Node::Of::loop, .trips = trips, .instruction = id});
  if (walk.nested_starts) walk.out.nodes[loop].thunk = walk.next_thunk++;
  const std::uint32_t content = add_child(walk, loop, {});
  if (trips) {
    skip_computation(walk, parts.condition);
  } else {
    emit_computation(walk, parts.condition, content);
    add_slot(walk, content, {.instruction = id, .work = Work::host_copy, .bytes = 1});
  }
  emit_computation(walk, parts.body, content);
  if (!walk.nested_starts) walk.out.nodes[loop].thunk = walk.next_thunk++;
}

void emit_conditional(Walk& walk, InstructionId id, std::uint32_t parent) {
  const Instruction& i = walk.program[id];
  const std::int64_t bytes = i.operands.empty() ? -1 : walk.program[i.operands[0]].result_bytes;
  add_slot(walk, parent, {.instruction = id, .work = Work::host_copy, .bytes = bytes});
  const std::uint32_t branch = add_child(walk, parent, {.of = Node::Of::branch, .instruction = id});
  for (const ComputationId c : i.called) {
    emit_computation(walk, c, add_child(walk, branch, {}));
  }
  walk.out.nodes[branch].thunk = walk.next_thunk++;
}

bool is_command_buffer(const Program& program, const Instruction& call) {
  return call.called.size() == 1 && program[call.called[0]].name.starts_with("command_buffer");
}

/// Whether the done of `start` is a thunk: it waits for another stream, but is no device work.
bool has_done_thunk(const Walk& walk, const Instruction& start) {
  const Instruction* launcher = &start;
  if (start.opcode == "async-start" && !start.called.empty()) {
    const InstructionId root = walk.program[start.called[0]].root;
    if (root != InstructionId::none) launcher = &walk.program[root];
  }
  // Until jax 0.9 the flag was looked for in the wrapped instruction, which does not have it.
  if (walk.nested_starts ? start.sync : launcher->sync) return false;
  // A collective of groups of one is a copy; until jax 0.9 there was nothing to wait for.
  return walk.nested_starts || launcher->launches.empty() ||
         launcher->launches[0].work != Work::copy;
}

void emit_own(Walk& walk, InstructionId id, std::uint32_t parent) {
  const Instruction& i = walk.program[id];
  walk.next_thunk += i.thunks_before;
  for (const Launch& launch : i.launches) {
    add_slot(walk, parent,
             {.instruction = launch.inner != InstructionId::none ? launch.inner : id,
              .work = launch.work,
              .collective = launch.collective,
              .kernel_name = launch.kernel,
              .thunk = walk.next_thunk++,
              .bytes = launch.bytes,
              .optional = launch.optional});
  }
  walk.next_thunk += i.thunks_after;
}

/// Several collectives started at once: the library launches one kernel for all of them, and the
/// tracer names the start.
bool is_group(const Program& program, const Instruction& start) {
  if (start.opcode != "async-start" || start.called.size() != 1) return false;
  std::size_t collectives = 0;
  for (const InstructionId id : sequence(program, start.called[0])) {
    const auto& launches = program[id].launches;
    collectives += !launches.empty() && launches[0].work == Work::collective;
  }
  return collectives > 1;
}

void emit_group(Walk& walk, InstructionId id, std::uint32_t parent) {
  const std::uint32_t first = walk.next_thunk;
  skip_computation(walk, walk.program[id].called[0]);
  add_slot(walk, parent, {.instruction = id, .work = Work::collective, .thunk = first});
}

void emit(Walk& walk, InstructionId id, std::uint32_t parent) {
  const Instruction& i = walk.program[id];
  const std::string_view op = i.opcode;
  if (op == "while") return emit_loop(walk, id, parent);
  if (op == "conditional") return emit_conditional(walk, id, parent);
  if (op == "call" && is_command_buffer(walk.program, i)) {
    const std::uint32_t graph = add_child(walk, parent, {.of = Node::Of::graph, .instruction = id});
    return emit_computation(walk, i.called[0], graph);
  }
  if (op == "call" || op == "async-start") {
    if (is_group(walk.program, i)) {
      emit_group(walk, id, parent);
    } else {
      for (const ComputationId c : i.called) emit_computation(walk, c, parent);
    }
    if (op == "async-start" && !i.sync && walk.nested_starts) ++walk.next_thunk;
    return;
  }
  if (op.ends_with("-done")) {
    if (!i.operands.empty() && has_done_thunk(walk, walk.program[i.operands[0]])) {
      ++walk.next_thunk;
    }
    return;
  }
  emit_own(walk, id, parent);
  // An asynchronous operation stands in a start thunk of its own.
  if (walk.nested_starts && op.ends_with("-start") && !i.sync) {
    ++walk.next_thunk;
  }
}

void emit_computation(Walk& walk, ComputationId computation, std::uint32_t parent) {
  if (walk.budget.depth >= kMaxNesting || computation == ComputationId::none) return;
  ++walk.budget.depth;
  for (const InstructionId id : sequence(walk.program, computation)) {
    if (!walk.budget.step()) break;
    emit(walk, id, parent);
  }
  --walk.budget.depth;
}

}  // namespace

Schedule build_schedule(const Program& program) {
  Walk walk{.program = program,
            .nested_starts = program.emitter == Emitter::since_jax_0_10,
            .budget = WalkBudget(program)};
  const std::uint32_t root = add_node(walk, {});
  emit_computation(walk, program.entry, root);
  return std::move(walk.out);
}

}  // namespace jaxtrace::hlo
