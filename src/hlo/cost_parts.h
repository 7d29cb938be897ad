// What the rules of cost.h share: the view that they have of a program, and arithmetic that knows
// when it has overflowed.  Absence spreads: what is made of something unknown is unknown.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "hlo/cost.h"
#include "hlo/launches.h"
#include "hlo/program.h"

namespace jaxtrace::pb {
class HloInstructionProto;
class PrecisionConfig;
class ShapeProto;
}  // namespace jaxtrace::pb

namespace jaxtrace::hlo {

using Count = std::optional<std::int64_t>;

inline Count times(Count a, Count b) {
  std::int64_t product = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &product)) return {};
  return product;
}

inline Count plus(Count a, Count b) {
  std::int64_t sum = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &sum)) return {};
  return sum;
}

/// Absent where a is less than b: no count is negative.
inline Count minus(Count a, Count b) {
  if (!a || !b || *a < *b) return {};
  return *a - *b;
}

/// a * b / c, rounded up, for counts; the largest number if it does not fit.
std::int64_t scaled_up(std::int64_t a, std::int64_t b, std::int64_t c);

/// A program and its proto, side by side.
struct CostView {
  const Program& program;
  const ProtoRows& rows;

  const pb::HloInstructionProto& row(InstructionId id) const {
    return *rows[static_cast<std::size_t>(id)];
  }
  const pb::ShapeProto& shape(InstructionId id) const;

  /// Whether all operands that the proto lists exist, at least `least` of them: else they would be
  /// taken for one another.
  bool has_operands(InstructionId id, std::size_t least) const;
  InstructionId operand(InstructionId id, std::size_t n) const { return program[id].operands[n]; }
};

/// Of the first array leaf, or of all of them.
Count elements_of(const pb::ShapeProto& shape);
Count elements_of_all(const pb::ShapeProto& shape);
Count bytes_of(const pb::ShapeProto& shape);

/// What a collective results in, without the operands that the tuple of a start may list before.
const pb::ShapeProto& collective_results(const pb::HloInstructionProto& collective);

/// Operations, by the precision they are done in.
struct Arithmetic {
  bool known = true;
  std::array<std::int64_t, kPrecisions> flops{};
  std::int64_t transcendentals = 0;
  bool precision_open = false;
  bool estimate = false;

  /// Adds `times` times `other`.
  void add(const Arithmetic& other, Count times = 1);
  Count all_flops() const;
  Precision precision() const;  ///< The one with the most flops.
};

/// Remembers what each computation costs, so that a program costs as much as it has instructions.
class ArithmeticRules {
 public:
  explicit ArithmeticRules(const CostView& view) : view_(view) {}
  Arithmetic of(InstructionId id);

 private:
  Arithmetic inside(InstructionId id, std::size_t called);
  const Arithmetic& inside(ComputationId computation);
  Arithmetic custom_call(InstructionId id);

  const CostView& view_;
  std::map<ComputationId, Arithmetic> inside_;
  int depth_ = 0;
  std::int64_t steps_ = std::int64_t{1} << 28U;  // for all convolutions of a program
};

/// Multiplications and additions of a dot whose result has the elements of `result`.
Count dot_flops(const pb::ShapeProto& lhs, const pb::ShapeProto& result,
                const std::vector<std::int64_t>& lhs_contracting);

/// Likewise of a convolution: positions of the window that lie in padding, or between the elements
/// of a dilated input, are no work.  Counting them takes steps; when they are used up, the answer
/// is unknown.
Count convolution_flops(const pb::HloInstructionProto& convolution, const pb::ShapeProto& input,
                        const pb::ShapeProto& kernel, const pb::ShapeProto& output,
                        std::int64_t& steps);

/// What a call of cuBLAS, cuDNN, their ROCm counterparts or Transformer Engine computes; nullopt if
/// it is another call, or its configuration cannot be read.
struct LibraryCall {
  Count flops;
  Precision precision = Precision::none;
  bool precision_open = false;
  bool estimate = false;
};
std::optional<LibraryCall> library_call(const CostView& view, InstructionId id,
                                        std::int64_t& steps);

/// Whether it is a call of those, as far as its target tells.
bool is_library_call(std::string_view target);

/// The same for fused attention, of cuDNN and of Transformer Engine: what the products take that
/// the mask leaves.
std::optional<LibraryCall> attention_call(const CostView& view, InstructionId id);

/// Of elementwise work and reductions on elements of `type` (its number in xla_data.proto).
Precision vector_precision(int type);

struct MatrixPrecision {
  Precision precision = Precision::none;
  bool open = false;
};
/// Of a product of two operands.
MatrixPrecision matrix_precision(int lhs_type, int rhs_type, const pb::PrecisionConfig& config);

/// Bytes that an instruction reads and writes.
struct Traffic {
  Count read, write;
};

/// How much of a value is used: num elements of den.  More than all of it if it is read again.
struct Share {
  std::int64_t num = 0;
  std::int64_t den = 1;
};

/// What a fused computation reads when all of its result is wanted.
struct FusionReads {
  bool known = false;
  std::vector<Share> parameters;    ///< By parameter number
  std::int64_t constant_bytes = 0;  ///< Of constants too large to be part of the code
};

class TrafficRules {
 public:
  explicit TrafficRules(const CostView& view) : view_(view) {}
  Traffic of(InstructionId id);

 private:
  Traffic fusion(InstructionId id);
  Traffic inside(ComputationId computation);
  const FusionReads& fusion_reads(ComputationId fused);
  FusionReads find_fusion_reads(ComputationId fused);
  bool elementwise(InstructionId id);

  const CostView& view_;
  std::map<ComputationId, FusionReads> reads_;
  std::map<ComputationId, Traffic> inside_;
  std::map<ComputationId, bool> elementwise_;
  int depth_ = 0;
};

}  // namespace jaxtrace::hlo
