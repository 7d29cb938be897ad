// One event of a trace JSON as a row of a Trace.
//
// What the profiler writes as stats in an xplane file stands in `args` here, under the same names
// and as text: {"correlation_id":"4982","hlo_op":"fusion.3","kernel_details":"regs:32 …"}.  So the
// roles of stats.h hold, and whoever analyses the Trace cannot tell the two apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jaxtrace/trace_builder.h"
#include "readers/stats.h"
#include "readers/trace_events.h"

namespace jaxtrace {

/// An event of a lane; reused from event to event.
struct TraceRow {
  EventRow row;
  std::vector<std::pair<StringId, std::int64_t>> numbers;  ///< EventStats; of host events only
  bool timed = false;    ///< `row` has a begin; without one the event is damaged.
  bool named = false;    ///< Without a name, `row` is called ?.
  bool far_off = false;  ///< Its times were cut.
  bool memory = false;   ///< An allocation or the like, which is no work.
};

/// How a lane's events are read.
struct TraceLaneKind {
  bool device_work = false;
  bool names_are_ops = false;  ///< `XLA Ops`: events are named as their instruction.
};

class TraceRows {
 public:
  explicit TraceRows(TraceBuilder& builder) : builder_(builder) {}

  /// `origin_ns` is what is taken off times that count from 1970; chosen by the first such event.
  void read(const TraceEvent& event, TraceLaneKind kind, std::int64_t& origin_ns, TraceRow& out);

 private:
  /// A key of args, found again without a search.
  struct Key {
    std::string text;
    StatRole role = StatRole::other;
    StringId id = kNotInterned;
    bool long_name = false;
  };

  Key& key_of(std::string_view text);
  StringId intern(const JsonText& text);
  void read_times(const TraceEvent& event, std::int64_t& origin_ns, TraceRow& out);
  void drop_step(std::int64_t step, TraceRow& out);
  void read_arg(const TraceArg& arg, TraceLaneKind kind, TraceRow& out);

  TraceBuilder& builder_;
  std::array<Key, 256> keys_;
  std::string scratch_;
  Annotation annotation_;
  Annotation last_;
  AnnotationId last_id_ = AnnotationId::none;
};

}  // namespace jaxtrace
