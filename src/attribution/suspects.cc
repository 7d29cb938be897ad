// Candidates by name: predicted names first, families of library kernels where XLA named nothing.
#include "attribution/suspects.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <tuple>

#include "hlo/kernel_names.h"

namespace jaxtrace {
namespace {

using hlo::Work;

// Costs of believing something that is not a perfect fit.  A missed own-named kernel costs 40 (miss
// below) and an unexplained one 50 (align's callers): everything here is weighed against those.
constexpr Cost kSameGroup = 25;   // The name of an equal fusion that the prediction set apart.
constexpr Cost kUnpredicted = 5;  // A fusion's own name that no prediction has.
constexpr Cost kOtherSize = 25;   // A copy of another size.
constexpr Cost kOtherCall = 20;   // A library kernel that the tracer saw under other calls only.

constexpr Cost kOneMore = 10;   // A kernel once more than the call was seen to run it.
constexpr Cost kMissSeen = 30;  // Missing a library kernel that the call was seen to run.

constexpr std::string_view kGraphPrefix = "command_buffer_";

struct Fit {
  Cost first = kNever;  // as the first kernel of the slot
  Cost again = kNever;  // as a further one
};

/// How well a library kernel of `family` fits a slot of `work`.
Fit fit(Family family, Work work) {
  const bool many = work == Work::gemm || work == Work::convolution || work == Work::attention ||
                    work == Work::sort || work == Work::library || work == Work::custom_call;
  switch (family) {
    case Family::gemm:
      if (work == Work::gemm) return {0, 8};
      if (work == Work::convolution) return {3, 3};
      if (work == Work::custom_call) return {10, 4};
      if (work == Work::library || work == Work::attention) return {10, 5};
      return {};
    case Family::gemm_helper:
      if (work == Work::gemm) return {20, 0};
      return many ? Fit{15, 3} : Fit{};
    case Family::convolution:
      if (work == Work::convolution) return {0, 2};
      if (work == Work::custom_call) return {10, 4};
      return work == Work::gemm || work == Work::library ? Fit{25, 10} : Fit{};
    case Family::attention:
      if (work == Work::attention) return {0, 2};
      if (work == Work::custom_call) return {3, 2};
      return work == Work::gemm || work == Work::library ? Fit{25, 10} : Fit{};
    case Family::sort:
      if (work == Work::sort) return {0, 0};
      if (work == Work::custom_call || work == Work::library) return {4, 2};
      return {};
    case Family::fft:
      if (work == Work::library) return {0, 2};
      return work == Work::custom_call ? Fit{10, 4} : Fit{};
    case Family::copy:
      if (work == Work::copy || work == Work::host_copy) return {0, kNever};
      if (work == Work::collective) return {12, 12};  // of a group of one, or between peers
      // GEMMs and convolutions copy nothing: a copy near one is more likely a transfer.
      if (work == Work::custom_call || work == Work::sort) return {25, 10};
      return work == Work::library ? Fit{25, 10} : Fit{};
    case Family::fill:
      if (work == Work::fill) return {0, kNever};
      if (work == Work::custom_call) return {4, 2};
      return many ? Fit{12, 8} : Fit{};
    case Family::collective:
      return work == Work::collective ? Fit{0, 15} : Fit{};
    case Family::control:
      return {};
    case Family::unknown:
      break;
  }
  switch (work) {
    case Work::custom_call:
      return {5, 2};
    case Work::library:
      return {5, 3};
    case Work::sort:
    case Work::convolution:
    case Work::attention:
      return {8, 4};
    case Work::gemm:
      return {12, 8};
    case Work::collective:
      return {25, 25};
    default:
      return {};
  }
}

bool may_be(hlo::Collective collective, Primitive primitive) {
  if (collective == hlo::Collective::none) return true;  // A group: any of its members.
  switch (primitive) {
    case Primitive::all_reduce:
    case Primitive::reduce:
      return collective == hlo::Collective::all_reduce;
    case Primitive::all_gather:
      return collective == hlo::Collective::all_gather;
    case Primitive::reduce_scatter:
      return collective == hlo::Collective::reduce_scatter;
    case Primitive::send_recv:
      return collective == hlo::Collective::send_recv;
    case Primitive::broadcast:
      return collective == hlo::Collective::broadcast;
    case Primitive::unknown:
      return true;
  }
  return true;
}

/// Which way a copy goes, by its name; a blit kernel may go either way.
Cost copy_fit(std::string_view bare, Work work) {
  const bool to_or_from_host = bare.find("H2D") != bare.npos || bare.find("D2H") != bare.npos ||
                               bare.find("HostToDevice") != bare.npos ||
                               bare.find("DeviceToHost") != bare.npos;
  const bool on_device = bare.find("D2D") != bare.npos || bare.find("P2P") != bare.npos ||
                         bare.find("DeviceToDevice") != bare.npos;
  if (to_or_from_host) return work == Work::host_copy ? 0 : kNever;
  if (on_device) return work == Work::copy ? 0 : kNever;
  return work == Work::copy ? 0 : 5;
}

Cost miss_cost(const hlo::Slot& slot, bool amd) {
  if (slot.optional) return slot.work == Work::custom_call ? 4 : 1;
  switch (slot.work) {
    case Work::own_kernel:
      return 40;
    case Work::copy:
      return amd ? 2 : 30;  // rocprofiler-sdk loses copies that no kernel makes
    case Work::host_copy:
    case Work::fill:
      return 2;
    case Work::custom_call:
      return 10;
    default:
      return 30;
  }
}

bool wrapper(std::string_view opcode) {
  return opcode == "call" || opcode == "while" || opcode == "conditional";
}

bool launches_nothing(std::string_view opcode) {
  return opcode == "parameter" || opcode == "constant" || opcode == "bitcast" ||
         opcode == "tuple" || opcode == "get-tuple-element" || opcode == "after-all" ||
         opcode == "add-dependency" || opcode == "opt-barrier" || opcode == "domain" ||
         opcode.ends_with("-done");
}

/// What XLA appends to an annotation when a profiler turned command buffers off.
std::string_view without_note(std::string_view hlo_op) {
  constexpr std::string_view kNote = " (disabled for profiling)";
  if (hlo_op.ends_with(kNote)) hlo_op.remove_suffix(kNote.size());
  return hlo_op;
}

std::optional<std::uint32_t> thunk_number(std::string_view hlo_op) {
  if (!hlo_op.starts_with(kGraphPrefix)) return {};
  hlo_op.remove_prefix(kGraphPrefix.size());
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(hlo_op.begin(), hlo_op.end(), number);
  if (error != std::errc() || end != hlo_op.end()) return {};
  return number;
}

}  // namespace

hlo::InstructionId exact_instruction(const hlo::Program& program, std::string_view hlo_op,
                                     bool copy) {
  hlo_op = without_note(hlo_op);
  if (hlo_op.empty()) return hlo::InstructionId::none;
  hlo::InstructionId id = program.find(hlo_op);
  // Tracers of async collectives may write the operation without "-start".
  if (id == hlo::InstructionId::none) {
    const std::size_t dot = hlo_op.find('.');
    std::string start(hlo_op.substr(0, dot));
    start += "-start";
    if (dot != hlo_op.npos) start += hlo_op.substr(dot);
    id = program.find(start);
  }
  if (id == hlo::InstructionId::none) return id;
  const std::string& opcode = program[id].opcode;
  if (launches_nothing(opcode) || (wrapper(opcode) && !(copy && opcode != "call"))) {
    return hlo::InstructionId::none;
  }
  return id;
}

bool names_graph(const hlo::Program* program, std::string_view hlo_op) {
  hlo_op = without_note(hlo_op);
  if (thunk_number(hlo_op)) return true;
  if (hlo_op.starts_with("command_buffer")) return true;
  if (!program) return hlo_op == "call" || hlo_op.starts_with("call.");
  const hlo::InstructionId id = program->find(hlo_op);
  return id != hlo::InstructionId::none && (*program)[id].opcode == "call";
}

Suspects::Suspects(const Trace& trace, const hlo::Program& program, SpelledOut spelled, bool amd)
    : trace_(&trace),
      program_(&program),
      schedule_(std::move(spelled.schedule)),
      seen_(std::move(spelled.seen)) {
  for (std::uint32_t s = 0; s < schedule_.slots.size(); ++s) {
    const hlo::Slot& slot = schedule_.slots[s];
    instructions_.push_back(static_cast<std::uint32_t>(slot.instruction));
    miss_.push_back(seen_[s] ? kMissSeen : miss_cost(slot, amd));
    if (!slot.kernel_name.empty() && !seen_[s]) by_kernel_[slot.kernel_name].push_back(s);
    if (slot.instruction != hlo::InstructionId::none) {
      by_own_name_[hlo::sanitised(program[slot.instruction].name)].push_back(s);
    }
  }
}

std::vector<Candidate> Suspects::own(std::string_view bare) const {
  std::vector<Candidate> found;
  if (const auto at = by_kernel_.find(bare); at != by_kernel_.end()) {
    for (const std::uint32_t s : at->second) found.push_back({s, 0, kNever});
  }
  // The prediction may have put one fusion too many, or one too few, under this name: any later
  // fusion of the same computation could run the kernel of the one that owns the name.
  if (const auto at = by_own_name_.find(std::string(bare)); at != by_own_name_.end()) {
    const std::uint32_t owner = at->second.front();
    const hlo::Instruction& fusion = (*program_)[schedule_.slots[owner].instruction];
    const Cost doubt = found.empty() ? kUnpredicted : kSameGroup;
    for (std::uint32_t s = owner; s < schedule_.slots.size(); ++s) {
      const hlo::Slot& slot = schedule_.slots[s];
      if (slot.instruction == hlo::InstructionId::none || slot.work != Work::own_kernel) continue;
      const bool same =
          s == owner ||
          (fusion.name_group != 0 && (*program_)[slot.instruction].name_group == fusion.name_group);
      if (same && slot.kernel_name != bare) found.push_back({s, doubt, kNever});
    }
  }
  std::ranges::sort(found, {}, &Candidate::slot);
  return found;
}

std::vector<Candidate> Suspects::foreign(std::string_view bare, StringId name,
                                         const Details& details) const {
  std::vector<Candidate> found;
  const Family family = details.of == Details::Of::memcpy   ? Family::copy
                        : details.of == Details::Of::memset ? Family::fill
                                                            : kernel_family(bare);
  const Primitive primitive =
      family == Family::collective ? collective_primitive(bare) : Primitive::unknown;
  const auto learned = learned_.find(name);
  for (std::uint32_t s = 0; s < schedule_.slots.size(); ++s) {
    const hlo::Slot& slot = schedule_.slots[s];
    Fit cost = fit(family, slot.work);
    if (seen_[s]) {
      if (slot.kernel_name == bare) {
        cost = {0, kOneMore};
      } else if (cost.first != kNever) {
        cost = {cost.first + kOtherCall, cost.again};
      } else {
        continue;
      }
    } else if (learned != learned_.end() && learned->second.contains(slot.instruction)) {
      cost = {0, slot.work == Work::copy ? kNever : 0};
    } else if (cost.first == kNever) {
      continue;
    } else if (family == Family::copy &&
               (slot.work == Work::copy || slot.work == Work::host_copy)) {
      cost.first = copy_fit(bare, slot.work);
      if (cost.first == kNever) continue;
      if (details.bytes && slot.bytes >= 0 &&
          *details.bytes != static_cast<std::uint64_t>(slot.bytes)) {
        cost.first += kOtherSize;
      }
    } else if (family == Family::collective && !may_be(slot.collective, primitive)) {
      continue;
    } else if (taught_.contains(slot.instruction)) {
      cost.first += kOtherCall;
    }
    found.push_back({s, cost.first, cost.again});
  }
  return found;
}

const std::vector<Candidate>& Suspects::of(StringId name, DetailsId id) const {
  const Details& details = trace_->details[static_cast<std::size_t>(id)];
  // Of the details only the kind and the size of a copy matter.
  const std::uint64_t bytes = details.of == Details::Of::memcpy ? details.bytes.value_or(~0ULL) : 0;
  const std::tuple key(name, details.of, bytes);
  const auto [at, added] = cache_.try_emplace(key);
  if (added) {
    const std::string_view bare = bare_kernel_name(trace_->strings[name]);
    at->second = own(bare);
    if (at->second.empty()) at->second = foreign(bare, name, details);
  }
  return at->second;
}

const std::vector<Candidate>& Suspects::of(hlo::InstructionId instruction) const {
  const auto key = static_cast<std::uint32_t>(instruction);
  const auto [at, added] = by_instruction_.try_emplace(key);
  if (added) {
    for (std::uint32_t s = 0; s < instructions_.size(); ++s) {
      if (instructions_[s] == key) at->second.push_back({s, 0, 0});
    }
  }
  return at->second;
}

std::size_t Suspects::sharers(StringId name) const {
  const auto at = by_kernel_.find(bare_kernel_name(trace_->strings[name]));
  if (at == by_kernel_.end()) return 0;
  std::set<std::uint32_t> distinct;
  for (const std::uint32_t s : at->second) distinct.insert(instructions_[s]);
  return distinct.size();
}

void Suspects::learn(StringId name, hlo::InstructionId instruction) {
  if (by_kernel_.contains(bare_kernel_name(trace_->strings[name]))) return;
  learned_[name].insert(instruction);
  taught_.insert(instruction);
  cache_.clear();
}

hlo::InstructionId Suspects::only_seen_for(StringId name) const {
  const auto at = learned_.find(name);
  if (at == learned_.end() || at->second.size() != 1) return hlo::InstructionId::none;
  return *at->second.begin();
}

bool Suspects::seen_only_for(StringId name, hlo::InstructionId instruction) const {
  const auto at = learned_.find(name);
  return at != learned_.end() && at->second.size() == 1 && at->second.contains(instruction);
}

std::pair<std::uint32_t, std::uint32_t> Suspects::graph(std::string_view hlo_op) const {
  hlo_op = without_note(hlo_op);
  if (const auto number = thunk_number(hlo_op)) {
    for (std::uint32_t s = 0; s < schedule_.slots.size(); ++s) {
      if (schedule_.slots[s].thunk == *number) return {s, kNoSlot};
    }
    return {kNoSlot, kNoSlot};
  }
  const hlo::InstructionId call = program_->find(hlo_op);
  if (call == hlo::InstructionId::none) return {kNoSlot, kNoSlot};
  for (std::uint32_t n = 0; n < schedule_.nodes.size(); ++n) {
    const hlo::Node& node = schedule_.nodes[n];
    if (node.of != hlo::Node::Of::graph || node.instruction != call) continue;
    // The slots below a node are contiguous: from its leftmost leaf to its rightmost.
    std::uint32_t first = kNoSlot, last = 0;
    std::vector<std::uint32_t> open{n};
    while (!open.empty()) {
      const hlo::Node& at = schedule_.nodes[open.back()];
      open.pop_back();
      if (at.of == hlo::Node::Of::slot) {
        first = std::min(first, at.slot);
        last = std::max(last, at.slot + 1);
      }
      open.insert(open.end(), at.children.begin(), at.children.end());
    }
    if (first != kNoSlot) return {first, last};
  }
  return {kNoSlot, kNoSlot};
}

}  // namespace jaxtrace
