// How many bytes an instruction has to read and write, once each: what XLA's GpuHloCostAnalysis
// calls bytes accessed (xla/service/gpu/model/gpu_hlo_cost_analysis.cc).  Where ours differ,
// docs/roofline.md says why.
#include <algorithm>
#include <array>
#include <string_view>

#include "hlo/cost_parts.h"
#include "hlo/emission.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

bool is_any(std::string_view opcode, std::initializer_list<std::string_view> opcodes) {
  return std::ranges::find(opcodes, opcode) != opcodes.end();
}

constexpr Traffic kNothing{0, 0};

/// Results as they are written, without the scratch memory that library calls list last.
Count written(const CostView& view, InstructionId id) {
  const pb::ShapeProto& shape = view.shape(id);
  if (!is_library_call(view.program[id].custom_call_target) || shape.tuple_shapes().empty())
    return bytes_of(shape);
  constexpr int kS8 = 2, kU8 = 6;
  int results = shape.tuple_shapes_size();
  const pb::ShapeProto& last = shape.tuple_shapes(results - 1);
  if (results > 1 && last.dimensions_size() == 1 &&
      (last.element_type() == kS8 || last.element_type() == kU8)) {
    --results;
  }
  Count sum = 0;
  for (int i = 0; i < results; ++i) sum = plus(sum, bytes_of(shape.tuple_shapes(i)));
  return sum;
}

/// All operands, and all results.
Traffic whole(const CostView& view, InstructionId id) {
  if (!view.has_operands(id, 0)) return {};
  Traffic all{0, written(view, id)};
  for (const InstructionId operand : view.program[id].operands) {
    all.read = plus(all.read, bytes_of(view.shape(operand)));
  }
  return all;
}

Count half(Count bytes) {
  return bytes ? Count(*bytes / 2) : Count();
}

/// A result of a fusion: an update in place writes the update alone.
Count result_bytes(const CostView& view, InstructionId root) {
  if (view.program[root].opcode == "dynamic-update-slice" && view.has_operands(root, 2)) {
    return bytes_of(view.shape(view.operand(root, 1)));
  }
  return bytes_of(view.shape(root));
}

}  // namespace

Traffic TrafficRules::of(InstructionId id) {
  const Instruction& i = view_.program[id];
  const std::string_view opcode = i.opcode;
  const auto operand_bytes = [&](std::size_t n) {
    return bytes_of(view_.shape(view_.operand(id, n)));
  };
  const Count result = bytes_of(view_.shape(id));

  if (opcode.ends_with("-done") ||
      is_any(opcode, {"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all",
                      "add-dependency", "domain", "opt-barrier", "async-update"})) {
    return kNothing;
  }
  if (opcode == "fusion") return fusion(id);
  if (opcode == "custom-call")
    return is_library_call(i.custom_call_target) ? whole(view_, id) : Traffic{};
  if (is_any(opcode, {"call", "while", "conditional", "async-start"})) {
    if (view_.row(id).called_computation_ids_size() != static_cast<int>(i.called.size())) return {};
    Traffic sum = kNothing;
    for (const ComputationId called : i.called) {
      const Traffic part = inside(called);
      if (opcode == "conditional") {
        // Whichever branch moves most; absent is less than any number, so it is asked for first.
        if (!part.read || !part.write) return {};
        sum = plus(part.read, part.write) > plus(sum.read, sum.write) ? part : sum;
      } else {
        sum = {plus(sum.read, part.read), plus(sum.write, part.write)};
      }
    }
    return sum;
  }
  if (opcode == "slice") return {result, result};
  if (opcode == "dynamic-slice") {
    if (!view_.has_operands(id, 2)) return {};
    return {plus(result, operand_bytes(1)), result};
  }
  if (opcode == "dynamic-update-slice") {
    if (!view_.has_operands(id, 3)) return {};
    return {plus(operand_bytes(1), operand_bytes(2)), operand_bytes(1)};
  }
  if (opcode == "gather") {
    if (!view_.has_operands(id, 2)) return {};
    return {plus(result, operand_bytes(1)), result};
  }
  if (opcode == "scatter") {
    // As many updates as arrays, and the indices between them.
    if (!view_.has_operands(id, 3) || i.operands.size() % 2 == 0) return {};
    const std::size_t arrays = i.operands.size() / 2;
    Count updates = 0;
    for (std::size_t n = 0; n < arrays; ++n) updates = plus(updates, operand_bytes(arrays + 1 + n));
    return {plus(times(2, updates), operand_bytes(arrays)), updates};
  }
  if (opcode == "triangular-solve") {
    if (!view_.has_operands(id, 2)) return {};
    return {plus(half(operand_bytes(0)), operand_bytes(1)), result};
  }
  if (opcode == "cholesky") {
    if (!view_.has_operands(id, 1)) return {};
    return {half(operand_bytes(0)), half(operand_bytes(0))};
  }
  if (opcode == "copy-start") {
    // Its result lists the source, and a word of context, beside the copy.
    if (!view_.has_operands(id, 1)) return {};
    return {operand_bytes(0), operand_bytes(0)};
  }
  if (opcode == "all-gather-start" || opcode == "collective-permute-start") {
    return {whole(view_, id).read, bytes_of(collective_results(view_.row(id)))};
  }
  return whole(view_, id);
}

Traffic TrafficRules::fusion(InstructionId id) {
  const Instruction& i = view_.program[id];
  if (i.called.size() != 1 || !view_.has_operands(id, 0)) return {};
  const FusionReads& reads = fusion_reads(i.called[0]);
  if (!reads.known) return {};

  Traffic sum{reads.constant_bytes, 0};
  for (std::size_t n = 0; n < i.operands.size(); ++n) {
    const Count bytes = bytes_of(view_.shape(i.operands[n]));
    if (!bytes) return {};
    if (n >= reads.parameters.size()) continue;
    const Share share = reads.parameters[n];
    sum.read = plus(sum.read, std::min(*bytes, scaled_up(*bytes, share.num, share.den)));
  }

  const InstructionId root = view_.program[i.called[0]].root;
  if (view_.program[root].opcode != "tuple") {
    sum.write = result_bytes(view_, root);
    return sum;
  }
  for (const InstructionId result : view_.program[root].operands) {
    sum.write = plus(sum.write, result_bytes(view_, result));
  }
  return sum;
}

Traffic TrafficRules::inside(ComputationId computation) {
  const auto [found, added] = inside_.emplace(computation, Traffic{});
  if (!added || depth_ >= kMaxNesting) return found->second;
  ++depth_;
  Traffic sum = kNothing;
  for (const InstructionId id : view_.program[computation].instructions) {
    const Traffic part = of(id);
    sum = {plus(sum.read, part.read), plus(sum.write, part.write)};
  }
  --depth_;
  found->second = sum;
  return sum;
}

}  // namespace jaxtrace::hlo
