// All that `skip-stats` finds in one capture.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "skip/causes.h"
#include "skip/chains.h"
#include "skip/checks.h"
#include "skip/latency.h"
#include "skip/straggler.h"
#include "skip/verdict.h"
#include "skip/what_if.h"

namespace jaxtrace {

struct SkipOptions {
  StepOptions steps;
  Thresholds thresholds;
  Picoseconds short_gap = kShortGap;
  const std::vector<JsonTotals>* json = nullptr;
  std::string json_problem;
};

/// One device (row of the timelines).
struct DeviceStats {
  Budget steady, capture;
  IdleSplit steady_idle, capture_idle;
  std::array<Picoseconds, kHostClasses> host_late{};  ///< Steady, by class
  LatencyStats steady_latency, capture_latency;
  std::vector<StepParts> steps;  ///< By row of Steps; all zero where the step has no window
};

struct StreamStats {
  std::size_t lane = 0;
  std::size_t device = 0;  ///< Row of the timelines
  Budget steady, capture;  ///< Of its device's windows
  LatencyStats latency;
  std::optional<QueueLength> queue;
  Picoseconds overlap{0};  ///< Time in which two of its events ran at once, steady
};

enum class HostBound : std::uint8_t { none, launch_rate, dispatch, host_work };
enum class Confidence : std::uint8_t { low, medium, high };

struct Verdict {
  Decision decision;
  std::string why_inconclusive;  ///< Empty unless it is
  std::size_t device = 0;        ///< d*: what the shares are of
  Shares shares;
  HostBound host = HostBound::none;
  bool straggler = false;  ///< Half or more of the exposed communication is waiting
  Confidence confidence = Confidence::low;
  std::vector<std::string> doubts;  ///< What lowers the confidence, one clause each
  std::vector<std::string> remarks;
  std::string refuted_by;  ///< What would show the verdict wrong
};

struct SkipStats {
  Works works;
  std::vector<DeviceTimeline> timelines;
  Steps steps;
  std::vector<DeviceStats> devices;  ///< By row of the timelines
  std::vector<StreamStats> streams;  ///< By lane
  Causes causes;
  Stragglers stragglers;
  Chains chains;                   ///< Of the verdict's device
  std::vector<KernelRow> kernels;  ///< Of the verdict's device, kept steps
  std::vector<CheckResult> checks;
  Verdict verdict;
  std::vector<WhatIf> what_ifs;      ///< Of the median step; empty if there is none
  std::optional<double> hdbi_proxy;  ///< See docs/skip-stats.md; not the TaxBreak paper's
};

SkipStats skip_stats(const Trace& trace, const SkipOptions& options = {});

}  // namespace jaxtrace
