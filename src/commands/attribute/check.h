// --check: does another capture of the same program agree, kernel by kernel?
//
// With command buffers off, the tracer names the instruction of every kernel, so a capture made
// that way holds the right answers for one made with them on.  Both are put into launch order,
// execution by execution, and compared place by place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "attribution/attribution.h"

namespace jaxtrace {

/// One capture and its attribution.
struct Side {
  const Trace& trace;
  const Attribution& attribution;
};

inline constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

struct Difference {
  std::uint32_t program = kNone;  ///< Row of the programs here.
  DeviceId device = DeviceId::none;
  std::uint32_t execution = 0;
  std::uint32_t position = 0;  ///< In launch order, from 0; here, or there if it is only there.
  std::size_t here = kAbsent;  ///< Event here, kAbsent if it is only there.
  std::size_t there = kAbsent;
};

struct Check {
  std::int64_t kernels = 0;    ///< Compared: there are two of each.
  std::int64_t agree = 0;      ///< Same instruction in both.
  std::int64_t only_here = 0;  ///< In compared executions, without a counterpart.
  std::int64_t only_there = 0;
  std::int64_t executions = 0;  ///< Compared.
  std::int64_t executions_only_here = 0;
  std::int64_t executions_only_there = 0;
  std::vector<std::string> unmatched_programs;  ///< Ran here, and not there: "jit_step(7)".
  std::vector<Difference> differences;          ///< By program, device, execution, position.

  /// Everything that ran here was compared, and agrees.
  bool clean() const {
    return kernels > 0 && agree == kernels && only_here + only_there == 0 &&
           unmatched_programs.empty();
  }
};

/// Programs meet by module name (of several with one name, the same id first, then in order of
/// ids), devices by the order of hosts and their number, executions by their order.
Check check(const Side& here, const Side& there, const AttributeOptions& options);

/// check.csv: one row a difference.
void write_check_csv(const Check& check, const Side& here, const Side& there, std::ostream& out);

}  // namespace jaxtrace
