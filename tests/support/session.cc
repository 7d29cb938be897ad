#include "support/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "support/random.h"

namespace jaxtrace::synth {

void open_lines(Recording& rec, int devices) {
  const std::int64_t count = devices;
  for (std::int64_t d = 0; d < count; ++d) {
    rec.devices.push_back(
        {.ordinal = static_cast<int>(d),
         .lines = {{.id = 16 + d, .name = "", .events = {}},
                   {.id = 16 + std::max<std::int64_t>(24, count) + d, .name = "", .events = {}}},
         .derived = {}});
    rec.host_lines.push_back(
        {.id = -7346000 - d, .name = fmt::format("py_xla_execute/{}", -7346000 - d), .events = {}});
  }
  rec.host_lines.push_back({.id = 17, .name = "python", .events = {}});
  if (rec.style != Style::rocm) return;
  for (std::int64_t d = 0; d < count; ++d) {
    rec.host_lines.push_back(
        {.id = 5000 + d, .name = fmt::format("Host Threads/{}", 5000 + d), .events = {}});
  }
}

void number_calls(Recording& rec, std::uint32_t calls, std::uint64_t seed) {
  std::vector<std::tuple<std::int64_t, std::size_t, std::uint32_t>> order;
  for (std::size_t line = 0; line < rec.host_lines.size(); ++line) {
    for (const HostEvent& event : rec.host_lines[line].events) {
      if (event.call != 0) order.emplace_back(event.start_ps, line, event.call);
    }
  }
  std::ranges::sort(order);
  std::vector<std::uint64_t> ids(calls + 1, 0);
  Random gaps(seed, "correlation");
  std::uint64_t id = 4000;
  for (const auto& [start, line, call] : order) {
    id += 1 + (gaps.chance(0.3) ? gaps.below(3) : 0);
    ids[call] = id;
  }
  for (HostLine& line : rec.host_lines) {
    for (HostEvent& event : line.events) event.correlation = ids[event.call];
  }
  for (Device& device : rec.devices) {
    for (DeviceLine& line : device.lines) {
      for (DeviceEvent& event : line.events) event.correlation = ids[event.call];
    }
  }
}

}  // namespace jaxtrace::synth
