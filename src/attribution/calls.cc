// Counting sequences per call, and writing them into the schedule tree.
#include "attribution/calls.h"

#include <algorithm>
#include <tuple>

#include "analysis/kernel_family.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kLongest = 64;  // Kernels of one call that are told apart.

bool library(hlo::Work work) {
  using hlo::Work;
  return work == Work::gemm || work == Work::convolution || work == Work::attention ||
         work == Work::sort || work == Work::library || work == Work::custom_call;
}

}  // namespace

Calls calls_seen(const Trace& trace, const Attribution& attribution,
                 const std::vector<Group*>& groups, const hlo::Schedule& schedule) {
  std::map<hlo::InstructionId, bool> is_call;
  for (const hlo::Slot& slot : schedule.slots) {
    if (library(slot.work) && slot.kernel_name.empty()) is_call[slot.instruction] = true;
  }
  using Sequence = std::vector<StringId>;
  std::map<hlo::InstructionId, std::map<Sequence, std::size_t>> seen;
  for (const Group* group : groups) {
    std::size_t execution = 0;
    Sequence sequence;
    hlo::InstructionId current = hlo::InstructionId::none;
    bool clear = true;
    bool doubtful_before = false;
    const auto close = [&] {
      if (!sequence.empty() && clear && sequence.size() <= kLongest) ++seen[current][sequence];
      sequence.clear();
      clear = true;
    };
    for (std::size_t k = 0; k < group->events.size(); ++k) {
      const std::uint32_t i = group->events[k];
      const std::uint32_t row = attribution.label[i];
      if (row == kNone) continue;
      const Label& label = attribution.labels[row];
      const bool begins = execution < group->executions.size() && group->executions[execution] == k;
      if (begins) ++execution;
      // A doubtful kernel between two calls may be either's: both sequences are in doubt.
      const bool call = is_call.contains(label.instruction);
      const bool doubtful = call && label.rule == Rule::ambiguous;
      if (label.instruction != current || begins) {
        clear = clear && (begins || !doubtful);
        close();
        clear = begins || !doubtful_before;
      }
      doubtful_before = doubtful;
      current = label.instruction;
      if (!call) continue;
      sequence.push_back(trace.events.name[i]);
      clear = clear && !doubtful;
    }
    close();
  }

  Calls calls;
  for (const auto& [instruction, sequences] : seen) {
    const auto text = [&](const Sequence& sequence) {
      std::vector<std::string> names;
      for (const StringId id : sequence) names.emplace_back(bare_kernel_name(trace.strings[id]));
      return names;
    };
    const auto most = std::ranges::max_element(sequences, {}, [&](const auto& entry) {
      return std::tuple(entry.second, entry.first.size(), text(entry.first));
    });
    if (most->second > 1) calls[instruction] = text(most->first);
  }
  return calls;
}

SpelledOut spell_out(const hlo::Schedule& schedule, const Calls& calls) {
  SpelledOut out;
  out.schedule.nodes = schedule.nodes;
  // Nodes are visited from left to right, so that slots stay in the order of the tree.
  std::vector<std::uint32_t> open{0};
  while (!open.empty() && !schedule.nodes.empty()) {
    const std::uint32_t n = open.back();
    open.pop_back();
    const hlo::Node node = out.schedule.nodes[n];
    if (node.of != hlo::Node::Of::slot) {
      open.insert(open.end(), node.children.rbegin(), node.children.rend());
      continue;
    }
    hlo::Slot slot = schedule.slots[node.slot];
    const auto next = [&] { return static_cast<std::uint32_t>(out.schedule.slots.size()); };
    const auto call = calls.find(slot.instruction);
    if (call == calls.end() || !library(slot.work) || !slot.kernel_name.empty()) {
      out.schedule.nodes[n].slot = next();
      out.schedule.slots.push_back(slot);
      out.seen.push_back(false);
      continue;
    }
    hlo::Node sequence{.of = hlo::Node::Of::sequence};
    for (const std::string& name : call->second) {
      sequence.children.push_back(static_cast<std::uint32_t>(out.schedule.nodes.size()));
      out.schedule.nodes.push_back({.of = hlo::Node::Of::slot, .slot = next()});
      slot.kernel_name = name;
      slot.optional = false;
      out.schedule.slots.push_back(slot);
      out.seen.push_back(true);
    }
    out.schedule.nodes[n] = sequence;
  }
  return out;
}

}  // namespace jaxtrace
