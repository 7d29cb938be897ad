// See the header.  Counter semantics: LLVM's AMDGPU usage, "memory model" and the operand pages.
#include "att/wait_queues.h"

#include <algorithm>

#include "att/saturating.h"
#include "att/waits.h"

namespace jaxtrace {

QueueTable queue_table(std::span<const Instruction> instructions, const DetectedArch& arch) {
  QueueTable table;
  table.rows.reserve(instructions.size());
  for (const Instruction& instruction : instructions) {
    QueueRow row;
    const std::vector<CounterWait> waits = waits_of(instruction.text, arch.family);
    row.first_wait = static_cast<std::uint32_t>(table.waits.size());
    row.waits = static_cast<std::uint8_t>(std::min(waits.size(), kWaitCounters));
    table.waits.insert(table.waits.end(), waits.begin(), waits.begin() + row.waits);
    const Outstanding outstanding = outstanding_of(instruction.text, arch.family);
    row.raises =
        static_cast<std::uint8_t>(std::min(outstanding.counters.size(), row.counters.size()));
    std::copy_n(outstanding.counters.begin(), row.raises, row.counters.begin());
    row.ordered = outstanding.ordered;
    row.matrix = is_matrix(mnemonic_of(instruction.text));
    if (row.matrix) row.matrix_cycles = matrix_cycles(instruction.text, arch).value_or(0);
    table.rows.push_back(row);
  }
  return table;
}

void WaitQueues::reset() {
  for (Queue& queue : queues_) queue = {};
  awaited_.clear();
  released_.clear();
}

void WaitQueues::step(std::uint32_t row, std::int64_t begin, std::int64_t stall,
                      std::int64_t duration) {
  awaited_.clear();
  released_.clear();
  const QueueRow& what = table_.rows[row];
  for (const CounterWait& wanted : table_.waits_of_row(row)) wait(wanted, begin);
  issue_cycles_ = saturating_add(issue_cycles_,
                                 std::max<std::int64_t>(0, saturating_subtract(duration, stall)));
  matrix_cycles_ += what.matrix_cycles;
  matrix_count_ += what.matrix ? 1 : 0;
  for (std::size_t k = 0; k < what.raises; ++k) {
    Queue& queue = queues_.at(static_cast<std::size_t>(what.counters.at(k)));
    queue.operations.push_back(
        {row, saturating_add(begin, stall), matrix_cycles_, matrix_count_, issue_cycles_});
    queue.unordered = queue.unordered || !what.ordered;
  }
}

void WaitQueues::wait(const CounterWait& wanted, std::int64_t begin) {
  Queue& queue = queues_.at(static_cast<std::size_t>(wanted.counter));
  const auto outstanding = static_cast<std::int64_t>(queue.operations.size());
  if (wanted.left < 0 || outstanding <= wanted.left) return;
  Awaited awaited;
  awaited.counter = wanted.counter;
  awaited.left = wanted.left;
  awaited.operation = kNoOperation;
  if (queue.unordered && wanted.left > 0) {
    ++unresolved_;
    awaited_.push_back(awaited);
    return;
  }
  const std::int64_t done = outstanding - wanted.left;
  const Operation& last = queue.operations[static_cast<std::size_t>(done - 1)];
  awaited.operation = last.row;
  awaited.distance = std::max<std::int64_t>(0, saturating_subtract(begin, last.issued));
  awaited.matrix_cycles = matrix_cycles_ - last.matrix_cycles;
  awaited.matrix_between = matrix_count_ - last.matrix_count;
  awaited.issue_cycles = saturating_subtract(issue_cycles_, last.issue_cycles);
  awaited_.push_back(awaited);
  for (std::int64_t k = 0; k < done; ++k) {
    released_.push_back(queue.operations.front().row);
    queue.operations.pop_front();
  }
  if (queue.operations.empty()) queue.unordered = false;
}

}  // namespace jaxtrace
