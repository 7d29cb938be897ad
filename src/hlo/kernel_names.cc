// The reuse cache and the uniquer of names, in the order in which XLA fills them.
#include "hlo/kernel_names.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "hlo/emission.h"
#include "hlo/fingerprint.h"
#include "hlo/fusion_kind.h"
#include "hlo/launches.h"
#include "hlo/name_uniquer.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

struct Naming {
  const ProtoRows rows;
  const Buffers& buffers;
  Program& program;
  ComputationNumbers numbers;
  std::unordered_map<std::string, std::string> cache;  // key -> kernel
  NameUniquer uniquer;
};

/// The kernel of this key, named after `wanted` if it is the first.
const std::string& cached(Naming& naming, std::string key, std::string_view wanted) {
  const auto [found, added] = naming.cache.try_emplace(std::move(key));
  if (added) found->second = naming.uniquer.unique(sanitised(wanted));
  return found->second;
}

/// The name in a Triton or PTX custom call: `name = "add_kernel"` in an MLIR dictionary.
std::string_view name_attribute(std::string_view text) {
  for (const std::string_view key : {"kernel_name", "name"}) {
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos) continue;
    const std::size_t start = text.find_first_not_of("\" =:", at + key.size());
    if (start == std::string_view::npos) continue;
    const std::size_t end = text.find_first_of("\"\\,}", start);
    if (end == std::string_view::npos) continue;
    return text.substr(start, end - start);
  }
  return {};
}

std::string own_name(Naming& naming, InstructionId id) {
  const Instruction& i = naming.program[id];
  if (i.opcode == "fusion" && !i.called.empty()) {
    const auto roots = fusion_roots(naming.program, id);
    if (!roots.empty() && naming.program[roots[0]].opcode == "sort") {
      return naming.uniquer.unique(sanitised(naming.program[roots[0]].name));
    }
    std::string key = std::to_string(i.name_group) + '\n';
    key += argument_fingerprint(naming.program, naming.buffers, id);
    return cached(naming, std::move(key), i.name);
  }
  if (i.custom_call_target == "__gpu$TopK") return "topk";  // a prebuilt kernel
  if (i.custom_call_target == "__gpu$xla.gpu.triton" ||
      i.custom_call_target == "__gpu$xla.gpu.ptx") {
    const std::string_view name = name_attribute(i.backend_config);
    return cached(naming, i.backend_config, name.empty() ? i.name : name);
  }
  return naming.uniquer.unique(sanitised(i.name));
}

void name_instruction(Naming& naming, InstructionId id) {
  Instruction& i = naming.program.instructions[static_cast<std::size_t>(id)];
  for (Launch& launch : i.launches) {
    if (launch.work == Work::own_kernel) launch.kernel = own_name(naming, id);
    // Compiled for every all-reduce on NVIDIA; whether it runs is decided at run time.
    if (launch.collective == Collective::all_reduce &&
        naming.program.emitter == Emitter::since_jax_0_10) {
      launch.kernel = naming.uniquer.unique(sanitised(i.name + "_fusion"));
    }
    if (launch.work == Work::own_kernel && i.kernel_name.empty()) i.kernel_name = launch.kernel;
  }
}

void append_emission_order(const Program& program, ComputationId computation, WalkBudget& budget,
                           std::vector<InstructionId>& order) {
  if (budget.depth >= kMaxNesting || computation == ComputationId::none) return;
  ++budget.depth;
  for (const InstructionId id : sequence(program, computation)) {
    if (!budget.step()) break;
    for (const ComputationId c : entered(program, id)) {
      append_emission_order(program, c, budget, order);
    }
    order.push_back(id);
  }
  --budget.depth;
}

}  // namespace

std::string sanitised(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '$';
    if (!kept) c = '_';
  }
  return out;
}

std::vector<InstructionId> kernel_candidates(const Program& program, std::string_view kernel) {
  std::vector<InstructionId> order;
  WalkBudget budget(program);
  append_emission_order(program, program.entry, budget, order);
  std::vector<InstructionId> candidates;
  std::uint32_t group = 0;
  for (const InstructionId id : order) {
    const Instruction& i = program[id];
    if (!program.names_certain && i.name_group != 0 && group == 0 && sanitised(i.name) == kernel) {
      group = i.name_group;
    }
    const bool predicted = std::ranges::any_of(
        i.launches, [&](const Launch& launch) { return launch.kernel == kernel; });
    if (predicted || (group != 0 && i.name_group == group)) candidates.push_back(id);
  }
  return candidates;
}

void predict_kernel_names(const pb::HloProto& proto, const Buffers& buffers, Program& program) {
  Naming naming{.rows = proto_rows(proto),
                .buffers = buffers,
                .program = program,
                .numbers = {},
                .cache = {},
                .uniquer = {}};
  program.names_certain = !buffers.empty();
  for (std::size_t n = 0; n < program.instructions.size(); ++n) {
    Instruction& i = program.instructions[n];
    if (i.opcode != "fusion" || i.called.empty() || program[i.computation].fused) continue;
    i.name_group = computation_number(program, naming.rows, naming.numbers, i.called[0]);
  }
  std::vector<InstructionId> order;
  WalkBudget budget(program);
  append_emission_order(program, program.entry, budget, order);
  for (const InstructionId id : order) {
    // A command buffer of jax 0.4 may be called twice; its kernels have their names already.
    if (program[id].kernel_name.empty()) name_instruction(naming, id);
  }
}

}  // namespace jaxtrace::hlo
