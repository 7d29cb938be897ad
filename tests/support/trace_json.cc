#include "support/trace_json.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "support/random.h"

namespace jaxtrace {
namespace {

// Of IsInternalStat and IsInternalEvent in xplane_schema.cc.
constexpr std::array<std::string_view, 8> kInternalStats = {
    "program_id", "_p", "_c", "_pt", "_ct", "_r", "flops", "symbol_id"};
constexpr std::array<std::string_view, 2> kInternalEvents = {"MemoryAllocation",
                                                             "MemoryDeallocation"};

template <typename List>
bool holds(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool is_exported(const pb::XPlane& plane) {
  return plane.name() == "/host:CPU" || plane.name().starts_with("/device:GPU:");
}

std::uint32_t process_of(const pb::XPlane& plane) {
  constexpr std::string_view kGpu = "/device:GPU:";
  if (!plane.name().starts_with(kGpu)) return 701;
  return static_cast<std::uint32_t>(std::stoul(plane.name().substr(kGpu.size()))) + 1;
}

std::uint32_t thread_of(const pb::XLine& line) {
  return static_cast<std::uint32_t>(line.display_id() != 0 ? line.display_id() : line.id());
}

/// A text as JSON.  jsoncpp escapes all that is not ASCII; nlohmann does so if asked.
std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

/// The metadata of a plane, by id.
struct Names {
  std::map<std::int64_t, std::string> stats;
  std::map<std::int64_t, const pb::XEventMetadata*> events;

  explicit Names(const pb::XPlane& plane) {
    for (const auto& entry : plane.stat_metadata()) stats[entry.key()] = entry.value().name();
    for (const auto& entry : plane.event_metadata()) events[entry.key()] = &entry.value();
  }
  std::string stat(std::int64_t id) const {
    const auto found = stats.find(id);
    return found == stats.end() ? "" : found->second;
  }
  const pb::XEventMetadata* event(std::int64_t id) const {
    const auto found = events.find(id);
    return found == events.end() ? nullptr : found->second;
  }
  std::string value(const pb::XStat& stat) const {
    switch (stat.value_case()) {
      case pb::XStat::kDoubleValue:
        return fmt::format("{}", stat.double_value());
      case pb::XStat::kUint64Value:
        return std::to_string(stat.uint64_value());
      case pb::XStat::kInt64Value:
        return std::to_string(stat.int64_value());
      case pb::XStat::kStrValue:
        return stat.str_value();
      case pb::XStat::kRefValue:
        return this->stat(static_cast<std::int64_t>(stat.ref_value()));
      default:
        return "";
    }
  }
};

using Args = std::map<std::string, std::string>;  // Sorted, as the writer's.

template <typename Stats>
void add_stats(const Stats& stats, const Names& names, Args& args) {
  for (const pb::XStat& stat : stats) {
    const std::string name = names.stat(stat.metadata_id());
    if (!holds(kInternalStats, name)) args[name] = names.value(stat);
  }
}

void write_event(const pb::XPlane& plane, const Names& names, const pb::XLine& line,
                 const pb::XEvent& event, std::string& out) {
  const pb::XEventMetadata* const metadata = names.event(event.metadata_id());
  if (metadata == nullptr || holds(kInternalEvents, metadata->name())) return;
  Args args;
  std::string name = metadata->name();
  if (!metadata->display_name().empty()) {
    args["long_name"] = name;
    name = metadata->display_name();
  }
  add_stats(metadata->stats(), names, args);
  add_stats(event.stats(), names, args);
  const double begin =
      static_cast<double>(line.timestamp_ns() * 1000 + event.offset_ps()) / 1'000'000.0;
  const double duration =
      static_cast<double>(std::max<std::int64_t>(event.duration_ps(), 1)) / 1'000'000.0;
  out += fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{:.17g},"dur":{:.17g},"name":{})",
                     process_of(plane), thread_of(line), begin, duration, json_text(name));
  std::string separator = R"(,"args":{)";
  for (const auto& [key, value] : args) {
    out += separator + json_text(key) + ":" + json_text(value);
    separator = ",";
  }
  out += args.empty() ? "},\n" : "}},\n";
}

void write_names(const pb::XPlane& plane, std::string& out) {
  const std::uint32_t process = process_of(plane);
  out += fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}},)",
                     process, json_text(plane.name()));
  out += fmt::format(R"({{"ph":"M","pid":{0},"name":"process_sort_index",)"
                     R"("args":{{"sort_index":{0}}}}},)",
                     process);
  std::map<std::uint32_t, std::string> threads;
  for (const pb::XLine& line : plane.lines()) threads.try_emplace(thread_of(line), line.name());
  for (const auto& [thread, name] : threads) {
    out +=
        fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}},)",
                    process, thread, json_text(name));
    out += '\n';
  }
}

