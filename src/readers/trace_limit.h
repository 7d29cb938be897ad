// Whether the profiler left events out of a trace JSON.
//
// It keeps the earliest and says nothing about it.  But a file that holds all stands thread by
// thread, and one that was cut is in order of time, with exactly as many events as were allowed.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>

#include "readers/trace_events.h"
#include "readers/trace_names.h"

namespace jaxtrace {

struct TraceLimit {
  std::uint64_t events = 0;
  bool chosen = false;  ///< By whoever recorded it, with TF_PROFILER_TRACE_VIEWER_MAX_EVENTS.
};

class LimitWatch {
 public:
  /// An event of phase X, in the order of the file.
  void see(const TraceEvent& event);

  /// The limit that was hit; absent if none.
  std::optional<TraceLimit> limit() const;

 private:
  std::uint64_t events_ = 0;
  std::uint64_t changes_ = 0;  // From one thread to another.
  std::set<ThreadKey> threads_;
  ThreadKey last_thread_;
  std::int64_t last_begin_ = std::numeric_limits<std::int64_t>::min();
  bool sorted_ = true;
};

}  // namespace jaxtrace
