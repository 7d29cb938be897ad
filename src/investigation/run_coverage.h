// How many of the kernels that a program's runs must have launched are in the capture.
//
// The schedule says what one run launches, and host events say how often it ran.  Where the HLO
// leaves the number open (loops of unknown length, branches, custom calls), nothing is counted, on
// either side: so what is missing is at least what is said here.
#pragma once

#include <cstdint>
#include <vector>

namespace jaxtrace {

struct Investigated;

struct RunCoverage {
  std::uint32_t program = 0;  ///< Row of Attribution::programs
  std::uint64_t runs = 0;     ///< Host events of it: one for each execution on each GPU

  /// Over all runs; `seen` is never more than `expected`.
  std::uint64_t expected = 0, seen = 0;
  std::uint64_t copies = 0, copies_seen = 0;  ///< Likewise copies; of fills nothing is known

  /// Instructions whose number of kernels the HLO leaves open.
  std::uint64_t open = 0;

  std::uint64_t missing() const { return expected - seen; }
};

/// Of programs that ran under host events and whose HLO the capture carries, by row.  Left out are
/// those with events that stand for a whole graph: their kernels were not recorded, but their time.
std::vector<RunCoverage> run_coverage(const Investigated& in);

}  // namespace jaxtrace
