// The files of skip-stats, one function each but rows.csv and gaps.csv.  Times are picoseconds;
// instants count from the first device event of the capture.
#pragma once

#include "jaxtrace/report.h"
#include "skip/skip_stats.h"

namespace jaxtrace {

/// What every table is made of.
struct Found {
  const Trace& trace;
  const SkipStats& stats;
  Picoseconds origin{0};  ///< Begin of the first device event
};

Found found(const Trace& trace, const SkipStats& stats);

Table checks_table(const Found& found);
/// One row a step and device; of steps [begin, end).
Table steps_table(const Found& found, std::size_t begin, std::size_t end);
/// What is known of a kept step's arrivals; nullptr of another.
const StepStraggler* straggler_of(const Found& found, std::size_t step);

Table devices_table(const Found& found);  ///< One row a device and window (steady, capture)
Table streams_table(const Found& found);  ///< One row a stream and window
Table causes_table(const Found& found);
Table kernels_table(const Found& found);
Table chains_table(const Found& found);
Table what_ifs_table(const Found& found);

/// "GPU:0", with its host if there are several.
std::string device_name(const Found& found, std::size_t device);

/// Absent of nothing.
Cell ratio_cell(Picoseconds part, Picoseconds whole);

}  // namespace jaxtrace
