// Which computations are entered, in XLA's order: a while's condition before its body, branches as
// listed.
#include "hlo/emission.h"

#include <string_view>
#include <utility>

namespace jaxtrace::hlo {
namespace {

bool is_async_start(const Instruction& instruction) {
  return instruction.opcode == "async-start" && !instruction.called.empty();
}

bool has_predicate_root(const Program& program, ComputationId id) {
  const InstructionId root = program[id].root;
  return root != InstructionId::none && program[root].pred_root;
}

}  // namespace

const std::vector<InstructionId>& sequence(const Program& program, ComputationId computation) {
  const Computation& c = program[computation];
  return c.schedule.empty() ? c.instructions : c.schedule;
}

LoopParts loop_parts(const Program& program, InstructionId loop) {
  const auto& called = program[loop].called;
  LoopParts parts;
  if (called.size() == 2) {
    parts = {.condition = called[1], .body = called[0]};
    if (!has_predicate_root(program, parts.condition) && has_predicate_root(program, parts.body)) {
      std::swap(parts.condition, parts.body);
    }
  }
  return parts;
}

std::vector<ComputationId> entered(const Program& program, InstructionId id) {
  const Instruction& instruction = program[id];
  if (instruction.opcode == "while") {
    const LoopParts parts = loop_parts(program, id);
    if (parts.body == ComputationId::none) return {};
    return {parts.condition, parts.body};
  }
  if (instruction.opcode == "conditional" || instruction.opcode == "call" ||
      is_async_start(instruction)) {
    return instruction.called;
  }
  return {};
}

// The text is JSON that the protobuf printer wrote; int64 stands in quotes, other writers leave
// them out.
std::optional<std::uint64_t> known_trip_count(const Instruction& loop) {
  const std::string_view text = loop.backend_config;
  std::size_t at = text.find("known_trip_count");
  if (at == std::string_view::npos) return {};
  const std::size_t end = text.find('}', at);
  at = text.find("\"n\"", at);
  if (at == std::string_view::npos || at > end) return {};
  at = text.find_first_of("0123456789}", at);
  std::uint64_t count = 0;
  bool any = false;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    if (count > (UINT64_MAX - 9) / 10) return {};
    count = count * 10 + static_cast<std::uint64_t>(text[at] - '0');
    any = true;
  }
  if (!any) return {};
  return count;
}

// Every computation of a scheduled program is entered once, so that the sum of all is plenty;
// command buffers of jax 0.4 may be called from several places.
WalkBudget::WalkBudget(const Program& program) : steps(16 * program.instructions.size() + 4096) {}

bool WalkBudget::step() {
  if (steps == 0) return false;
  --steps;
  return true;
}

}  // namespace jaxtrace::hlo
