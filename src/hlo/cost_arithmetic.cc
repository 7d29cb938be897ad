// How many operations an instruction does, by the definitions of XLA's HloCostAnalysis
// (xla/service/hlo_cost_analysis.cc), which docs/roofline.md tells in words.
#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "hlo/cost_parts.h"
#include "hlo/emission.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

enum class Rule : std::uint8_t {
  none,            // moves data, or nothing: no arithmetic
  each,            // one operation for each element of the result
  transcendental,  // likewise, of those counted apart
  unknown,
  dot,
  convolution,
  reduce,
  reduce_window,
  select_and_scatter,
  scatter,
  map,
  called,  // what the computations it calls do
  conditional,
  custom_call,
  all_reduce,
  sort,
  fft,
  triangular_solve,
  cholesky,
};

struct Entry {
  std::string_view opcode;
  Rule rule;
};

// By opcode; what is not here is unknown.
constexpr std::array kRules = {
    Entry{"abs", Rule::each},
    Entry{"acos", Rule::transcendental},
    Entry{"acosh", Rule::transcendental},
    Entry{"add", Rule::each},
    Entry{"add-dependency", Rule::none},
    Entry{"after-all", Rule::none},
    Entry{"all-gather", Rule::none},
    Entry{"all-gather-done", Rule::none},
    Entry{"all-gather-start", Rule::none},
    Entry{"all-reduce", Rule::all_reduce},
    Entry{"all-reduce-done", Rule::none},
    Entry{"all-reduce-start", Rule::all_reduce},
    Entry{"all-to-all", Rule::none},
    Entry{"and", Rule::each},
    Entry{"asin", Rule::transcendental},
    Entry{"asinh", Rule::transcendental},
    Entry{"async-done", Rule::none},
    Entry{"async-start", Rule::called},
    Entry{"async-update", Rule::none},
    Entry{"atan2", Rule::transcendental},
    Entry{"atanh", Rule::transcendental},
    Entry{"bitcast", Rule::none},
    Entry{"bitcast-convert", Rule::each},
    Entry{"broadcast", Rule::none},
    Entry{"call", Rule::called},
    Entry{"cbrt", Rule::transcendental},
    Entry{"ceil", Rule::each},
    Entry{"cholesky", Rule::cholesky},
    Entry{"clamp", Rule::each},
    Entry{"collective-broadcast", Rule::none},
    Entry{"collective-permute", Rule::none},
    Entry{"collective-permute-done", Rule::none},
    Entry{"collective-permute-start", Rule::none},
    Entry{"compare", Rule::each},
    Entry{"complex", Rule::each},
    Entry{"concatenate", Rule::none},
    Entry{"conditional", Rule::conditional},
    Entry{"constant", Rule::none},
    Entry{"convert", Rule::each},
    Entry{"convolution", Rule::convolution},
    Entry{"copy", Rule::none},
    Entry{"copy-done", Rule::none},
    Entry{"copy-start", Rule::none},
    Entry{"cosh", Rule::transcendental},
    Entry{"cosine", Rule::transcendental},
    Entry{"count-leading-zeros", Rule::each},
    Entry{"custom-call", Rule::custom_call},
    Entry{"divide", Rule::each},
    Entry{"domain", Rule::none},
    Entry{"dot", Rule::dot},
    Entry{"dynamic-reshape", Rule::none},
    Entry{"dynamic-slice", Rule::none},
    Entry{"dynamic-update-slice", Rule::none},
    Entry{"erf", Rule::transcendental},
    Entry{"exponential", Rule::transcendental},
    Entry{"exponential-minus-one", Rule::transcendental},
    Entry{"fft", Rule::fft},
    Entry{"floor", Rule::each},
    Entry{"fusion", Rule::called},
    Entry{"gather", Rule::none},
    Entry{"get-dimension-size", Rule::none},
    Entry{"get-tuple-element", Rule::none},
    Entry{"imag", Rule::each},
    Entry{"infeed", Rule::none},
    Entry{"iota", Rule::none},
    Entry{"is-finite", Rule::each},
    Entry{"log", Rule::transcendental},
    Entry{"log-plus-one", Rule::transcendental},
    Entry{"logistic", Rule::transcendental},
    Entry{"map", Rule::map},
    Entry{"maximum", Rule::each},
    Entry{"minimum", Rule::each},
    Entry{"multiply", Rule::each},
    Entry{"negate", Rule::each},
    Entry{"not", Rule::each},
    Entry{"opt-barrier", Rule::none},
    Entry{"or", Rule::each},
    Entry{"outfeed", Rule::none},
    Entry{"pad", Rule::none},
    Entry{"parameter", Rule::none},
    Entry{"partition-id", Rule::none},
    Entry{"popcnt", Rule::each},
    Entry{"power", Rule::transcendental},
    Entry{"ragged-all-to-all", Rule::none},
    Entry{"real", Rule::each},
    Entry{"recv", Rule::none},
    Entry{"recv-done", Rule::none},
    Entry{"reduce", Rule::reduce},
    Entry{"reduce-precision", Rule::each},
    Entry{"reduce-scatter", Rule::none},
    Entry{"reduce-window", Rule::reduce_window},
    Entry{"remainder", Rule::each},
    Entry{"replica-id", Rule::none},
    Entry{"reshape", Rule::none},
    Entry{"reverse", Rule::none},
    Entry{"rng", Rule::transcendental},
    Entry{"rng-bit-generator", Rule::transcendental},
    Entry{"rng-get-and-update-state", Rule::none},
    Entry{"round-nearest-afz", Rule::each},
    Entry{"round-nearest-even", Rule::each},
    Entry{"rsqrt", Rule::transcendental},
    Entry{"scatter", Rule::scatter},
    Entry{"select", Rule::each},
    Entry{"select-and-scatter", Rule::select_and_scatter},
    Entry{"send", Rule::none},
    Entry{"send-done", Rule::none},
    Entry{"set-dimension-size", Rule::none},
    Entry{"shift-left", Rule::each},
    Entry{"shift-right-arithmetic", Rule::each},
    Entry{"shift-right-logical", Rule::each},
    Entry{"sign", Rule::each},
    Entry{"sine", Rule::transcendental},
    Entry{"sinh", Rule::transcendental},
    Entry{"slice", Rule::none},
    Entry{"sort", Rule::sort},
    Entry{"sqrt", Rule::transcendental},
    Entry{"stochastic-convert", Rule::each},
    Entry{"subtract", Rule::each},
    Entry{"tan", Rule::transcendental},
    Entry{"tanh", Rule::transcendental},
    Entry{"transpose", Rule::none},
    Entry{"triangular-solve", Rule::triangular_solve},
    Entry{"tuple", Rule::none},
    Entry{"while", Rule::called},
    Entry{"xor", Rule::each},
};
static_assert(std::ranges::is_sorted(kRules, {}, &Entry::opcode));

