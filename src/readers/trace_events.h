// The elements of `traceEvents`, one after another, from a file of any size.
//
//   {"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[
//     {"ph":"M","pid":1,"tid":16,"name":"thread_name","args":{"name":"Stream #16(Compute)"}},
//     {"ph":"X","pid":1,"tid":16,"ts":960.034,"dur":16.098,"name":"fusion_3",
//      "args":{"correlation_id":"4982","hlo_op":"fusion.3"}},
//     {}]}
//
// Keys come in any order and unknown ones are passed over; a bare array is taken for traceEvents.
// What follows the array is not read.  After an element that makes no sense, reading goes on at the
// next that begins like one: `},{"` cannot stand inside a text, whose quotes are escaped.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "readers/json_scanner.h"
#include "readers/mapped_file.h"
#include "readers/meter.h"
#include "readers/text_windows.h"

namespace jaxtrace {

/// One entry of an event's args whose value is a text, number or word.
struct TraceArg {
  JsonText key;
  JsonText value;
};

/// One element.  Views hold until the next is read.
struct TraceEvent {
  char phase = 0;                       ///< `ph`; 0 if there is none
  std::optional<std::int64_t> process;  ///< `pid`; absent if it is none or no integer
  std::optional<std::int64_t> thread;   ///< `tid`
  std::string_view begin;               ///< `ts`, µs as written; empty if there is none
  std::string_view duration;            ///< `dur`
  JsonText name;
  std::vector<TraceArg> args;
  std::string_view category;  ///< `cat`, which the JAX profiler never writes
};

/// What was seen around the events.
struct TraceWalk {
  enum class Shape : std::uint8_t {
    trace,      ///< An array of events was found.
    no_events,  ///< JSON, but no array of events in it.
    no_json,
  };
  Shape shape = Shape::no_json;
  std::vector<std::string> keys;   ///< Of the outermost object, up to traceEvents.
  bool cut = false;                ///< The text ends before the array does,
  std::uint64_t cut_byte = 0;      ///< here.
  std::uint64_t damaged = 0;       ///< Elements that make no sense,
  std::uint64_t damaged_byte = 0;  ///< the first of them here.
  TextEnd end;                     ///< Of the file; clean if `each` stopped the walk.
};

/// Calls `each` with every element, until it returns false.  Bytes are those of the uncompressed
/// text, but for TraceWalk::end.
TraceWalk walk_trace_events(const MappedFile& file, Meter& meter,
                            const std::function<bool(const TraceEvent&)>& each);

}  // namespace jaxtrace
