// The walk over instructions where no wave file tells.  Every instruction takes its average time,
// in 1/1024 of a cycle; a loop body is walked twice, and what the second pass finds is what holds
// in the middle of the loop.
#include <algorithm>
#include <tuple>

#include "att/saturating.h"
#include "att/wait_queues.h"
#include "att/waits.h"

namespace jaxtrace {
namespace {

constexpr std::int64_t kScale = 1024;
constexpr std::uint64_t kMostWalked = 64;  // Times all rows: loops nested deeper stay without.

class Walk {
 public:
  Walk(const ThreadTrace& trace, const Loops& loops, const DetectedArch& arch)
      : instructions_(trace.instructions),
        loops_(loops),
        table_(queue_table(trace.instructions, arch)),
        queues_(table_) {}

  WaitAnalysis analyse() {
    const auto rows = static_cast<std::uint32_t>(instructions_.size());
    for (std::uint32_t begin = 0; begin < rows;) {
      std::uint32_t end = begin;
      while (end < rows && instructions_[end].kernel == instructions_[begin].kernel) ++end;
      queues_.reset();
      pass(begin, end, kNoLoop, true);
      begin = end;
    }
    std::uint64_t walked = 0;
    for (const std::uint32_t k : smallest_first()) {
      const Loop& loop = loops_.loops[k];
      if (loop.iterations == 0 || loop.head > loop.last) continue;
      walked += 2 * (loop.last - loop.head + 1);
      if (walked > kMostWalked * instructions_.size()) break;
      queues_.reset();
      pass(loop.head, loop.last + 1, k, false);
      pass(loop.head, loop.last + 1, k, true);
    }
    std::ranges::sort(result_.dependencies, {}, [](const WaitDependency& d) {
      return std::tuple(d.wait, d.counter, d.operation);
    });
    merge_shares(result_.shares);
    return std::move(result_);
  }

 private:
  std::vector<std::uint32_t> smallest_first() const {
    std::vector<std::uint32_t> order(loops_.loops.size());
    for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = k;
    std::ranges::stable_sort(order, {}, [&](std::uint32_t k) {
      return std::int64_t{loops_.loops[k].last} - std::int64_t{loops_.loops[k].head};
    });
    return order;
  }

  /// Average of so many cycles over the hits, in 1/1024.
  static std::int64_t average(std::int64_t cycles, std::int64_t hits) {
    return saturating_multiply(cycles, kScale) / hits;
  }

  void pass(std::uint32_t begin, std::uint32_t end, std::uint32_t loop, bool record) {
    for (std::uint32_t k = begin; k < end; ++k) {
      const Instruction& instruction = instructions_[k];
      if (instruction.hits <= 0) continue;
      const std::int64_t stall = average(instruction.stall_cycles, instruction.hits);
      const std::int64_t latency = average(instruction.latency_cycles, instruction.hits);
      queues_.step(k, clock_, stall, latency);
      clock_ = saturating_add(clock_, latency);
      if (table_.rows[k].waits > 0 && record && loops_.of[k] == loop) note(k);
    }
  }

  void note(std::uint32_t row) {
    const Instruction& wait = instructions_[row];
    const std::vector<Awaited>& awaited = queues_.awaited();
    for (const Awaited& a : awaited) {
      WaitDependency d;
      d.wait = row;
      d.operation = a.operation;
      d.counter = a.counter;
      d.left = a.left;
      d.times = wait.hits;
      d.distance_cycles = total(a.distance, wait.hits);
      d.issue_cycles = total(a.issue_cycles, wait.hits);
      d.matrix_cycles = saturating_multiply(a.matrix_cycles, wait.hits);
      d.matrix_between = saturating_multiply(a.matrix_between, wait.hits);
      if (awaited.size() == 1) d.exposed_cycles = wait.stall_cycles;
      d.carried = a.operation != kNoOperation && a.operation >= row;
      result_.dependencies.push_back(d);
    }
    if (awaited.size() == 1) {
      result_.shares.push_back({row, awaited.front().counter, wait.stall_cycles});
    } else {
      result_.shares.push_back({row, std::nullopt, wait.stall_cycles});
    }
  }

  static std::int64_t total(std::int64_t scaled, std::int64_t times) {
    return saturating_add(saturating_multiply(scaled / kScale, times),
                          saturating_multiply(scaled % kScale, times) / kScale);
  }

  const std::vector<Instruction>& instructions_;
  const Loops& loops_;
  QueueTable table_;
  WaitQueues queues_;
  std::int64_t clock_ = 0;
  WaitAnalysis result_;
};

}  // namespace

WaitAnalysis static_waits(const ThreadTrace& trace, const Loops& loops, const DetectedArch& arch) {
  return Walk(trace, loops, arch).analyse();
}

}  // namespace jaxtrace
