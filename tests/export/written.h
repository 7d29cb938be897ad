// Captures written back, and what was added taken out again by protobuf's own classes.
#pragma once

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "attribution/attribution.h"
#include "export/write_xplane.h"
#include "jaxtrace/readers.h"
#include "proto/xplane.pb.h"
#include "support/capture.h"
#include "support/program.h"

namespace jaxtrace {

struct WrittenBack {
  Trace trace;
  Attribution attribution;
  XplaneWritten counts;
  std::string bytes;
};

/// Reads, attributes and writes the capture of one host.
inline WrittenBack write_back(const std::string& bytes, std::uint16_t min_confidence = 900) {
  const ScratchDir scratch;
  const std::filesystem::path file = scratch.path() / "host0.xplane.pb";
  write_file(file, bytes);
  WrittenBack result{read_capture(file), {}, {}, {}};
  result.attribution = attribute(result.trace);
  std::ostringstream out;
  result.counts = write_xplane(result.trace, result.attribution, HostId{0}, min_confidence, out);
  result.bytes = std::move(out).str();
  return result;
}

/// Names of a plane's stats by their number, and the other way round.
inline std::map<std::int64_t, std::string> stat_names(const pb::XPlane& plane) {
  std::map<std::int64_t, std::string> names;
  for (const auto& entry : plane.stat_metadata()) names[entry.key()] = entry.value().name();
  return names;
}

/// What a stat says, as text.
inline std::string value_of(const pb::XStat& stat, const pb::XPlane& plane) {
  switch (stat.value_case()) {
    case pb::XStat::kRefValue:
      return stat_names(plane)[static_cast<std::int64_t>(stat.ref_value())];
    case pb::XStat::kStrValue:
      return stat.str_value();
    case pb::XStat::kInt64Value:
      return std::to_string(stat.int64_value());
    case pb::XStat::kUint64Value:
      return std::to_string(stat.uint64_value());
    default:
      return "?";
  }
}

/// The values of an event's stats of one name, in order.
inline std::vector<std::string> values(const pb::XEvent& event, const pb::XPlane& plane,
                                       const std::string& name) {
  std::vector<std::string> result;
  const auto names = stat_names(plane);
  for (const pb::XStat& stat : event.stats()) {
    const auto found = names.find(stat.metadata_id());
    if (found != names.end() && found->second == name) result.push_back(value_of(stat, plane));
  }
  return result;
}

/// Takes what was added out of `space`, the parsed output, given the parsed input.
inline void take_out(pb::XSpace& space, const pb::XSpace& input) {
  for (int p = 0; p < space.planes_size(); ++p) {
    pb::XPlane& plane = *space.mutable_planes(p);
    const auto names = stat_names(plane);
    std::map<std::string, std::int64_t> old;  // Numbers in the input, by name.
    for (const auto& entry : input.planes(p).stat_metadata()) {
      old.emplace(entry.value().name(), entry.key());
    }
    for (pb::XLine& line : *plane.mutable_lines()) {
      for (pb::XEvent& event : *line.mutable_events()) {
        for (int s = 0; s < event.stats_size(); ++s) {
          pb::XStat& stat = *event.mutable_stats(s);
          const auto found = names.find(stat.metadata_id());
          const std::string name = found == names.end() ? "" : found->second;
          if (name == "jaxtrace_graph") stat.set_metadata_id(old.at("hlo_op"));
          if (name == "jaxtrace_graph_name") stat.set_metadata_id(old.at("name"));
          if (name != "jaxtrace_match") continue;
          event.mutable_stats()->DeleteSubrange(s, event.stats_size() - s);
        }
      }
    }
    // New names come after all others.
    plane.mutable_stat_metadata()->DeleteSubrange(
        input.planes(p).stat_metadata_size(),
        plane.stat_metadata_size() - input.planes(p).stat_metadata_size());
  }
}

}  // namespace jaxtrace
