// What must hold of any answer of skip-stats, whatever the capture: parts sum to wholes, exactly.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "skip/critical_path.h"
#include "skip/skip_stats.h"

namespace jaxtrace {

template <class Parts>
Picoseconds sum(const Parts& parts) {
  return std::accumulate(parts.begin(), parts.end(), Picoseconds{0});
}

inline void expect_conserved(const Budget& budget) {
  EXPECT_EQ(sum(budget.exclusive) + budget.idle, budget.window.length());
  EXPECT_GE(budget.idle.count(), 0);
  for (std::size_t i = 0; i < kWorkClasses; ++i) {
    EXPECT_GE(budget.exclusive[i].count(), 0);
    EXPECT_GE(budget.total[i], budget.exclusive[i]);
    EXPECT_LE(budget.total[i], budget.window.length());
  }
}

/// Every instant of the step is on the path once.
inline void expect_whole(const CriticalPath& path) {
  Picoseconds now = path.window.begin;
  for (const PathSegment& segment : path.segments) {
    EXPECT_EQ(segment.window.begin, now);
    EXPECT_LT(segment.window.begin, segment.window.end);
    now = segment.window.end;
  }
  EXPECT_EQ(now, path.window.end);
  EXPECT_EQ(sum(path.time), path.window.length());
  EXPECT_EQ(sum(path.on_device), path.window.length());
}

inline void expect_conserved(const Trace& trace, const SkipStats& stats) {
  ASSERT_EQ(stats.devices.size(), stats.timelines.size());
  std::vector<Picoseconds> causes(stats.devices.size()), gaps(stats.devices.size());
  for (const Cause& cause : stats.causes.causes) {
    EXPECT_GE(cause.total, cause.self) << cause.event;
    causes[cause.device] += cause.self;
  }
  for (const ExplainedGap& gap : stats.causes.gaps) gaps[gap.device] += gap.gap.window.length();

  for (std::size_t d = 0; d < stats.devices.size(); ++d) {
    SCOPED_TRACE("device " + std::to_string(d));
    const DeviceStats& device = stats.devices[d];
    expect_conserved(device.steady);
    expect_conserved(device.capture);
    EXPECT_EQ(sum(device.steady_idle.parts), device.steady.idle);
    EXPECT_EQ(sum(device.capture_idle.parts), device.capture.idle);
    for (const Picoseconds part : device.steady_idle.parts) EXPECT_GE(part.count(), 0);
    EXPECT_EQ(sum(device.host_late), device.steady_idle.of(IdlePart::host_late));
    EXPECT_EQ(causes[d], device.steady_idle.of(IdlePart::host_late));
    EXPECT_EQ(gaps[d], device.steady.idle);
    for (std::size_t i = 0; i < device.steps.size(); ++i) {
      const StepParts& step = device.steps[i];
      EXPECT_EQ(step.compute + step.collective + step.copy + sum(step.idle.parts), step.step);
      // Causes are looked for in the steady window.
      if (stats.steps.steps[i].fate == StepFate::kept) {
        EXPECT_EQ(sum(step.host), step.idle.of(IdlePart::host_late)) << "step " << i;
      }
      EXPECT_LE(step.collective_wait, step.collective);
    }
  }
  for (const StreamStats& stream : stats.streams) {
    expect_conserved(stream.steady);
    expect_conserved(stream.capture);
    EXPECT_EQ(stream.capture.window.length(), stats.devices[stream.device].capture.window.length());
    EXPECT_GE(stream.capture.idle, stats.devices[stream.device].capture.idle);
  }
  if (stats.verdict.decision.bound != Bound::inconclusive) {
    double all = stats.verdict.shares.compute;
    for (const double loss : stats.verdict.shares.loss) {
      EXPECT_GE(loss, 0);
      all += loss;
    }
    EXPECT_NEAR(all, 1, 1e-9);
  }
  for (const WhatIf& what : stats.what_ifs) EXPECT_GE(what.step.count(), 0) << what.id;
  EXPECT_LE(stats.works.cls.size(), trace.device_events);

  const Scope scope{trace, stats.works, stats.timelines, stats.steps};
  const AlignedCollectives aligned =
      align_collectives(trace, stats.works, stats.timelines, stats.steps);
  for (std::size_t s = 0; s < stats.steps.steps.size(); ++s) {
    SCOPED_TRACE("the path of step " + std::to_string(s));
    expect_whole(critical_path(scope, aligned, s, stats.verdict.device));
  }
}

}  // namespace jaxtrace
