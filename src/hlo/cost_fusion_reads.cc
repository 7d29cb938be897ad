// Which part of its parameters a fused computation reads: a slice of a parameter costs the slice.
//
// The computation is walked from its root to its parameters.  What wants a value elementwise shares
// one read of it, however many operations do; what takes it in another order (a transpose, a slice,
// a reduction) reads it on its own.  So each value has a set of roots, in whose order it is read.
#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <vector>

#include "hlo/cost_parts.h"
#include "hlo/emission.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

// Constants of up to so many elements are part of the code: XLA's
// GpuHloCostAnalysis::immediate_constant_max_elements.
constexpr std::int64_t kImmediateElements = 8;

// Sets of roots beyond this in all are no fusion that XLA makes.
constexpr std::size_t kMostRoots = 1U << 22U;

// XLA's HloInstruction::IsElementwise, fusions aside.
constexpr std::array<std::string_view, 60> kElementwise = {"abs",
                                                           "acos",
                                                           "acosh",
                                                           "add",
                                                           "and",
                                                           "asin",
                                                           "asinh",
                                                           "atan2",
                                                           "atanh",
                                                           "bitcast-convert",
                                                           "cbrt",
                                                           "ceil",
                                                           "clamp",
                                                           "compare",
                                                           "complex",
                                                           "constant",
                                                           "convert",
                                                           "copy",
                                                           "cosh",
                                                           "cosine",
                                                           "count-leading-zeros",
                                                           "divide",
                                                           "erf",
                                                           "exponential",
                                                           "exponential-minus-one",
                                                           "floor",
                                                           "imag",
                                                           "iota",
                                                           "is-finite",
                                                           "log",
                                                           "log-plus-one",
                                                           "logistic",
                                                           "map",
                                                           "maximum",
                                                           "minimum",
                                                           "multiply",
                                                           "negate",
                                                           "not",
                                                           "or",
                                                           "popcnt",
                                                           "power",
                                                           "real",
                                                           "reduce-precision",
                                                           "remainder",
                                                           "round-nearest-afz",
                                                           "round-nearest-even",
                                                           "rsqrt",
                                                           "select",
                                                           "shift-left",
                                                           "shift-right-arithmetic",
                                                           "shift-right-logical",
                                                           "sign",
                                                           "sine",
                                                           "sinh",
                                                           "sqrt",
                                                           "stochastic-convert",
                                                           "subtract",
                                                           "tan",
                                                           "tanh",
                                                           "xor"};
static_assert(std::ranges::is_sorted(kElementwise));

using Roots = std::vector<std::uint32_t>;  // places in the computation, sorted

void unite(Roots& into, const Roots& more) {
  Roots sum;
  std::ranges::set_union(into, more, std::back_inserter(sum));
  into = std::move(sum);
}

void insert(Roots& into, std::uint32_t root) {
  const auto at = std::ranges::lower_bound(into, root);
  if (at == into.end() || *at != root) into.insert(at, root);
}

bool less(Share a, Share b) {
  return scaled_up(a.num, b.den, a.den) < b.num || (a.num == 0 && b.num > 0);
}

/// How many of the operand's `of_operand` elements it takes to make `used` of `instruction`.
std::int64_t elements_needed(const CostView& view, InstructionId instruction, std::size_t n,
                             Share used, std::int64_t of_operand) {
  const std::string_view opcode = view.program[instruction].opcode;
  const std::int64_t wanted = used.num;
  if (n == 0 && (opcode == "slice" || opcode == "dynamic-slice" || opcode == "gather"))
    return wanted;
  if (n == 0 && opcode == "dynamic-update-slice" && view.has_operands(instruction, 2)) {
    const Count update = elements_of(view.shape(view.operand(instruction, 1)));
    const Count kept = minus(of_operand, update);
    return scaled_up(kept.value_or(0), used.num, used.den);
  }
  if (opcode == "reduce-window" && used.num < used.den) {
    // Each place of the window needs all that it covers.
    Count window = 1;
    for (const auto& dimension : view.row(instruction).window().dimensions()) {
      window = times(window, std::max<std::int64_t>(1, dimension.size()));
    }
    return std::min(of_operand, times(wanted, window).value_or(of_operand));
  }
  return scaled_up(of_operand, used.num, used.den);
}

}  // namespace

