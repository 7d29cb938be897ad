// One dispatch with everything that is computed of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "att/hidden.h"
#include "att/loops.h"
#include "att/occupancy.h"
#include "att/plan.h"
#include "att/totals.h"
#include "att/verify.h"
#include "att/waits.h"
#include "jaxtrace/thread_trace.h"

namespace jaxtrace {

struct HotspotOptions {
  std::size_t topk = 15;
  bool topk_given = false;
  bool by_source = true, by_instruction = true;  ///< --mode
  bool detail = false;
  std::size_t context = 3;
  std::string kernel, arch;
  Inline which = Inline::innermost;
  bool plan = false, merge = false, verify = false;
  std::string baseline;
};

/// Not movable: the occupancy report points into the trace.
struct HotspotDispatch {
  explicit HotspotDispatch(ThreadTrace read) : trace(std::move(read)) {}
  HotspotDispatch(const HotspotDispatch&) = delete;
  HotspotDispatch& operator=(const HotspotDispatch&) = delete;

  ThreadTrace trace;
  std::string label;  ///< Names the dispatch in every table: its directory, unique among them
  OccupancyReport occupancy;
  Loops loops;
  WaitAnalysis waits;
  std::optional<HiddenStall> hidden;
  Totals totals;
  std::optional<Verification> verification;
  Plan plan;
  std::vector<Finding> findings;  ///< Of the reading and of every analysis
};

/// Fills a HotspotDispatch whose trace is set; reads the wave files once.
void analyse(HotspotDispatch& dispatch, const HotspotOptions& options);

/// The kernel with the most cycles: the one to name where there is room for one.
std::string_view main_kernel(const HotspotDispatch& dispatch);

/// Waves that the cycles are sums over; absent if nothing tells.
std::optional<std::int64_t> traced_waves(const HotspotDispatch& dispatch);

/// part / whole; absent if the whole is nothing.
std::optional<double> ratio(std::int64_t part, std::int64_t whole);

}  // namespace jaxtrace
