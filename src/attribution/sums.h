// Time and kernels added up once, by label; every table groups these sums, so all tables agree to
// the picosecond.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "attribution/attribution.h"
#include "attribution/ops.h"

namespace jaxtrace {

struct Cost {
  std::int64_t kernels = 0;  ///< Device events of every kind.
  std::int64_t total_ps = 0;
  std::array<std::int64_t, 4> match_ps{};  ///< total_ps by Match.

  /// Stops at the largest number instead of overflowing: a file may claim any duration.
  void add(Match match, std::int64_t events, std::int64_t duration_ps);
  void add(const Cost& other);

  std::int64_t of(Match match) const { return match_ps[static_cast<std::size_t>(match)]; }
};

/// Whose events the tables are about.  What is not counted is in no table but in kernels.csv (if
/// damaged) or in none at all (if of another program).
struct Counted {
  std::vector<bool> label;  ///< By label.
  std::vector<bool> shown;  ///< By label: has rows in kernels.csv.
};

Counted counted_labels(const Attribution& attribution, const AttributeOptions& options);

struct Sums {
  Cost all;                              ///< Everything counted: the denominator of every share.
  std::vector<Cost> label;               ///< By label; zero where not counted.
  std::vector<std::int64_t> executions;  ///< By op: executions in which it had a kernel.
  Cost damaged;                          ///< Corrupt timing: in no total.
  Cost other_programs;                   ///< Left out by --program.

  /// Counted time on whose events the tracer's own hlo_op names an instruction of the HLO: what
  /// XProf's op views show.  The second is the part where that instruction only wraps others.
  std::int64_t tracer_ps = 0;
  std::int64_t tracer_wrapper_ps = 0;
};

Sums add_up(const Trace& trace, const Attribution& attribution, const Ops& ops,
            const Counted& counted);

}  // namespace jaxtrace
