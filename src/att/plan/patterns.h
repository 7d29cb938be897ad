// The patterns of the plan, from the most specific to the most general: what one claims, the next
// does not see.
#pragma once

#include <cstdint>
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

struct Candidate {
  PlanItem item;
  std::int64_t lost = 0;  ///< Of its stall, while the SIMD did no math
};

/// Adds a row and what was claimed of its stall.
void add_row(const PlanFacts& facts, Candidate& candidate, std::uint32_t row, std::int64_t stall);

/// Names source and class, and orders the rows; to be called when all rows are in.
void finish(const PlanFacts& facts, Candidate& candidate);

/// Bytes that a load or store moves for each lane; 0 where the name does not tell.
std::int64_t bytes_of_lane(std::string_view mnemonic);

/// "instruction 328 (s_waitcnt vmcnt(1))".
std::string named(const PlanFacts& facts, std::uint32_t row);

void find_spills(PlanFacts& facts, std::vector<Candidate>& found);
void find_waits(PlanFacts& facts, std::vector<Candidate>& found);
void find_barriers(PlanFacts& facts, std::vector<Candidate>& found);
void find_loads(PlanFacts& facts, std::vector<Candidate>& found);
void find_busy_units(PlanFacts& facts, std::vector<Candidate>& found);
void find_low_occupancy(PlanFacts& facts, std::vector<Candidate>& found);

/// What is no item: what bounds the kernel, and what to measure next.
std::vector<std::string> notes_on(const PlanFacts& facts);

}  // namespace jaxtrace
