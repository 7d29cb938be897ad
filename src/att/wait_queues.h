// What is outstanding at each point of a stream of instructions: the queues behind both ways of
// finding what a wait waited for.
//
// Vector memory and LDS complete in the order of issue, so a wait for N left waits for the last but
// N.  Scalar and flat memory do not: while one is outstanding, only a wait for 0 left tells.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "att/arch.h"
#include "att/isa.h"
#include "jaxtrace/thread_trace.h"

namespace jaxtrace {

/// What a row does to the queues, taken from its text once.  Rows are many: they stay small.
struct QueueRow {
  std::uint32_t first_wait = 0;  ///< In QueueTable::waits
  std::uint8_t waits = 0;
  std::uint8_t raises = 0;  ///< Of `counters`
  std::array<WaitCounter, 2> counters{};
  bool ordered = true;
  bool matrix = false;
  std::int64_t matrix_cycles = 0;  ///< 0 where not known
};

struct QueueTable {
  std::vector<QueueRow> rows;
  std::vector<CounterWait> waits;

  std::span<const CounterWait> waits_of_row(std::uint32_t row) const {
    return std::span(waits).subspan(rows[row].first_wait, rows[row].waits);
  }
};

QueueTable queue_table(std::span<const Instruction> instructions, const DetectedArch& arch);

/// One counter that a wait had to wait for.
struct Awaited {
  WaitCounter counter = WaitCounter::vm;
  std::int64_t left = 0;
  std::uint32_t operation = 0xffffffff;  ///< Row, or kNoOperation where order does not tell
  std::int64_t distance = 0;             ///< From the operation's issue to the wait
  std::int64_t matrix_cycles = 0, matrix_between = 0, issue_cycles = 0;  ///< Between the two
};

class WaitQueues {
 public:
  explicit WaitQueues(const QueueTable& table) : table_(table) {}

  /// Forgets all that is outstanding.
  void reset();

  /// The next instruction.  For a wait, `awaited()` then holds each counter that was above its
  /// number.
  void step(std::uint32_t row, std::int64_t begin, std::int64_t stall, std::int64_t duration);

  const std::vector<Awaited>& awaited() const { return awaited_; }
  /// Rows of all operations that the last wait released, in no order.
  const std::vector<std::uint32_t>& released() const { return released_; }
  std::uint64_t unresolved() const { return unresolved_; }

 private:
  struct Operation {
    std::uint32_t row;
    std::int64_t issued, matrix_cycles, matrix_count, issue_cycles;
  };
  struct Queue {
    std::deque<Operation> operations;
    bool unordered = false;
  };

  void wait(const CounterWait& wanted, std::int64_t begin);

  const QueueTable& table_;
  std::array<Queue, kWaitCounters> queues_;
  std::int64_t matrix_cycles_ = 0, matrix_count_ = 0, issue_cycles_ = 0;  ///< So far
  std::vector<Awaited> awaited_;
  std::vector<std::uint32_t> released_;
  std::uint64_t unresolved_ = 0;
};

}  // namespace jaxtrace
