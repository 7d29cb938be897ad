// What the figures of a kernel mean for whoever wants it faster: three questions, each with an
// answer or none.  The limits are those of the docs (docs/pmc-l2.md), and are nobody's law.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "counters/l2.h"

namespace jaxtrace {

/// Is data found in L2 again?
enum class Reuse : std::uint8_t { streaming, partial, reused };
/// Are lines fetched for a few of their bytes?
enum class Requests : std::uint8_t { full, some_partial, scattered };
/// Is more fetched than needed?
enum class Fetch : std::uint8_t { too_little, clean, moderate, redundant };
/// With all that in order, is memory busy?
enum class Path : std::uint8_t { healthy, underused, wasteful };

std::optional<Reuse> reuse(const L2Row& row);
std::optional<Requests> requests(const L2Row& row);

/// Absent if a range of bytes allows for two answers.
std::optional<Fetch> fetch(const L2Row& row, const L2Options& options);

/// The share of the peak: what was needed, if the user said how much, else what was moved.
std::optional<double> share_of_peak(const L2Row& row, const L2Options& options);
std::optional<Path> path(const L2Row& row, const L2Options& options);

std::string_view text(Reuse reuse);
std::string_view text(Requests requests);
std::string_view text(Fetch fetch);
std::string_view text(Path path);

/// What to do about it, as the second half of a sentence.
std::string_view advice(Reuse reuse, bool fetched_again);
std::string_view advice(Requests requests);
std::string_view advice(Fetch fetch);
std::string_view advice(Path path);

/// Whether lines are fetched again that L2 could have kept: much too much is read, and nothing is
/// found in L2.
bool fetched_again(const L2Row& row, const L2Options& options);

}  // namespace jaxtrace
