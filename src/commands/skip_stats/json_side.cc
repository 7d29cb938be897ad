// Only its device events and their durations are compared, so nothing else of it is kept.
#include "commands/skip_stats/json_side.h"

#include "analysis/times.h"
#include "jaxtrace/error.h"

namespace jaxtrace {
namespace {

/// What the trace JSON of the same run says of each device, for the check that it agrees.
std::vector<JsonTotals> totals_of(const Trace& json, bool name_hosts) {
  std::vector<JsonTotals> totals;
  for (const Device& device : json.devices) {
    std::string plane(json.strings[device.plane]);
    if (name_hosts) {
      plane = std::string(json.strings[json.hosts[static_cast<std::size_t>(device.host)].name]) +
              ":" + plane;
    }
    totals.push_back({.plane = std::move(plane), .events = 0, .time = Picoseconds{0}});
  }
  for (const Lane& lane : json.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    JsonTotals& of_device = totals[static_cast<std::size_t>(lane.device)];
    of_device.events += lane.count;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      add_time(of_device.time, json.events.duration[i]);
    }
  }
  return totals;
}

}  // namespace

JsonSide read_json_side(const Context& context, const Trace& trace) {
  JsonSide side;
  side.files = trace_jsons(context.capture(), context.read.run);
  try {
    for (const std::filesystem::path& file : side.files) {
      const std::vector<JsonTotals> more = totals_of(read_trace_json(file), trace.hosts.size() > 1);
      if (!side.totals) side.totals.emplace();
      side.totals->insert(side.totals->end(), more.begin(), more.end());
    }
  } catch (const InputError& error) {
    side.totals.reset();
    side.problem = std::string("the JSON cannot be read: ") + error.what();
  }
  return side;
}

}  // namespace jaxtrace
