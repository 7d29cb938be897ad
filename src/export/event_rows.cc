// A file may hold a million events that begin at 0 and last 0, so nothing here walks a range more
// than once.
#include "export/event_rows.h"

#include "readers/times.h"
#include "readers/wire.h"
#include "readers/xplane_fields.h"

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

/// The name under which the Trace has an event.
StringId name_of(const Trace& trace, std::int64_t metadata_id, PlaneNames& names) {
  EventName* const name = names.events.find(metadata_id);
  if (name == nullptr) return trace.strings.find("?");
  if (name->interned == kNotInterned) {
    name->interned = trace.strings.find(name->text.empty() ? name->display : name->text);
  }
  return name->interned;
}

EventIdentity identity_of(std::string_view event, StringId name, PlaneNames& names) {
  EventIdentity identity{.name = name};
  Wire wire(event);
  Field field;
  while (wire.next(field)) {
    if (field.tag != kEventStats) continue;
    const Stat stat = read_stat(field.bytes);
    const StatName* const key = names.stats.find(stat.key);
    const StatRole role = key == nullptr ? StatRole::other : key->role;
    if (role != StatRole::correlation_id && role != StatRole::graph_node_id) continue;
    const auto value = static_cast<std::uint64_t>(integer(stat, names).value_or(0));
    (role == StatRole::correlation_id ? identity.correlation : identity.graph_node) = value;
  }
  return identity;
}

}  // namespace

EventRows::EventRows(const Trace& trace, const Lane& lane)
    : trace_(trace), lane_{lane.first, lane.first + lane.count}, found_{lane.first, lane.first} {}

bool EventRows::is(std::size_t row, Picoseconds begin, Picoseconds duration) const {
  return row < lane_.last && trace_.events.begin[row] == begin &&
         trace_.events.duration[row] == duration;
}

std::optional<std::size_t> EventRows::of_event(std::string_view event, std::int64_t line_begin_ps,
                                               PlaneNames& names) {
  std::int64_t metadata_id = 0;
  std::int64_t offset_ps = 0;
  std::int64_t duration_ps = 0;
  Wire wire(event);
  Field field;
  while (wire.next(field)) {
    const auto value = static_cast<std::int64_t>(field.value);
    if (field.tag == kEventMetadataId) metadata_id = value;
    if (field.tag == kEventOffsetPs) offset_ps = value;
    if (field.tag == kEventDurationPs) duration_ps = value;
  }
  bool far_off = false;  // Said when it was read.
  const Picoseconds begin{clamp_time(add_times(line_begin_ps, offset_ps), far_off)};
  const Picoseconds duration{clamp_time(duration_ps, far_off)};
  const StringId name = name_of(trace_, metadata_id, names);
  return find(begin, duration, name, [&] { return identity_of(event, name, names); });
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
