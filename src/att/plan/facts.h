// What the patterns of the plan look at, worked out once.
//
// Stall cycles are claimed: each cycle of a row belongs to at most one item, so the stall of all
// items is never more than that of the kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "att/plan.h"
#include "att/stall_class.h"

namespace jaxtrace {

/// One wait and one counter of it.  Averages are of one execution.
struct WaitView {
  std::uint32_t wait = 0;       ///< Row
  std::uint32_t operation = 0;  ///< Row of the operation that it mostly waited for
  WaitCounter counter = WaitCounter::vm;
  bool mixed = false;  ///< Its stall could not be divided among its counters
  std::int64_t left = 0;
  std::int64_t stall_cycles = 0;  ///< Due to this counter, over all waves
  std::int64_t distance = 0, exposed = 0, matrix_between = 0, covered = 0;
};

/// Sums over the rows of a loop that went round, or over what is in none.
struct PlanScope {
  std::int64_t times = 0;             ///< Iterations, or waves
  std::int64_t matrix_count = 0;      ///< Matrix instructions executed
  std::int64_t matrix_cycles = 0;     ///< Of the matrix pipe
  std::int64_t vector_issue = 0;      ///< Issue cycles of vector ALU instructions
  std::int64_t cover_of_one() const;  ///< Math in one iteration, to hide latency behind
};

class PlanFacts {
 public:
  PlanFacts(const ThreadTrace& trace, const Loops& loops, const WaitAnalysis& waits,
            const OccupancyReport& occupancy, const HiddenStall* hidden);

  const ThreadTrace& trace;
  const Loops& loops;
  const OccupancyReport& occupancy;
  const HiddenStall* hidden;
  std::uint64_t waves_replayed = 0;  ///< That the waits are from; 0: from the instructions

  std::int64_t wave_cycles = 0, latency_cycles = 0, stall_cycles = 0;
  std::vector<StallClass> class_of;            ///< By row
  std::vector<std::int64_t> matrix_cycles_of;  ///< By row, of one execution; 0 if none or not known
  std::vector<WaitView> waits;                 ///< By row, then counter

  /// Waves of a SIMD on average while it had any; absent without occupancy.json.
  std::optional<double> waves_of_simd;
  /// Shares of the time that a SIMD's math units, its matrix unit, were busy; absent likewise.
  std::optional<double> math_busy, matrix_busy;

  const Instruction& row(std::uint32_t row) const { return trace.instructions[row]; }
  /// Innermost loop around a row that went round, or kNoLoop.
  std::uint32_t loop_of(std::uint32_t row) const;
  const PlanScope& scope_of(std::uint32_t row) const;
  bool in_matrix_loop(std::uint32_t row) const;
  /// Before the first loop that went round, in the order of rows.
  bool in_prologue(std::uint32_t row) const { return row < first_loop_row_; }

  /// The line to name for a row: innermost of its chain, or of the next row that has a real one.
  std::string_view source_of(std::uint32_t row) const { return source_[row]; }
  std::vector<PlanArtefact> artefacts;

  /// Up to `cycles` of what is left of a row's stall.
  std::int64_t claim(std::uint32_t row, std::int64_t cycles);
  std::int64_t unclaimed(std::uint32_t row) const { return unclaimed_[row]; }

  /// What of a row's stall the SIMD spent without math: measured, else estimated from how busy
  /// other waves keep it, else all of it.
  std::int64_t lost(std::uint32_t row, std::int64_t stall) const;
  /// How lost() knows, for the assumption of a gain.
  std::string how_lost() const;

  /// Whether `cycles` are at least `percent` of the waves' time.
  bool is_share(std::int64_t cycles, std::int64_t percent) const;

 private:
  void measure_math();
  void view_waits(const WaitAnalysis& analysis);
  void sum_scopes();
  void name_sources();

  std::vector<std::uint32_t> around_;  ///< By loop: itself or the nearest around it that went round
  std::vector<PlanScope> scopes_;      ///< By loop
  std::vector<PlanScope> straight_;    ///< By kernel
  std::vector<std::string_view> source_;
  std::vector<std::int64_t> unclaimed_;
  std::uint32_t first_loop_row_ = 0;
};

/// "12.3 %" of a whole; "–" of nothing.
std::string percent(std::int64_t part, std::int64_t whole);
/// "12.3" for an average, "12" if it is whole.
std::string average(std::int64_t sum, std::int64_t times);

}  // namespace jaxtrace
