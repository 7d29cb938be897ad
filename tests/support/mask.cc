#include "support/mask.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "proto/xplane.pb.h"
#include "support/random.h"

namespace jaxtrace::synth {
namespace {

using Names = std::map<std::int64_t, std::string>;

Names stat_names(const pb::XPlane& plane) {
  Names out;
  for (const auto& entry : plane.stat_metadata()) out[entry.key()] = entry.value().name();
  return out;
}

Names event_names(const pb::XPlane& plane) {
  Names out;
  for (const auto& entry : plane.event_metadata()) out[entry.key()] = entry.value().name();
  return out;
}

std::string stat_text(const pb::XEvent& event, const Names& names, std::string_view key) {
  for (const pb::XStat& stat : event.stats()) {
    const auto name = names.find(stat.metadata_id());
    if (name == names.end() || name->second != key) continue;
    if (stat.value_case() == pb::XStat::kStrValue) return stat.str_value();
    const auto text = names.find(static_cast<std::int64_t>(stat.ref_value()));
    return text == names.end() ? "" : text->second;
  }
  return "";
}

std::uint64_t stat_number(const pb::XEvent& event, const Names& names, std::string_view key) {
  for (const pb::XStat& stat : event.stats()) {
    const auto name = names.find(stat.metadata_id());
    if (name == names.end() || name->second != key) continue;
    return stat.value_case() == pb::XStat::kUint64Value
               ? stat.uint64_value()
               : static_cast<std::uint64_t>(stat.int64_value());
  }
  return 0;
}

void erase_stats(pb::XEvent& event, const Names& names, const std::set<std::string>& keys) {
  auto& stats = *event.mutable_stats();
  const auto end = std::remove_if(stats.begin(), stats.end(), [&](const pb::XStat& stat) {
    const auto name = names.find(stat.metadata_id());
    return name != names.end() && keys.contains(name->second);
  });
  stats.erase(end, stats.end());
}

/// The id under which `plane` knows this text, added if need be.
std::int64_t stat_id(pb::XPlane& plane, const std::string& name) {
  std::int64_t highest = 0;
  for (const auto& entry : plane.stat_metadata()) {
    if (entry.value().name() == name) return entry.key();
    highest = std::max(highest, entry.key());
  }
  auto* entry = plane.add_stat_metadata();
  entry->set_key(highest + 1);
  entry->mutable_value()->set_id(highest + 1);
  entry->mutable_value()->set_name(name);
  return highest + 1;
}

std::int64_t event_id(pb::XPlane& plane, const std::string& name) {
  std::int64_t highest = 0;
  for (const auto& entry : plane.event_metadata()) highest = std::max(highest, entry.key());
  auto* entry = plane.add_event_metadata();
  entry->set_key(highest + 1);
  entry->mutable_value()->set_id(highest + 1);
  entry->mutable_value()->set_name(name);
  return highest + 1;
}

void add_op(pb::XPlane& plane, pb::XEvent& event, const std::string& op) {
  pb::XStat* stat = event.add_stats();
  stat->set_metadata_id(stat_id(plane, "hlo_op"));
  stat->set_ref_value(static_cast<std::uint64_t>(stat_id(plane, op)));
}

void set_correlation(pb::XPlane& plane, pb::XEvent& event, std::uint64_t id) {
  erase_stats(event, stat_names(plane), {"correlation_id"});
  pb::XStat* stat = event.add_stats();
  stat->set_metadata_id(stat_id(plane, "correlation_id"));
  stat->set_uint64_value(id);
}

bool is_stream(const pb::XLine& line) {
  return line.name().starts_with("Stream #");
}

/// Each event of a stream with the given probability.
std::set<const pb::XEvent*> pick(const pb::XPlane& plane, double share, Random& random) {
  std::set<const pb::XEvent*> out;
  for (const pb::XLine& line : plane.lines()) {
    if (!is_stream(line)) continue;
    for (const pb::XEvent& event : line.events()) {
      if (random.chance(share)) out.insert(&event);
    }
  }
  return out;
}

void erase(pb::XPlane& plane, const std::set<const pb::XEvent*>& events) {
  for (pb::XLine& line : *plane.mutable_lines()) {
    for (int i = line.events_size(); i-- > 0;) {
      if (events.contains(&line.events(i))) line.mutable_events()->DeleteSubrange(i, 1);
    }
  }
}

/// A device event that names its instruction.
struct Known {
  pb::XLine* line;
  pb::XEvent* event;
  std::string op;
  std::int64_t start_ps;
};

/// Per device, in order of start.
std::vector<Known> known_events(pb::XPlane& plane) {
  const Names names = stat_names(plane);
  std::vector<Known> out;
  for (pb::XLine& line : *plane.mutable_lines()) {
    if (!is_stream(line)) continue;
    for (pb::XEvent& event : *line.mutable_events()) {
      const std::string op = stat_text(event, names, "hlo_op");
      if (op.empty()) continue;
      out.push_back({&line, &event, op, line.timestamp_ns() * 1000 + event.offset_ps()});
    }
  }
  std::ranges::stable_sort(out, {}, &Known::start_ps);
  return out;
}

/// Gives each execution's events the correlation id of its first one.  An execution begins where
/// the device's first instruction comes back.
void join_executions(pb::XPlane& plane, std::vector<Known>& events,
                     std::map<std::uint64_t, std::uint64_t>& joined) {
  const Names names = stat_names(plane);
  std::uint64_t current = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::uint64_t own = stat_number(*events[i].event, names, "correlation_id");
    if (i == 0 || (events[i].op == events[0].op && events[i - 1].op != events[0].op)) current = own;
    joined[own] = current;
    set_correlation(plane, *events[i].event, current);
    add_op(plane, *events[i].event, "command_buffer_1");
  }
}

/// The host calls of an execution become one graph launch.
void join_calls(pb::XPlane& plane, const std::map<std::uint64_t, std::uint64_t>& joined) {
  const Names names = stat_names(plane);
  const std::int64_t launch = event_id(plane, "hipGraphLaunch");
  for (pb::XLine& line : *plane.mutable_lines()) {
    auto& events = *line.mutable_events();
    const auto end = std::remove_if(events.begin(), events.end(), [&](const pb::XEvent& event) {
      const auto found = joined.find(stat_number(event, names, "correlation_id"));
      return found != joined.end() && found->first != found->second;
    });
    events.erase(end, events.end());
    for (pb::XEvent& event : events) {
      if (!joined.contains(stat_number(event, names, "correlation_id"))) continue;
      event.set_metadata_id(launch);
      const bool annotated = !stat_text(event, names, "hlo_module").empty();
      if (annotated) add_op(plane, event, "command_buffer_1");
    }
  }
}

}  // namespace

