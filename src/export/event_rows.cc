// A file may hold a million events that begin at 0 and last 0, so nothing here walks a range more
// than once.
#include "export/event_rows.h"

namespace jaxtrace {
namespace {

/// The first of rows [low, high) of which `before` does not hold; it holds of a beginning of them.
template <typename Before>
std::size_t first_not(std::size_t low, std::size_t high, Before before) {
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

EventRows::EventRows(const Trace& trace, const Lane& lane)
    : trace_(trace), lane_{lane.first, lane.first + lane.count}, found_{lane.first, lane.first} {}

bool EventRows::is(std::size_t row, Picoseconds begin, Picoseconds duration) const {
  return row < lane_.last && trace_.events.begin[row] == begin &&
         trace_.events.duration[row] == duration;
}

EventRows::Range EventRows::at(Picoseconds begin, Picoseconds duration) {
  if (found_.first != found_.last && is(found_.first, begin, duration)) return found_;
  const std::size_t next = found_.last;
  if (is(next, begin, duration) && !is(next + 1, begin, duration)) return found_ = {next, next + 1};

  const auto& begins = trace_.events.begin;
  const auto& durations = trace_.events.duration;
  const std::size_t first = first_not(lane_.first, lane_.last, [&](std::size_t row) {
    return begins[row] < begin || (begins[row] == begin && durations[row] > duration);
  });
  const std::size_t last =
      first_not(first, lane_.last, [&](std::size_t row) { return is(row, begin, duration); });
  if (first == last) return {first, first};  // Left out: the next in the file goes on from before.
  return found_ = {first, last};
}

std::optional<std::size_t> EventRows::take(Range range, const EventIdentity& event) {
  const auto [at, added] = together_.try_emplace(range.first);
  Together& rows = at->second;
  if (added) {
    const Events& events = trace_.events;
    for (std::size_t row = range.last; row-- > range.first;) {
      const std::uint64_t node = events.graph_node.empty() ? 0 : events.graph_node[row];
      rows[{events.name[row], events.correlation[row], node}].push_back(row);
    }
  }
  const auto found = rows.find(event);
  if (found == rows.end() || found->second.empty()) return std::nullopt;
  const std::size_t row = found->second.back();
  found->second.pop_back();
  return row;
}

}  // namespace jaxtrace
