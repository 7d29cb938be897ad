// TKLQT over captures of a growing batch: flat while kernels only wait for their launches, rising
// where they begin to queue.
#pragma once

#include <filesystem>
#include <vector>

#include "jaxtrace/report.h"
#include "skip/skip_stats.h"

namespace jaxtrace {

struct SweepPoint {
  std::string name;  ///< File name of the capture
  std::size_t steps = 0;
  std::uint64_t used = 0;
  Picoseconds tklqt{0};  ///< Of the kept steps
  std::optional<double> per_step_ps, per_launch_ps;
  std::optional<double> queued_fraction;
  std::string verdict;
};

SweepPoint sweep_point(const std::filesystem::path& capture, const SkipStats& stats,
                       const Trace& trace);

/// The first point whose TKLQT per launch is over twice the least of all: from there the GPU is
/// what launches wait for.  points.size() if there is none.
std::size_t turning_point(const std::vector<SweepPoint>& points);

Table sweep_table(const std::vector<SweepPoint>& points);

}  // namespace jaxtrace