Rule rule_of(std::string_view opcode) {
  const auto* found = std::ranges::lower_bound(kRules, opcode, {}, &Entry::opcode);
  return found != kRules.end() && found->opcode == opcode ? found->rule : Rule::unknown;
}

constexpr Arithmetic kUnknown{.known = false};

int first_leaf_type(const pb::ShapeProto& shape) {
  const pb::ShapeProto* at = &shape;
  while (!at->tuple_shapes().empty()) at = &at->tuple_shapes(0);
  return at->element_type();
}

Arithmetic operations(Count flops, Precision precision) {
  if (!flops) return kUnknown;
  Arithmetic made;
  made.flops[static_cast<std::size_t>(precision)] = *flops;
  return made;
}

Arithmetic transcendentals(Count count) {
  if (!count) return kUnknown;
  return {.transcendentals = *count};
}

Count window_size(const pb::Window& window) {
  Count size = 1;
  for (const auto& dimension : window.dimensions()) {
    if (dimension.size() < 1) return {};
    size = times(size, dimension.size());
  }
  return size;
}

/// How often a reduce-window applies its computation.  A window that covers the whole dimension
/// from every place is a reduction whose result is broadcast, and XLA counts it so.
Count window_applications(const pb::HloInstructionProto& instruction, Count results) {
  const auto& dimensions = instruction.window().dimensions();
  const auto reduces = [](const pb::WindowDimension& d) { return d.size() != 1; };
  const auto padded = [](const pb::WindowDimension& d) {
    return d.padding_low() != 0 || d.padding_high() != 0;
  };
  if (std::ranges::count_if(dimensions, reduces) == 1 &&
      std::ranges::count_if(dimensions, padded) == 1 &&
      instruction.shape().tuple_shapes().empty()) {
    const auto found = std::ranges::find_if(dimensions, [](const pb::WindowDimension& d) {
      return d.size() != 1 && d.padding_low() > 0 && d.padding_low() == d.padding_high() &&
             minus(d.size(), 1) == times(2, d.padding_low());
    });
    const auto at = static_cast<int>(found - dimensions.begin());
    if (found != dimensions.end() && at < instruction.shape().dimensions_size()) {
      const std::int64_t length = instruction.shape().dimensions(at);
      if (length > 0 && found->padding_low() == length - 1 && results) {
        return *results / length + (length - 1);
      }
    }
  }
  return times(minus(window_size(instruction.window()), 1), results);
}

