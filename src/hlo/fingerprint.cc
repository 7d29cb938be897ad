// Operands are walked without recursion: a fused computation may be a chain of any length.
#include "hlo/fingerprint.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "hlo/emission.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

constexpr std::uint32_t kInProgress = std::numeric_limits<std::uint32_t>::max();

/// From the root, operands before users.
std::vector<InstructionId> post_order(const Program& program, ComputationId computation) {
  std::vector<InstructionId> order;
  const InstructionId root = program[computation].root;
  if (root == InstructionId::none) return order;
  std::unordered_map<InstructionId, bool> done;  // absent: not seen
  std::vector<std::pair<InstructionId, std::size_t>> stack{{root, 0}};
  done[root] = false;
  while (!stack.empty()) {
    auto& [id, next] = stack.back();
    const auto& operands = program[id].operands;
    if (next == operands.size()) {
      done[id] = true;
      order.push_back(id);
      stack.pop_back();
      continue;
    }
    const InstructionId operand = operands[next++];
    if (done.emplace(operand, false).second) stack.emplace_back(operand, 0);
  }
  return order;
}

void append_number(std::string& text, std::uint64_t number) {
  text += std::to_string(number);
  text += ',';
}

/// The proto of one instruction without what does not change the code.
std::string instruction_text(const pb::HloInstructionProto& in) {
  pb::HloInstructionProto bare = in;
  bare.clear_name();
  bare.clear_metadata();
  bare.clear_id();
  bare.clear_operand_ids();
  bare.clear_control_predecessor_ids();
  bare.clear_called_computation_ids();
  bare.clear_sharding();
  bare.clear_backend_config();
  bare.clear_backend_config_payload();
  return bare.SerializeAsString();
}

constexpr std::size_t kMaxArguments = 10'000;

struct Argument {
  std::optional<Slice> slice;
  bool result = false;
};

bool overlap(const Slice& a, const Slice& b) {
  return a.allocation == b.allocation && a.offset < b.offset + b.bytes &&
         b.offset < a.offset + a.bytes;
}

int alignment(const Buffers& buffers, const Slice& slice) {
  const auto found = buffers.allocations.find(slice.allocation);
  if (found == buffers.allocations.end()) return 128;
  // xla/service/gpu/gpu_constants.h
  if (found->second.entry_parameter) return 16;
  return found->second.constant ? 64 : 128;
}

}  // namespace

std::uint32_t computation_number(const Program& program, const ProtoRows& rows,
                                 ComputationNumbers& numbers, ComputationId computation,
                                 int depth) {
  numbers.number.resize(program.computations.size());
  const auto at = static_cast<std::size_t>(computation);
  if (numbers.number[at] != 0) return numbers.number[at];
  if (depth > kMaxNesting) return kInProgress;
  numbers.number[at] = kInProgress;
  std::string text;
  std::unordered_map<InstructionId, std::uint64_t> place;
  for (const InstructionId id : post_order(program, computation)) {
    place.emplace(id, place.size());
    const std::string own = instruction_text(*rows[static_cast<std::size_t>(id)]);
    append_number(text, own.size());
    text += own;
    for (const InstructionId operand : program[id].operands) {
      const auto found = place.find(operand);
      append_number(text, found == place.end() ? kInProgress : found->second);
    }
    text += ';';
    for (const ComputationId called : program[id].called) {
      append_number(text, computation_number(program, rows, numbers, called, depth + 1));
    }
    text += ';';
  }
  const auto next = static_cast<std::uint32_t>(numbers.by_text.size() + 1);
  return numbers.number[at] = numbers.by_text.emplace(std::move(text), next).first->second;
}

std::string argument_fingerprint(const Program& program, const Buffers& buffers, InstructionId id) {
  std::vector<Argument> arguments;
  const auto add = [&](InstructionId value, bool result) {
    for (const ShapeIndex& leaf : buffers.leaves[static_cast<std::size_t>(value)]) {
      arguments.push_back({slice_of(program, buffers, value, leaf), result});
    }
  };
  for (const InstructionId operand : program[id].operands) add(operand, false);
  add(id, true);

  // Comparing all pairs of what no kernel takes (XLA splits fusions of more than 1,000) is idle.
  if (arguments.size() > kMaxArguments) return std::to_string(arguments.size());

  const auto is_written = [&](const Slice& slice) {
    return std::ranges::any_of(arguments,
                               [&](const Argument& a) { return a.result && a.slice == slice; });
  };
  std::string text;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) text += ',';
    const std::optional<Slice>& slice = arguments[i].slice;
    if (!slice) {
      text += '?';
      continue;
    }
    const auto first = static_cast<std::size_t>(
        std::ranges::find(arguments, slice, &Argument::slice) - arguments.begin());
    if (first < i) {
      text += '=' + std::to_string(first);
      continue;
    }
    const bool written = is_written(*slice);
    const bool aliased = std::ranges::any_of(arguments, [&](const Argument& other) {
      return other.slice && other.slice != slice && overlap(*other.slice, *slice) &&
             (written || is_written(*other.slice));
    });
    text += std::to_string(alignment(buffers, *slice));
    if (aliased) text += 'a';
    if (written) text += 'w';
  }
  return text;
}

}  // namespace jaxtrace::hlo
