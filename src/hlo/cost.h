// What each instruction of a compiled program costs: arithmetic and memory traffic, from the shapes
// in its HLO.
//
// Figures are XLA's own by definition (docs/roofline.md): a multiply-add is two operations, bytes
// are what has to be read and written once.  What the HLO does not tell is absent, never 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "hlo/program.h"

namespace jaxtrace::hlo {

/// In which arithmetic an instruction does its operations, and so which peak it is measured by.
/// Elementwise work on anything but f64 is f32's: XLA computes it on the vector units in f32.
enum class Precision : std::uint8_t {
  none,        ///< There is no arithmetic.
  f64_vector,  ///< Elementwise work and reductions …
  f32_vector,
  f64,  ///< … dots and convolutions, by the type of what is multiplied
  f32,
  tf32,
  f16,  ///< f16 and bf16
  f8,
  f4,
  i8,
};
inline constexpr std::size_t kPrecisions = static_cast<std::size_t>(Precision::i8) + 1;

std::string_view text(Precision precision);  ///< "f32 vector", "tf32", "f16"

/// One execution of an instruction, whatever kernels it takes.
struct OpCost {
  std::optional<std::int64_t> flops;  ///< Without transcendentals; comparisons and integers count.
  std::optional<std::int64_t> transcendentals;  ///< exp, log, tanh, sqrt, power … and random bits

  std::optional<std::int64_t> bytes;  ///< Read and written; the two below sum to it.
  std::optional<std::int64_t> read_bytes;
  std::optional<std::int64_t> write_bytes;

  /// Of most of `flops`.
  Precision precision = Precision::none;

  /// The HLO leaves open in which precision a library computes: f32 operands whose dot may run in
  /// tf32.
  bool precision_open = false;

  /// What the HLO does not fix is assumed: that a loop goes round once, that fused attention
  /// computes what its mask leaves and nothing twice.
  bool estimate = false;
};

/// By InstructionId of `program`, which parse_program() made of the same bytes.  Nothing is known
/// of an instruction whose operands, shapes or computations are damaged.
std::vector<OpCost> instruction_costs(const Program& program, std::string_view hlo_proto);

}  // namespace jaxtrace::hlo
