// All that `skip-stats` finds in one capture.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "skip/causes.h"
#include "skip/chains.h"
#include "skip/device_stats.h"
#include "skip/judge.h"
#include "skip/what_if.h"

namespace jaxtrace {

struct SkipOptions {
  StepOptions steps;
  Thresholds thresholds;
  Picoseconds short_gap = kShortGap;
  const std::vector<JsonTotals>* json = nullptr;
  std::string json_problem;
};

struct SkipStats {
  Picoseconds short_gap = kShortGap;  ///< As asked for
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
  std::vector<WhatIf> what_ifs;  ///< Of the median step; empty if there is none
  Dispatch dispatch;             ///< Of the verdict's device
};

/// Throws std::logic_error if parts do not sum to their whole, which would be a mistake here.
SkipStats skip_stats(const Trace& trace, const SkipOptions& options = {});

}  // namespace jaxtrace
