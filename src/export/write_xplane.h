// A *.xplane.pb again, with the attribution on its device events: what XProf's views by HLO
// operation read.
//
// The output is the input, byte for byte, but for the events that get stats, the lengths of what
// holds these, and entries in tables of names.  Lengths stand before contents, so the file is
// walked twice, once to count and once to write; nothing of it is held in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>

#include "attribution/attribution.h"
#include "jaxtrace/trace.h"

namespace jaxtrace {

/// Whether events of a label are written: not what the tracer itself said, not what is unknown, and
/// not what is less sure than `min_confidence`, in thousandths.
bool is_written(const Label& label, std::uint16_t min_confidence);

/// Device events, and the sum of their durations.
struct Amount {
  std::int64_t events = 0;
  std::int64_t total_ps = 0;

  /// Stops at the largest sum instead of overflowing: a file may claim any duration.
  void add(const Amount& other);
};

struct XplaneWritten {
  Amount added;    ///< Events that got stats.
  Amount before;   ///< Events that have them already, from an earlier run.
  Amount unsure;   ///< Likewise, but now less sure than asked for; not in `before`.
  Amount damaged;  ///< Events that would have got some, but for damage around them.
  std::optional<std::uint64_t> cut_at;  ///< The input ends early, at this byte.

  bool changed() const { return added.events > 0 || cut_at.has_value(); }
};

/// Writes the file of one host to `out`.  A file that was cut is closed: what is incomplete at its
/// end is left out, and a warning in it says so, since nothing could open it else.  Throws
/// InputError if the file cannot be read any more.
XplaneWritten write_xplane(const Trace& trace, const Attribution& attribution, HostId host,
                           std::uint16_t min_confidence, std::ostream& out);

}  // namespace jaxtrace
