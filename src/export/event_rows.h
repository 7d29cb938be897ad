// Which row of a Trace an event of a file has become.
//
// A Trace is sorted, merges lines that are one timeline and leaves events out, so an event's place
// in the file does not tell its row.  What it says does: the rows of a lane are by begin, then
// longer first, so an event is among the rows that begin and last as it does.  That is nearly
// always one row, the one after the last that was found.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "jaxtrace/trace.h"
#include "readers/stats.h"

namespace jaxtrace {

/// What tells events apart that begin and end together.
struct EventIdentity {
  StringId name = StringId::empty;
  std::uint64_t correlation = 0;
  std::uint64_t graph_node = 0;

  auto operator<=>(const EventIdentity&) const = default;
};

/// The rows of one lane, asked for in the order of the file.
class EventRows {
 public:
  EventRows(const Trace& trace, const Lane& lane);

  /// The row of an XEvent of a line that begins at `line_begin_ps`; absent if the Trace left it
  /// out. Decodes what readers/lanes.cc does.
  std::optional<std::size_t> of_event(std::string_view event, std::int64_t line_begin_ps,
                                      PlaneNames& names);

  /// The row of an event; absent if the Trace left it out.  `identity` is called only if several
  /// rows begin and end together; of those that agree even then, each is given out once, in order.
  template <typename Identity>
  std::optional<std::size_t> find(Picoseconds begin, Picoseconds duration, StringId name,
                                  Identity identity) {
    const Range range = at(begin, duration);
    if (range.last - range.first > 1) return take(range, identity());
    const bool found = range.first != range.last && trace_.events.name[range.first] == name;
    return found ? std::optional(range.first) : std::nullopt;
  }

 private:
  struct Range {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  /// Rows that agree, last first, so that the next to give out is at the end.
  using Together = std::map<EventIdentity, std::vector<std::size_t>>;

  Range at(Picoseconds begin, Picoseconds duration);
  std::optional<std::size_t> take(Range range, const EventIdentity& event);
  bool is(std::size_t row, Picoseconds begin, Picoseconds duration) const;

  const Trace& trace_;
  Range lane_;
  Range found_;                               // What was found last.
  std::map<std::size_t, Together> together_;  // By the first row of a range.
};

}  // namespace jaxtrace
