// Sorting a Trace.
//
// Events are the many, so they are moved one column at a time (the room needed is one column, never
// a second copy of all) and only if they are not in order already, which they are in files that the
// profiler wrote itself.  Nothing is compared by a number that depends on the order of reading:
// strings by their text, annotations by their fields.
#include "model/order.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <limits>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace jaxtrace {
namespace {

template <typename Id>
std::size_t row(Id id) {
  return static_cast<std::size_t>(id);
}

/// Sorts `rows` by `less(i, j)`, a comparison of row numbers; returns old row -> new row.
template <typename Row, typename Less>
std::vector<std::size_t> sort_rows(std::vector<Row>& rows, Less less) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), less);
  std::vector<Row> sorted;
  sorted.reserve(rows.size());
  std::vector<std::size_t> renumbered(rows.size());
  for (const std::size_t old : order) {
    renumbered[old] = sorted.size();
    sorted.push_back(std::move(rows[old]));
  }
  rows = std::move(sorted);
  return renumbered;
}

void order_hosts(Trace& trace) {
  const auto key = [&](std::size_t i) {
    const Host& host = trace.hosts[i];
    return std::tuple(trace.strings[host.name], trace.strings[host.file]);
  };
  const auto renumbered =
      sort_rows(trace.hosts, [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  const auto renumber = [&](HostId& id) {
    id = HostId{static_cast<std::uint16_t>(renumbered[row(id)])};
  };
  for (Device& device : trace.devices) renumber(device.host);
  for (Lane& lane : trace.lanes) renumber(lane.host);
  for (Module& module : trace.modules) renumber(module.host);
}

void order_devices(Trace& trace) {
  const auto key = [&](std::size_t i) {
    const Device& device = trace.devices[i];
    return std::tuple(device.host, device.ordinal, trace.strings[device.plane]);
  };
  const auto renumbered =
      sort_rows(trace.devices, [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  for (Lane& lane : trace.lanes) {
    if (lane.device == DeviceId::none) continue;
    lane.device = DeviceId{static_cast<std::uint32_t>(renumbered[row(lane.device)])};
  }
}

void order_modules(Trace& trace) {
  auto& modules = trace.modules;
  const auto key = [&](const Module& module) {
    return std::tuple(module.host, module.program_id, trace.strings[module.name],
                      std::string_view(module.hlo_proto));
  };
  std::sort(modules.begin(), modules.end(),
            [&](const Module& a, const Module& b) { return key(a) < key(b); });
  const auto same = [&](const Module& a, const Module& b) { return key(a) == key(b); };
  modules.erase(std::unique(modules.begin(), modules.end(), same), modules.end());
}

/// `column` with the blocks of `lanes`, in their order, one after another.
template <typename Value>
void move_blocks(std::vector<Value>& column, const std::vector<Lane>& lanes) {
  if (column.empty()) return;
  std::vector<Value> moved;
  moved.reserve(column.size());
  for (const Lane& lane : lanes) {
    const auto begin = column.begin() + static_cast<std::ptrdiff_t>(lane.first);
    moved.insert(moved.end(), begin, begin + static_cast<std::ptrdiff_t>(lane.count));
  }
  column = std::move(moved);
}

template <typename Do>
void for_each_column(Events& events, Do apply) {
  apply(events.begin);
  apply(events.duration);
  apply(events.name);
  apply(events.annotation);
  apply(events.details);
  apply(events.correlation);
  apply(events.graph_node);
}

/// Renumbers the events of `trace.stats` (which are by event) after lanes were moved.
void move_stats(Trace& trace, const std::vector<Lane>& lanes) {
  std::vector<EventStat> moved;
  moved.reserve(trace.stats.size());
  const auto before = [](const EventStat& stat, std::size_t event) { return stat.event < event; };
  std::size_t first = 0;
  for (const Lane& lane : lanes) {
    auto stat = std::lower_bound(trace.stats.begin(), trace.stats.end(), lane.first, before);
    for (; stat != trace.stats.end() && stat->event < lane.first + lane.count; ++stat) {
      moved.push_back({stat->event - lane.first + first, stat->key, stat->value});
    }
    first += lane.count;
  }
  trace.stats = std::move(moved);
}

/// Lanes in order, lanes that are one merged, and their events contiguous.
void order_lanes(Trace& trace) {
  const auto identity = [&](const Lane& lane) {
    return std::tuple(lane.kind, lane.host, lane.device, trace.strings[lane.name], lane.id);
  };
  std::stable_sort(trace.lanes.begin(), trace.lanes.end(),
                   [&](const Lane& a, const Lane& b) { return identity(a) < identity(b); });

  bool moved = false;
  std::size_t first = 0;
  for (const Lane& lane : trace.lanes) {
    moved = moved || (lane.count != 0 && lane.first != first);
    first += lane.count;
  }
  if (moved) {
    for_each_column(trace.events, [&](auto& column) { move_blocks(column, trace.lanes); });
    move_stats(trace, trace.lanes);
  }

  std::vector<Lane> merged;
  first = 0;
  for (Lane lane : trace.lanes) {
    lane.first = first;
    first += lane.count;
    if (!merged.empty() && identity(merged.back()) == identity(lane)) {
      merged.back().count += lane.count;
    } else {
      merged.push_back(lane);
    }
  }
  trace.lanes = std::move(merged);
}

// ---- Events within a lane ----

std::strong_ordering compare_texts(const Trace& trace, StringId a, StringId b) {
  return a == b ? std::strong_ordering::equal : trace.strings[a] <=> trace.strings[b];
}

std::strong_ordering compare_annotations(const Trace& trace, AnnotationId a, AnnotationId b) {
  if (a == b) return std::strong_ordering::equal;
  const Annotation& x = trace.annotations[row(a)];
  const Annotation& y = trace.annotations[row(b)];
  const std::pair<StringId, StringId> texts[] = {{x.hlo_op, y.hlo_op},
                                                 {x.hlo_module, y.hlo_module},
                                                 {x.op_name, y.op_name},
                                                 {x.prefix, y.prefix},
                                                 {x.tf_op, y.tf_op}};
  for (const auto& [left, right] : texts) {
    if (const auto order = compare_texts(trace, left, right); order != 0) return order;
  }
  return std::tuple(x.program_id, x.graph_id, x.graph_exec_id, x.agent) <=>
         std::tuple(y.program_id, y.graph_id, y.graph_exec_id, y.agent);
}

auto stats_of(const Trace& trace, std::size_t event) {
  return std::equal_range(trace.stats.begin(), trace.stats.end(), EventStat{event, {}, 0},
                          [](const EventStat& a, const EventStat& b) { return a.event < b.event; });
}

std::strong_ordering compare_stats(const Trace& trace, std::size_t a, std::size_t b) {
  const auto left = stats_of(trace, a);
  const auto right = stats_of(trace, b);
  return std::lexicographical_compare_three_way(left.first, left.second, right.first, right.second,
                                                [&](const EventStat& x, const EventStat& y) {
                                                  const auto order =
                                                      compare_texts(trace, x.key, y.key);
                                                  return order != 0 ? order : x.value <=> y.value;
                                                });
}

/// Events that begin together and last as long: by everything else that an event has.
std::strong_ordering compare_rest(const Trace& trace, std::size_t a, std::size_t b) {
  const Events& events = trace.events;
  if (const auto order = compare_texts(trace, events.name[a], events.name[b]); order != 0) {
    return order;
  }
  if (const auto order = events.correlation[a] <=> events.correlation[b]; order != 0) return order;
  if (!events.graph_node.empty()) {
    const auto order = events.graph_node[a] <=> events.graph_node[b];
    if (order != 0) return order;
  }
  const auto annotations = compare_annotations(trace, events.annotation[a], events.annotation[b]);
  if (annotations != 0) return annotations;
  if (events.details[a] != events.details[b]) {
    const Details& x = trace.details[row(events.details[a])];
    const Details& y = trace.details[row(events.details[b])];
    if (const auto order = x.of <=> y.of; order != 0) return order;
    if (const auto order = compare_texts(trace, x.text, y.text); order != 0) return order;
  }
  return compare_stats(trace, a, b);
}

bool comes_before(const Trace& trace, std::size_t a, std::size_t b) {
  const Events& events = trace.events;
  if (events.begin[a] != events.begin[b]) return events.begin[a] < events.begin[b];
  if (events.duration[a] != events.duration[b]) return events.duration[a] > events.duration[b];
  return compare_rest(trace, a, b) < 0;
}

bool is_in_order(const Trace& trace, const Lane& lane) {
  for (std::size_t i = lane.first + 1; i < lane.first + lane.count; ++i) {
    if (comes_before(trace, i, i - 1)) return false;
  }
  return true;
}

/// Puts the events of `lane` in the order of `order`, which holds their present rows.
void permute(Trace& trace, const Lane& lane, const std::vector<std::size_t>& order) {
  for_each_column(trace.events, [&](auto& column) {
    if (column.empty()) return;
    using Value = typename std::decay_t<decltype(column)>::value_type;
    std::vector<Value> sorted;
    sorted.reserve(order.size());
    for (const std::size_t old : order) sorted.push_back(column[old]);
    std::copy(sorted.begin(), sorted.end(),
              column.begin() + static_cast<std::ptrdiff_t>(lane.first));
  });
}

/// The same for the stats of those events.
void permute_stats(Trace& trace, const Lane& lane, const std::vector<std::size_t>& order) {
  const auto by_event = [](const EventStat& stat, std::size_t event) { return stat.event < event; };
  const auto begin = std::lower_bound(trace.stats.begin(), trace.stats.end(), lane.first, by_event);
  const auto end = std::lower_bound(begin, trace.stats.end(), lane.first + lane.count, by_event);
  if (begin == end) return;
  std::vector<EventStat> sorted;
  sorted.reserve(static_cast<std::size_t>(end - begin));
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (auto stat = std::lower_bound(begin, end, order[i], by_event);
         stat != end && stat->event == order[i]; ++stat) {
      sorted.push_back({lane.first + i, stat->key, stat->value});
    }
  }
  std::copy(sorted.begin(), sorted.end(), begin);
}

void order_events(Trace& trace, const Lane& lane) {
  if (is_in_order(trace, lane)) return;
  std::vector<std::size_t> order(lane.count);
  std::iota(order.begin(), order.end(), lane.first);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return comes_before(trace, a, b); });
  permute(trace, lane, order);
  permute_stats(trace, lane, order);
}

void order_stats(Trace& trace) {
  const auto less = [&](const EventStat& a, const EventStat& b) {
    if (a.event != b.event) return a.event < b.event;
    const auto keys = compare_texts(trace, a.key, b.key);
    return keys != 0 ? keys < 0 : a.value < b.value;
  };
  if (!std::is_sorted(trace.stats.begin(), trace.stats.end(), less)) {
    std::sort(trace.stats.begin(), trace.stats.end(), less);
  }
}

void order_findings(Trace& trace) {
  const auto key = [](const Finding& f) {
    return std::tuple(-static_cast<int>(f.severity), std::string_view(f.code),
                      std::string_view(f.where), std::string_view(f.message));
  };
  std::sort(trace.findings.begin(), trace.findings.end(),
            [&](const Finding& a, const Finding& b) { return key(a) < key(b); });
}

}  // namespace

void put_in_order(Trace& trace) {
  order_hosts(trace);
  order_devices(trace);
  order_modules(trace);
  order_stats(trace);
  order_lanes(trace);
  trace.device_events = 0;
  for (const Lane& lane : trace.lanes) {
    order_events(trace, lane);
    if (lane.kind == LaneKind::stream) trace.device_events += lane.count;
  }
  order_findings(trace);
}

}  // namespace jaxtrace
