// What to try first, and why: patterns of instructions that are known to cost time, each with its
// evidence, the time it costs and what a change could give back.
//
// A gain is a hypothesis with its assumption beside it, never a promise: recoverable cycles are the
// smaller of what the pattern costs and what there is to cover it with, times a factor for how much
// of that such changes give in practice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "att/hidden.h"
#include "att/loops.h"
#include "att/occupancy.h"
#include "att/waits.h"
#include "jaxtrace/thread_trace.h"

namespace jaxtrace {

enum class Priority : std::uint8_t { high, medium, low };
/// "HIGH", "MED", "LOW".
std::string_view name_of(Priority priority);

/// One thing to try.  Its sentences have no full stop; `assumption` goes on after a colon.
struct PlanItem {
  std::string pattern;  ///< "vmem-in-loop" …: docs/hotspot.md
  Priority priority = Priority::low;
  std::vector<std::uint32_t> rows;          ///< Instructions that it costs time in, by address
  std::string source;                       ///< Their line with the most stall, or empty
  std::string stall_class;                  ///< Class with the most stall among them
  std::int64_t stall_cycles = 0;            ///< Of the rows, what is due to this
  std::int64_t latency_cycles = 0;          ///< Σ of the rows
  std::optional<std::int64_t> gain_cycles;  ///< Recoverable; absent: the trace cannot tell
  std::string cause, fix, evidence, assumption, effort;  ///< Sentences; effort: easy, medium, hard
};

/// A line that only looks hot.
struct PlanArtefact {
  std::string source;
  std::int64_t stall_cycles = 0;
  std::string why;
};

struct Plan {
  std::int64_t wave_cycles = 0;  ///< Σ (latency + idle): what gains are shares of
  std::int64_t latency_cycles = 0, stall_cycles = 0;
  std::string top_class;  ///< With the most stall
  std::int64_t top_class_cycles = 0;
  std::vector<PlanItem> items;  ///< By gain, then first row
  std::vector<PlanArtefact> artefacts;
  std::int64_t combined_gain_cycles = 0;  ///< 1 - Π(1 - gain), as cycles: gains overlap
  std::vector<std::string> notes;         ///< What is no item: memory-bound, nothing above 1 % …
};

/// `hidden` may be null.
Plan make_plan(const ThreadTrace& trace, const Loops& loops, const WaitAnalysis& waits,
               const OccupancyReport& occupancy, const HiddenStall* hidden);

}  // namespace jaxtrace