bool is_lost(const Names& names, const pb::XEvent& event) {
  const pb::XEventMetadata* const metadata = names.event(event.metadata_id());
  return metadata == nullptr || holds(kInternalEvents, metadata->name());
}

void drop_lost_stats(const Names& names, google::protobuf::RepeatedPtrField<pb::XStat>& stats) {
  stats.erase(std::remove_if(stats.begin(), stats.end(),
                             [&](const pb::XStat& stat) {
                               return holds(kInternalStats, names.stat(stat.metadata_id()));
                             }),
              stats.end());
}

}  // namespace

std::string trace_json_of(const pb::XSpace& space) {
  std::vector<const pb::XPlane*> planes;
  for (const pb::XPlane& plane : space.planes()) {
    if (is_exported(plane)) planes.push_back(&plane);
  }
  std::sort(planes.begin(), planes.end(), [](const pb::XPlane* a, const pb::XPlane* b) {
    return process_of(*a) < process_of(*b);
  });
  std::string out = R"({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[)";
  for (const pb::XPlane* plane : planes) write_names(*plane, out);
  for (const pb::XPlane* plane : planes) {
    const Names names(*plane);
    for (const pb::XLine& line : plane->lines()) {
      for (const pb::XEvent& event : line.events()) write_event(*plane, names, line, event, out);
    }
  }
  return out + "{}]}";
}

pb::XSpace without_lost(pb::XSpace space) {
  space.clear_errors();
  space.clear_warnings();
  auto& planes = *space.mutable_planes();
  planes.erase(std::remove_if(planes.begin(), planes.end(),
                              [](const pb::XPlane& plane) { return !is_exported(plane); }),
               planes.end());
  for (pb::XPlane& plane : planes) {
    plane.clear_stats();
    const pb::XPlane before = plane;
    const Names names(before);
    for (pb::XLine& line : *plane.mutable_lines()) {
      line.set_id(thread_of(line));
      auto& events = *line.mutable_events();
      events.erase(std::remove_if(events.begin(), events.end(),
                                  [&](const pb::XEvent& event) { return is_lost(names, event); }),
                   events.end());
      for (pb::XEvent& event : events) drop_lost_stats(names, *event.mutable_stats());
    }
    for (auto& entry : *plane.mutable_event_metadata()) {
      drop_lost_stats(names, *entry.mutable_value()->mutable_stats());
    }
  }
  return space;
}

std::string shuffled_events(const std::string& trace_json, std::uint32_t seed) {
  nlohmann::json trace = nlohmann::json::parse(trace_json);
  auto& events = trace["traceEvents"];
  const auto is_event = [](const nlohmann::json& event) { return event.value("ph", "") == "X"; };
  std::stable_partition(events.begin(), events.end(), std::not_fn(is_event));
  const auto first = std::find_if(events.begin(), events.end(), is_event);
  synth::Random random(seed, "events");
  for (std::int64_t i = events.end() - first - 1; i > 0; --i) {
    std::swap(first[i], first[random.between(0, i)]);
  }
  return trace.dump();
}

std::string gzipped(std::string_view text) {
  z_stream stream{};
  if (::deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib");
  }
  std::string out(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

}  // namespace jaxtrace
