// The decision is made from the fusion's config where it has one, else from what the fused
// computation does: XLA runs a fusion that only moves one contiguous piece as a memcpy.
#include "hlo/fusion_kind.h"

#include <algorithm>

#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

const pb::HloInstructionProto& row(const ProtoRows& rows, InstructionId id) {
  return *rows[static_cast<std::size_t>(id)];
}

bool same_layout(const pb::ShapeProto& a, const pb::ShapeProto& b) {
  return std::ranges::equal(a.layout().minor_to_major(), b.layout().minor_to_major());
}

/// Whether a slice takes one unbroken piece of its operand: from the minor end, whole dimensions,
/// then one that is cut, then only dimensions of size 1.
bool contiguous(const pb::HloInstructionProto& slice, const pb::ShapeProto& operand) {
  const auto& layout = operand.layout().minor_to_major();
  if (slice.slice_dimensions_size() != operand.dimensions_size() ||
      layout.size() != operand.dimensions_size() || !same_layout(slice.shape(), operand)) {
    return false;
  }
  bool cut = false;
  for (const std::int64_t dimension : layout) {
    if (dimension < 0 || dimension >= slice.slice_dimensions_size()) return false;
    const auto& part = slice.slice_dimensions(static_cast<int>(dimension));
    const std::int64_t size = part.limit() - part.start();
    if (part.stride() != 1) return false;
    if (cut && size != 1) return false;
    cut = cut || size != operand.dimensions(static_cast<int>(dimension));
  }
  return true;
}

bool is_copy(const Program& program, const ProtoRows& rows, InstructionId root) {
  const Instruction& i = program[root];
  if (i.operands.size() != 1 || program[i.operands[0]].opcode != "parameter") return false;
  const pb::ShapeProto& from = row(rows, i.operands[0]).shape();
  if (i.opcode == "copy") return same_layout(from, row(rows, root).shape());
  return i.opcode == "slice" && program.emitter == Emitter::since_jax_0_10 &&
         contiguous(row(rows, root), from);
}

}  // namespace

std::string_view json_string(std::string_view text, std::string_view key, std::string_view from) {
  std::size_t at = text.find(from);
  while (at != std::string_view::npos) {
    at = text.find(key, at);
    if (at == std::string_view::npos) return {};
    const bool quoted = at > 0 && text[at - 1] == '"';
    at += key.size();
    if (!quoted || at >= text.size() || text[at] != '"') continue;
    at = text.find_first_not_of(" :\n\t", at + 1);
    if (at == std::string_view::npos || text[at] != '"') continue;
    const std::size_t end = text.find('"', at + 1);
    if (end == std::string_view::npos) return {};
    return text.substr(at + 1, end - at - 1);
  }
  return {};
}

std::vector<InstructionId> fusion_roots(const Program& program, InstructionId fusion) {
  const auto& called = program[fusion].called;
  if (called.empty() || program[called[0]].root == InstructionId::none) return {};
  const InstructionId root = program[called[0]].root;
  if (program[root].opcode == "tuple") return program[root].operands;
  return {root};
}

InstructionId copied_parameter(const Program& program, InstructionId root) {
  const auto& operands = program[root].operands;
  return operands.empty() ? InstructionId::none : operands[0];
}

FusionKind fusion_kind(const Program& program, const ProtoRows& rows, InstructionId fusion) {
  const Instruction& i = program[fusion];
  const auto roots = fusion_roots(program, fusion);
  if (roots.empty()) return FusionKind::kernel;
  const std::string_view kind = json_string(i.backend_config, "kind", "fusion_backend_config");
  if (kind == "__cudnn$fusion") return FusionKind::library;
  if (kind == "__custom_fusion") {
    const std::string_view name = json_string(i.backend_config, "name", "custom_fusion_config");
    return name == "dynamic_slice_fusion" || name == "address_computation" ||
                   name == "dynamic_address_computation"
               ? FusionKind::dynamic_slice
               : FusionKind::library;
  }
  if (kind == "__dynamic_memcpy") return FusionKind::dynamic_copy;
  if (program[roots[0]].opcode == "sort") return FusionKind::sort;
  if (i.fusion_kind == "kLoop" && std::ranges::all_of(roots, [&](InstructionId root) {
        return is_copy(program, rows, root);
      })) {
    return FusionKind::copies;
  }
  return FusionKind::kernel;
}

}  // namespace jaxtrace::hlo