std::int64_t log2_floor(std::int64_t n) {
  return n < 1 ? 0 : static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(n))) - 1;
}

std::int64_t log2_ceiling(std::int64_t n) {
  return n < 2 ? 0 : static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
}

Count fft_flops(const pb::HloInstructionProto& instruction, const pb::ShapeProto& operand) {
  Count factors = 1;
  for (const std::int64_t length : instruction.fft_length()) {
    factors = times(factors, log2_floor(length));
  }
  return times(times(8, factors), elements_of(operand));
}

Count last_dimension(const pb::ShapeProto& shape) {
  if (shape.dimensions().empty()) return {};
  return shape.dimensions(shape.dimensions_size() - 1);
}

}  // namespace

void Arithmetic::add(const Arithmetic& other, Count count) {
  known = known && other.known && count;
  if (!known) return;
  for (std::size_t i = 0; i < flops.size(); ++i) {
    const Count sum = plus(flops[i], times(other.flops[i], count));
    known = known && sum;
    flops[i] = sum.value_or(0);
  }
  const Count sum = plus(transcendentals, times(other.transcendentals, count));
  known = known && sum;
  transcendentals = sum.value_or(0);
  precision_open = precision_open || other.precision_open;
  estimate = estimate || other.estimate;
}

Count Arithmetic::all_flops() const {
  Count sum = known ? Count(0) : Count();
  for (const std::int64_t part : flops) sum = plus(sum, part);
  return sum;
}

Precision Arithmetic::precision() const {
  // Of equals, the matrix unit's: it comes later.
  std::size_t most = 0;
  for (std::size_t i = 0; i < flops.size(); ++i) {
    if (flops[i] > 0 && (most == 0 || flops[i] >= flops[most])) most = i;
  }
  return static_cast<Precision>(most);
}

