// Rows of instructions on their way into a ThreadTrace: what code.json and the stats CSV share.
//
// A row whose numbers cannot be (negative, no integer, more stall than latency) keeps its place and
// its text, because branches and register counts need them, and has no cycles.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "jaxtrace/thread_trace.h"

namespace jaxtrace {

/// The columns that are read, in the order of the first writers of code.json.
enum class AttColumn : std::uint8_t {
  isa,
  line,
  source,
  object,
  address,
  hits,
  latency,
  stall,
  idle,
  samples,  ///< PC_Issued and PC_Stalled
  ignored,
};
inline constexpr std::size_t kAttNumbers = static_cast<std::size_t>(AttColumn::ignored);

struct AttRow {
  std::string isa, source;
  std::array<std::optional<std::int64_t>, kAttNumbers> numbers;  ///< By column
  bool complete = false;  ///< Every column of the header was there

  std::optional<std::int64_t> operator[](AttColumn column) const {
    return numbers[static_cast<std::size_t>(column)];
  }
};

class AttRows {
 public:
  explicit AttRows(ThreadTrace& trace) : trace_(trace) {}

  /// Rows without text are left out and counted.
  void add(AttRow& row);

  /// Sorts, says what was wrong, and decides ThreadTrace::timing.
  void finish();

  bool any_samples() const { return samples_; }

 private:
  void add_kernel(const AttRow& row);

  ThreadTrace& trace_;
  std::int64_t cycles_ = 0;  // Latency + idle of all rows: nothing that is added up exceeds it.
  std::int64_t next_line_ = 0;
  std::uint64_t left_out_ = 0;
  std::uint64_t damaged_ = 0;
  std::string first_damaged_;
  bool samples_ = false;
};

}  // namespace jaxtrace
