// How many operations an instruction does, by the definitions of XLA's HloCostAnalysis
// (xla/service/hlo_cost_analysis.cc), which docs/roofline.md tells in words.
#include <algorithm>
#include <bit>

#include "hlo/cost_opcodes.h"
#include "hlo/cost_parts.h"
#include "hlo/emission.h"
#include "proto/hlo.pb.h"

namespace jaxtrace::hlo {
namespace {

constexpr Arithmetic kUnknown{.known = false};

int first_leaf_type(const pb::ShapeProto& shape) {
  const pb::ShapeProto* at = &shape;
  while (!at->tuple_shapes().empty()) at = &at->tuple_shapes(0);
  return at->element_type();
}

Arithmetic operations(Count flops, Precision precision) {
  if (!flops || *flops < 0) return kUnknown;  // A damaged shape may have a negative dimension.
  Arithmetic made;
  made.flops[static_cast<std::size_t>(precision)] = *flops;
  return made;
}

Arithmetic transcendentals(Count count) {
  if (!count || *count < 0) return kUnknown;
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
  switch (arithmetic_rule(row.opcode())) {
    case ArithmeticRule::none:
      return {};
    case ArithmeticRule::each:
      return operations(results, precision);
    case ArithmeticRule::transcendental:
      return transcendentals(elements_of_all(row.shape()));
    case ArithmeticRule::unknown:
      return kUnknown;
    case ArithmeticRule::dot: {
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
    case ArithmeticRule::convolution: {
      if (!view_.has_operands(id, 2)) return kUnknown;
      const auto& kernel = view_.shape(view_.operand(id, 1));
      const auto matrix =
          matrix_precision(first().element_type(), kernel.element_type(), row.precision_config());
      Arithmetic made = operations(convolution_flops(row, first(), kernel, row.shape(), steps_),
                                   matrix.precision);
      made.precision_open = matrix.open;
      return made;
    }
    case ArithmeticRule::reduce:
      if (!view_.has_operands(id, 1)) return kUnknown;
      return applied(0, minus(elements_of(first()), results));
    case ArithmeticRule::reduce_window:
      return applied(0, window_applications(row, results));
    case ArithmeticRule::select_and_scatter: {
      if (!view_.has_operands(id, 2)) return kUnknown;
      const Count sources = elements_of(view_.shape(view_.operand(id, 1)));
      Arithmetic made = applied(0, times(sources, minus(window_size(row.window()), 1)));
      made.add(inside(id, 1), sources);
      return made;
    }
    case ArithmeticRule::scatter: {
      if (!view_.has_operands(id, 3)) return kUnknown;
      const std::size_t updates = view_.program[id].operands.size() / 2 + 1;
      return applied(0, elements_of(view_.shape(view_.operand(id, updates))));
    }
    case ArithmeticRule::map:
      return applied(0, results);
    case ArithmeticRule::called: {
      Arithmetic made;
      for (std::size_t n = 0; n < view_.program[id].called.size(); ++n) made.add(inside(id, n));
      made.known = made.known && !view_.program[id].called.empty();
      made.estimate = made.estimate || row.opcode() == "while";
      return made;
    }
    case ArithmeticRule::conditional: {
      Arithmetic most = inside(id, 0);
      for (std::size_t n = 1; n < view_.program[id].called.size(); ++n) {
        const Arithmetic branch = inside(id, n);
        if (!branch.known || branch.all_flops() > most.all_flops()) most = branch;
        if (!most.known) break;
      }
      most.estimate = true;
      return most;
    }
    case ArithmeticRule::custom_call:
      return custom_call(id);
    case ArithmeticRule::all_reduce:
      return operations(elements_of_all(row.shape()), precision);
    case ArithmeticRule::sort: {
      if (!view_.has_operands(id, 1)) return kUnknown;
      const Count sorted = elements_of(first());
      return operations(times(sorted, log2_ceiling(sorted.value_or(0))), Precision::f32_vector);
    }
    case ArithmeticRule::fft:
      if (!view_.has_operands(id, 1)) return kUnknown;
      return operations(fft_flops(row, first()), precision);
    case ArithmeticRule::triangular_solve:
      if (!view_.has_operands(id, 2)) return kUnknown;
      return operations(
          times(times(2, last_dimension(first())), elements_of(view_.shape(view_.operand(id, 1)))),
          precision);
    case ArithmeticRule::cholesky: {
      if (!view_.has_operands(id, 1)) return kUnknown;
      const Count cubic = times(last_dimension(first()), elements_of(first()));
      return operations(cubic ? Count(*cubic / 3) : Count(), precision);
    }
  }
  return kUnknown;
}

Arithmetic ArithmeticRules::custom_call(InstructionId id) {
  const auto call = library_call(view_, id, steps_);
  if (!call) return kUnknown;
  Arithmetic made = operations(call->flops, call->precision);
  made.precision_open = call->precision_open;
  made.estimate = call->estimate;
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