Arithmetic ArithmeticRules::of(InstructionId id) {
  const pb::HloInstructionProto& row = view_.row(id);
  const Count results = elements_of(row.shape());
  const Precision precision = vector_precision(first_leaf_type(row.shape()));
  const auto first = [&]() -> const pb::ShapeProto& { return view_.shape(view_.operand(id, 0)); };
  const auto applied = [&](std::size_t called, Count count) {
    Arithmetic made;
    made.add(inside(id, called), count);
    return made;
  };
  switch (rule_of(row.opcode())) {
    case Rule::none:
      return {};
    case Rule::each:
      return operations(results, precision);
    case Rule::transcendental:
      return transcendentals(elements_of_all(row.shape()));
    case Rule::unknown:
      return kUnknown;
    case Rule::dot: {
      if (!view_.has_operands(id, 2)) return kUnknown;
      const auto& numbers = row.dot_dimension_numbers().lhs_contracting_dimensions();
      const auto matrix =
          matrix_precision(first().element_type(), view_.shape(view_.operand(id, 1)).element_type(),
                           row.precision_config());
      Arithmetic made = operations(
          dot_flops(first(), row.shape(), {numbers.begin(), numbers.end()}), matrix.precision);
      made.precision_open = matrix.open;
      return made;
    }
    case Rule::convolution: {
      if (!view_.has_operands(id, 2)) return kUnknown;
      const auto& kernel = view_.shape(view_.operand(id, 1));
      const auto matrix =
          matrix_precision(first().element_type(), kernel.element_type(), row.precision_config());
      Arithmetic made =
          operations(convolution_flops(row, first(), kernel, row.shape()), matrix.precision);
      made.precision_open = matrix.open;
      return made;
    }
    case Rule::reduce:
      if (!view_.has_operands(id, 1)) return kUnknown;
      return applied(0, minus(elements_of(first()), results));
    case Rule::reduce_window:
      return applied(0, window_applications(row, results));
    case Rule::select_and_scatter: {
      if (!view_.has_operands(id, 2)) return kUnknown;
      const Count sources = elements_of(view_.shape(view_.operand(id, 1)));
      Arithmetic made = applied(0, times(sources, minus(window_size(row.window()), 1)));
      made.add(inside(id, 1), sources);
      return made;
    }
    case Rule::scatter: {
      if (!view_.has_operands(id, 3)) return kUnknown;
      const std::size_t updates = view_.program[id].operands.size() / 2 + 1;
      return applied(0, elements_of(view_.shape(view_.operand(id, updates))));
    }
    case Rule::map:
      return applied(0, results);
    case Rule::called: {
      Arithmetic made;
      for (std::size_t n = 0; n < view_.program[id].called.size(); ++n) made.add(inside(id, n));
      made.known = made.known && !view_.program[id].called.empty();
      made.estimate = made.estimate || row.opcode() == "while";
      return made;
    }
    case Rule::conditional: {
      Arithmetic most = inside(id, 0);
      for (std::size_t n = 1; n < view_.program[id].called.size(); ++n) {
        const Arithmetic branch = inside(id, n);
        if (!branch.known || branch.all_flops() > most.all_flops()) most = branch;
        if (!most.known) break;
      }
      most.estimate = true;
      return most;
    }
    case Rule::custom_call:
      return custom_call(id);
    case Rule::all_reduce:
      return operations(elements_of_all(row.shape()), precision);
    case Rule::sort: {
      if (!view_.has_operands(id, 1)) return kUnknown;
      const Count sorted = elements_of(first());
      return operations(times(sorted, log2_ceiling(sorted.value_or(0))), Precision::f32_vector);
    }
    case Rule::fft:
      if (!view_.has_operands(id, 1)) return kUnknown;
      return operations(fft_flops(row, first()), precision);
    case Rule::triangular_solve:
      if (!view_.has_operands(id, 2)) return kUnknown;
      return operations(
          times(times(2, last_dimension(first())), elements_of(view_.shape(view_.operand(id, 1)))),
          precision);
    case Rule::cholesky: {
      if (!view_.has_operands(id, 1)) return kUnknown;
      const Count cubic = times(last_dimension(first()), elements_of(first()));
      return operations(cubic ? Count(*cubic / 3) : Count(), precision);
    }
  }
  return kUnknown;
}

Arithmetic ArithmeticRules::custom_call(InstructionId id) {
  const auto call = library_call(view_, id);
  if (!call) return kUnknown;
  Arithmetic made = operations(call->flops, call->precision);
  made.precision_open = call->precision_open;
  return made;
}

Arithmetic ArithmeticRules::inside(InstructionId id, std::size_t called) {
  const auto& computations = view_.program[id].called;
  const bool all =
      static_cast<int>(computations.size()) == view_.row(id).called_computation_ids_size();
  return all && called < computations.size() ? inside(computations[called]) : kUnknown;
}

const Arithmetic& ArithmeticRules::inside(ComputationId computation) {
  // Unknown while it is being found: a computation that calls itself stays so.
  const auto [found, added] = inside_.emplace(computation, kUnknown);
  if (!added || depth_ >= kMaxNesting) return found->second;
  ++depth_;
  Arithmetic sum;
  for (const InstructionId id : view_.program[computation].instructions) sum.add(of(id));
  --depth_;
  found->second = sum;
  return found->second;
}

}  // namespace jaxtrace::hlo
