// The dispatches of one kernel on one GPU, each with what all passes counted of it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "counters/fetch.h"
#include "jaxtrace/counters.h"

namespace jaxtrace {

struct Sample {
  Counts counts;  ///< In bytes where the counter is in units of 1,024
  std::array<std::uint32_t, kL2Counters> pass{};  ///< Different numbers: different passes
  std::optional<double> hit_percent;
  std::uint32_t recording = 0;
  std::int64_t grid = -1, workgroup = -1;
  std::int64_t duration_ns = -1;  ///< Of the pass that read the requests, if one of several did

  bool has(std::initializer_list<L2Counter> counters) const;
  /// Whether the counters are of more than one pass.
  bool joins(std::initializer_list<L2Counter> counters) const;
};

struct SamplesSeen {
  bool multiplexed = false;    ///< Dispatches of one pass have different counters
  bool passes_differ = false;  ///< Passes ran different dispatches, and are not put together
};

/// Calls `visit` with each dispatch, of one kernel and agent: `dispatches` are rows of
/// data.dispatches, in order.  One at a time, because there may be millions.
SamplesSeen visit_samples(const CounterData& data, std::span<const std::uint32_t> dispatches,
                          const std::function<void(const Sample&)>& visit);

}  // namespace jaxtrace