std::vector<TruthRow> mask_capture(pb::XSpace& space, const MaskOptions& options) {
  const std::set<std::string> hints = {"hlo_op", "name", "unique_hlo_op_id"};
  Random random(options.seed, "mask");
  std::vector<TruthRow> rows;
  std::map<std::uint64_t, std::uint64_t> joined;
  for (pb::XPlane& plane : *space.mutable_planes()) {
    if (!plane.name().starts_with("/device:GPU:")) continue;
    // Executions are told apart while all events are there.
    const std::set<const pb::XEvent*> dropped = pick(plane, options.drop, random);
    const Names names = event_names(plane);
    std::vector<Known> events = known_events(plane);
    for (const Known& known : events) {
      erase_stats(*known.event, stat_names(plane), hints);
      if (dropped.contains(known.event)) continue;
      const auto name = names.find(known.event->metadata_id());
      rows.push_back({.host = options.host,
                      .device = plane.name(),
                      .line = known.line->name(),
                      .start_ps = known.start_ps,
                      .duration_ps = known.event->duration_ps(),
                      .kernel = name == names.end() ? "" : name->second,
                      .hlo_op = known.op,
                      .in_graph = options.mask == Mask::graph,
                      .within = ""});
    }
    if (options.mask == Mask::graph) join_executions(plane, events, joined);
    erase(plane, dropped);
  }
  for (pb::XPlane& plane : *space.mutable_planes()) {
    if (plane.name() != "/host:CPU") continue;
    const Names names = stat_names(plane);
    for (pb::XLine& line : *plane.mutable_lines()) {
      for (pb::XEvent& event : *line.mutable_events()) {
        if (stat_number(event, names, "correlation_id") != 0) erase_stats(event, names, hints);
      }
    }
    if (options.mask == Mask::graph) join_calls(plane, joined);
  }
  return rows;
}

}  // namespace jaxtrace::synth