bool TrafficRules::elementwise(InstructionId id) {
  const Instruction& i = view_.program[id];
  if (i.opcode != "fusion") return std::ranges::binary_search(kElementwise, i.opcode);
  if (i.fusion_kind != "kLoop" || i.called.size() != 1 || depth_ >= kMaxNesting) return false;
  const auto [found, added] = elementwise_.emplace(i.called[0], false);
  if (!added) return found->second;
  ++depth_;
  found->second =
      std::ranges::all_of(view_.program[i.called[0]].instructions, [&](InstructionId inner) {
        return view_.program[inner].opcode == "parameter" || elementwise(inner);
      });
  --depth_;
  return found->second;
}

const FusionReads& TrafficRules::fusion_reads(ComputationId fused) {
  const auto [found, added] = reads_.emplace(fused, FusionReads{});
  if (!added || depth_ >= kMaxNesting) return found->second;
  ++depth_;
  FusionReads reads = find_fusion_reads(fused);
  --depth_;
  found->second = std::move(reads);
  return found->second;
}

FusionReads TrafficRules::find_fusion_reads(ComputationId fused) {
  const Program& program = view_.program;
  const std::vector<InstructionId>& order = program[fused].instructions;
  if (order.empty() || program[fused].root == InstructionId::none) return {};
  const auto first = static_cast<std::size_t>(order.front());
  const auto place = [&](InstructionId id) { return static_cast<std::size_t>(id) - first; };
  const std::size_t root = place(program[fused].root);
  if (root >= order.size()) return {};

  std::vector<Roots> roots(order.size());
  std::vector<Share> root_share(order.size());
  std::size_t roots_in_all = 0;
  insert(roots[root], static_cast<std::uint32_t>(root));
  root_share[root] = {1, 1};

  FusionReads reads;
  reads.known = true;
  for (std::size_t at = order.size(); at-- > 0;) {
    const InstructionId id = order[at];
    const Instruction& i = program[id];
    if (!view_.has_operands(id, 0)) return {};
    const bool array = view_.shape(id).tuple_shapes().empty();
    const Count elements = elements_of(view_.shape(id));
    if (!elements) return {};

    // Arrays count elements; of a tuple, the part of it that most is wanted of.
    Share used{0, array ? std::max<std::int64_t>(1, *elements) : 1};
    for (const std::uint32_t r : roots[at]) {
      if (array) {
        const std::int64_t more = scaled_up(*elements, root_share[r].num, root_share[r].den);
        used.num = plus(used.num, more).value_or(used.num);
      } else if (less(used, root_share[r])) {
        used = root_share[r];
      }
    }

    if (i.opcode == "parameter") {
      const auto n = static_cast<std::size_t>(i.parameter_number);
      if (n >= order.size()) return {};
      if (reads.parameters.size() <= n) reads.parameters.resize(n + 1);
      reads.parameters[n] = used;
      continue;
    }
    if (i.opcode == "constant") {
      const Count bytes = bytes_of(view_.shape(id));
      if (!bytes) return {};
      if (*elements > kImmediateElements) {
        const std::int64_t read = std::min(*bytes, scaled_up(*bytes, used.num, used.den));
        reads.constant_bytes = plus(reads.constant_bytes, read).value_or(*bytes);
      }
      continue;
    }

    const bool shares = elementwise(id) || i.opcode == "tuple" || i.opcode == "get-tuple-element";
    for (std::size_t n = 0; n < i.operands.size(); ++n) {
      const std::size_t operand = place(i.operands[n]);
      if (operand >= at) return {};  // XLA writes operands before what uses them.
      if (shares) {
        roots_in_all += roots[at].size();
        if (roots_in_all > kMostRoots) return {};
        unite(roots[operand], roots[at]);
        continue;
      }
      insert(roots[operand], static_cast<std::uint32_t>(operand));
      const Count of_operand = elements_of(view_.shape(i.operands[n]));
      if (!of_operand) return {};
      std::int64_t needed = 0;
      if (i.opcode == "fusion") {
        if (i.called.size() != 1) return {};
        const FusionReads& inner = fusion_reads(i.called[0]);
        if (!inner.known) return {};
        if (n < inner.parameters.size()) {
          const Share part = inner.parameters[n];
          needed = scaled_up(scaled_up(*of_operand, part.num, part.den), used.num, used.den);
        }
      } else if (at == root && n == 0 && i.opcode == "dynamic-update-slice") {
        continue;  // Updated in place.
      } else {
        needed = elements_needed(view_, id, n, used, *of_operand);
      }
      Share& share = root_share[operand];
      share.den = std::max<std::int64_t>(1, *of_operand);
      share.num = plus(share.num, needed).value_or(share.num);
    }
  }
  return reads;
}

}  // namespace jaxtrace::hlo
