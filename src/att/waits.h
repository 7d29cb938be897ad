// Which operation each wait waited for, and how much of its latency was hidden by then.
//
// Two ways to the same table.  Wave files tell it (`dynamic`): every wave is replayed with queues
// of what is outstanding.  Without them (`static`) the instructions are walked in order, loop
// bodies twice, so that operations of one iteration that the next one waits for are found;
// distances are then averages over all hits.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "att/isa.h"
#include "att/loops.h"
#include "jaxtrace/thread_trace.h"

namespace jaxtrace {

inline constexpr std::uint32_t kNoOperation = 0xffffffff;

/// One wait and one operation that was its last to complete.  Cycles are sums over `times`.
struct WaitDependency {
  std::uint32_t wait = 0;                  ///< Row
  std::uint32_t operation = kNoOperation;  ///< Row; kNoOperation: nothing to wait for, or
                                           ///< order does not tell which
  WaitCounter counter = WaitCounter::vm;
  std::int64_t left = 0;                       ///< N of "vmcnt(N)"
  std::int64_t times = 0;                      ///< Executions
  std::int64_t distance_cycles = 0;            ///< From the operation's issue to the wait
  std::optional<std::int64_t> exposed_cycles;  ///< Stall of the wait due to it; absent if unsplit
  std::int64_t matrix_cycles = 0;              ///< Of the matrix pipe, issued between
  std::int64_t issue_cycles = 0;               ///< Of all instructions between
  std::int64_t matrix_between = 0;             ///< Matrix instructions issued between
  bool carried = false;                        ///< The operation is of an earlier iteration
};

/// The stall of one wait by counter; the parts sum to the whole.
struct WaitShare {
  std::uint32_t wait = 0;              ///< Row
  std::optional<WaitCounter> counter;  ///< Absent: could not be split
  std::int64_t cycles = 0;
};

struct WaitAnalysis {
  bool dynamic = false;
  std::vector<WaitDependency> dependencies;  ///< By (wait, counter, operation)
  std::vector<WaitShare> shares;             ///< By (wait, counter); absent counters last
  std::uint64_t waves = 0;                   ///< Replayed
  std::uint64_t unresolved =
      0;  ///< Executions that order cannot tell: scalar or flat memory, N > 0

  // The wave files' own lists of what was waited for, against what was found here.
  std::uint64_t lists = 0, lists_equal = 0;
};

/// Sorts shares and adds those of the same wait and counter.
void merge_shares(std::vector<WaitShare>& shares);

/// From the instructions alone.
WaitAnalysis static_waits(const ThreadTrace& trace, const Loops& loops, const DetectedArch& arch);

/// From wave files, one at a time; what it holds does not grow with the number of waves.
class WaitCollector {
 public:
  WaitCollector(const ThreadTrace& trace, const DetectedArch& arch);
  ~WaitCollector();
  WaitCollector(const WaitCollector&) = delete;
  WaitCollector& operator=(const WaitCollector&) = delete;

  void add(const Wave& wave);
  WaitAnalysis finish();

 private:
  struct Replay;
  std::unique_ptr<Replay> replay_;
};

}  // namespace jaxtrace
