// TKLQT over captures of a growing batch: flat while kernels only wait for their launches, rising
// where they begin to queue.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "jaxtrace/report.h"
#include "skip/skip_stats.h"

namespace jaxtrace {

struct SweepPoint {
  std::string name;
  std::size_t steps = 0;
  std::uint64_t used = 0;
  Picoseconds tklqt{0};                                    ///< Of the kept steps
  std::optional<std::int64_t> per_step_ps, per_launch_ps;  ///< Rounded down
  std::optional<double> queued_fraction;
  std::string verdict;
};

/// The file name of each capture, after as many of its directories as tell it from the others.
std::vector<std::string> names_apart(const std::vector<std::filesystem::path>& captures);

SweepPoint sweep_point(const std::string& name, const SkipStats& stats, const Trace& trace);

/// The first point whose TKLQT per launch is over twice the least of all: from there the GPU is
/// what launches wait for.  points.size() if there is none.
std::size_t turning_point(const std::vector<SweepPoint>& points);

Table sweep_table(const std::vector<SweepPoint>& points);

}  // namespace jaxtrace
