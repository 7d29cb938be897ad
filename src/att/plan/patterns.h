// The patterns of the plan, from the most specific to the most general: what one claims, the next
// does not see.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "att/plan/facts.h"

namespace jaxtrace {

/// Most of what a pattern costs is given back by …
inline constexpr std::int64_t kReordering = 90;   ///< … moving instructions
inline constexpr std::int64_t kPrefetching = 70;  ///< … loading an iteration earlier
inline constexpr std::int64_t kRestructuring = 50;
inline constexpr std::int64_t kRemoving = 100;

struct PlanCandidate {
  PlanItem item;
  std::int64_t lost = 0;  ///< Of its stall, while the SIMD did no math
  std::int64_t gain = 0;  ///< Recoverable
};

/// What an item says, and how much of what it costs comes back.
struct PatternWords {
  std::string_view id, cause, fix, effort;
  std::int64_t factor = kRestructuring;
};

/// `percent` of cycles.
std::int64_t factor_of(std::int64_t cycles, std::int64_t percent);

PlanCandidate begin_candidate(const PatternWords& words);

// Percent of the waves' time below which nothing is said.
inline constexpr std::int64_t kLeastGain = 1;
inline constexpr std::int64_t kHighStall = 20;  ///< Stall that is HIGH whatever its gain

/// Whether it will be in the plan.  Candidates are many: those that will not stay without text.
bool is_worth_saying(const PlanFacts& facts, const PlanCandidate& candidate);

/// Adds it to the others if it is worth saying.
void keep(const PlanFacts& facts, PlanCandidate candidate, std::vector<PlanCandidate>& found);

/// Adds a row and what was claimed of its stall.
void add_row(const PlanFacts& facts, PlanCandidate& candidate, std::uint32_t row,
             std::int64_t stall);

/// Names source and class, and orders the rows; to be called when all rows are in.
void finish(const PlanFacts& facts, PlanCandidate& candidate);

/// Bytes that a load or store moves for each lane; 0 where the name does not tell.
std::int64_t bytes_of_lane(std::string_view mnemonic);

/// The widest of these that move at most `most` bytes a lane, if they are more than half of all.
std::optional<std::int64_t> narrow_bytes(const PlanFacts& facts,
                                         const std::vector<std::uint32_t>& rows, std::int64_t most);

/// The rows with the most stall: "instruction 493 (s_barrier) stalls 680.7 cycles, 24 times; …".
std::string worst_rows(const PlanFacts& facts, std::vector<std::uint32_t> rows);

/// A candidate that claims all that is left of the stall of these rows.  Its gain is that, times
/// the factor, for the caller to lower.
PlanCandidate candidate_of_rows(PlanFacts& facts, const PatternWords& words,
                                const std::vector<std::uint32_t>& rows);

/// "instruction 328 (s_waitcnt vmcnt(1))".
std::string named(const PlanFacts& facts, std::uint32_t row);

void find_spills(PlanFacts& facts, std::vector<PlanCandidate>& found);
void find_waits(PlanFacts& facts, std::vector<PlanCandidate>& found);
void find_barriers(PlanFacts& facts, std::vector<PlanCandidate>& found);
void find_loads(PlanFacts& facts, std::vector<PlanCandidate>& found);
void find_busy_units(PlanFacts& facts, std::vector<PlanCandidate>& found);
void find_low_occupancy(PlanFacts& facts, std::vector<PlanCandidate>& found);

/// What is no item: what bounds the kernel, and what to measure next.
std::vector<std::string> notes_on(const PlanFacts& facts);

}  // namespace jaxtrace
