// Bytes from requests: how much a dispatch read past L2, and wrote.
//
// An L2 line is 128 bytes, and a request for it may be one of 128, two of 64 or smaller ones. Which
// counter tells the sizes differs between architectures; these are the formulas of FETCH_SIZE and
// WRITE_SIZE in rocprofiler-sdk's counter_defs.yaml, in bytes.  Where the counter of
// 128-byte requests was not collected, the answer is a range.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "jaxtrace/counters.h"

namespace jaxtrace {

/// Which formula.
enum class FetchFormula : std::uint8_t {
  sizes_32_64,      ///< gfx90a and older: what is not 32 is 64
  bubble,           ///< gfx94*: TCC_BUBBLE counts those of 128
  sizes_32_64_128,  ///< gfx950, gfx12: a counter for each size
  sizes_to_128,     ///< gfx10, gfx11: those, and 96
  unknown_ea0,      ///< gfx94* or gfx950, not known which
  unknown,          ///< No counter says
};

/// What `arch` ("gfx942"; empty if not known) and the names of the counters say.
FetchFormula fetch_formula(std::string_view arch, std::span<const CounterFamily> families);

/// The family whose names to ask for.
CounterFamily family_of(FetchFormula formula, std::span<const CounterFamily> families);

/// Counts of one dispatch, or of many: absent where not collected.
using Counts = std::array<std::optional<std::int64_t>, kL2Counters>;

inline const std::optional<std::int64_t>& of(const Counts& counts, L2Counter counter) {
  return counts[static_cast<std::size_t>(counter)];
}

/// A number that is known, or known to lie between two.
struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;

  bool known() const { return low == high; }
};

/// How many requests of each size; absent where the counters do not say.
struct Sizes {
  std::optional<std::int64_t> all, of_32, of_64, of_96, of_128;
  bool contradict = false;  ///< More of one size than of all
};
Sizes request_sizes(FetchFormula formula, const Counts& counts);

/// Bytes read past L2; absent if requests of 32 bytes are not told from the rest.
std::optional<Range> read_bytes(FetchFormula formula, const Counts& counts);

/// Bytes written past L2.
std::optional<std::int64_t> written_bytes(const Counts& counts);

/// The counters that read_bytes() needs and `counts` lacks.
std::vector<L2Counter> missing_sizes(FetchFormula formula, const Counts& counts);

}  // namespace jaxtrace
