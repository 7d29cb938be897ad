// Records that do not overlap were not one collective, whatever they are called: some are missing.
#include "skip/aligned.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "analysis/times.h"

namespace jaxtrace {
namespace {

/// Which collective: the instruction, or where the tracer did not say, the kernel's name.
struct CollectiveKey {
  HostId host;
  std::uint32_t step;
  std::string_view module, op;
  std::uint64_t occurrence;
  auto operator<=>(const CollectiveKey&) const = default;
};

using Parts = std::vector<std::pair<std::size_t, std::uint32_t>>;

std::map<CollectiveKey, Parts> parts_by_key(const Trace& trace, const Works& works,
                                            const std::vector<DeviceTimeline>& timelines,
                                            const Steps& steps) {
  std::map<CollectiveKey, Parts> by_key;
  for (std::size_t d = 0; d < timelines.size(); ++d) {
    const HostId host = trace.devices[static_cast<std::size_t>(timelines[d].device)].host;
    std::map<std::tuple<std::uint32_t, std::string_view, std::string_view>, std::uint64_t> seen;
    for (const std::uint32_t event : timelines[d].order) {
      if (works.cls[event] != WorkClass::collective || works.kind[event] == WorkKind::copy)
        continue;
      const std::uint32_t step = steps.step_of[event];
      if (step == kNoStep) continue;
      const Annotation& said =
          trace.annotations[static_cast<std::size_t>(trace.events.annotation[event])];
      const std::string_view module = trace.strings[said.hlo_module];
      const std::string_view op = trace.strings[said.hlo_op].empty()
                                      ? trace.strings[trace.events.name[event]]
                                      : trace.strings[said.hlo_op];
      const std::uint64_t occurrence = seen[{step, module, op}]++;
      by_key[{host, step, module, op, occurrence}].emplace_back(d, event);
    }
  }
  return by_key;
}

}  // namespace

AlignedCollectives align_collectives(const Trace& trace, const Works& works,
                                     const std::vector<DeviceTimeline>& timelines,
                                     const Steps& steps) {
  AlignedCollectives out;
  out.row_of.assign(trace.device_events, kNoEvent);
  for (auto& [key, parts] : parts_by_key(trace, works, timelines, steps)) {
    if (parts.size() < 2) continue;
    AlignedCollective row{.step = key.step,
                          .parts = {},
                          .arrival = Picoseconds::min(),
                          .arrival_before = Picoseconds::min(),
                          .release = Picoseconds::max()};
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const std::uint32_t event = parts[p].second;
      if (const Picoseconds begin = trace.events.begin[event]; begin > row.arrival) {
        row.arrival_before = row.arrival;
        row.arrival = begin;
        row.last = p;
      } else {
        row.arrival_before = std::max(row.arrival_before, begin);
      }
      row.release = std::min(row.release, end_of(trace, event));
    }
    if (row.release <= row.arrival) continue;
    for (const auto& [device, event] : parts) {
      add_time(row.waited, row.arrival - trace.events.begin[event]);
      out.row_of[event] = static_cast<std::uint32_t>(out.all.size());
    }
    row.parts = std::move(parts);
    out.all.push_back(std::move(row));
  }
  return out;
}

}  // namespace jaxtrace
