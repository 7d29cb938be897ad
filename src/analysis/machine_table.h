// The peaks that vendors publish, and where they were read.
//
// Two kinds of row.  AMD's white papers give operations a clock and compute unit, so a peak follows
// from the device's own clock and units, be it a partition of a GPU.  NVIDIA's data sheets give
// finished figures for one boost clock, which are taken as they stand; figures with sparsity are
// halved.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "hlo/cost.h"

namespace jaxtrace {

struct MachineRow {
  std::string_view name;
  bool amd = false;

  /// Whole words of the model's name in lower case: the first are in it, the second are not, so
  /// that "h200" is no "gh200".  Empty: none.
  std::string_view in_name = {}, not_in_name = {};
  bool by_name_only = false;  ///< Another machine has the same numbers.

  std::int64_t major = 0, minor = 0;  ///< Compute capability; of gfx942: 9, 4
  std::int64_t units = 0;             ///< SMs or compute units that a program sees
  std::int64_t clock_khz = 0;
  std::int64_t memory_gib = 0;
  std::int64_t memory_gb_per_s = 0;

  /// Chiplets that partition modes may deal out; 1 where there is no such mode.
  std::int64_t dies = 1;

  /// By Precision; 0 where there is none.  AMD: operations a clock and unit; NVIDIA: GFLOP/s.
  std::array<std::int64_t, hlo::kPrecisions> figures{};
  std::string_view source;
};

std::span<const MachineRow> machine_rows();

}  // namespace jaxtrace
