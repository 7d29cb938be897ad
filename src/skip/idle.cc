// The rule for one gap; see docs/skip-stats.md for the table.
#include "skip/idle.h"

#include <algorithm>

namespace jaxtrace {

std::string_view name_of(IdlePart part) {
  constexpr std::array<std::string_view, kIdleParts> kNames = {
      "host_late", "launch_path", "graph_internal", "queued_short", "queued_long",
      "unknown",   "tail"};
  return kNames[static_cast<std::size_t>(part)];
}

IdleSplit split_gap(const Trace& trace, const Works& works, const Gap& gap, Picoseconds short_gap) {
  IdleSplit split;
  const Picoseconds length = gap.window.length();
  if (gap.next == kNoEvent) {
    split[IdlePart::tail] = length;
    return split;
  }
  if (works.join[gap.next] != Join::strong) {
    split[IdlePart::unknown] = length;
    return split;
  }
  const Picoseconds launched = trace.events.begin[works.launches.call[gap.next]];
  if (launched >= gap.window.begin) {
    const Picoseconds asked = std::min(launched, gap.window.end);
    split[IdlePart::host_late] = asked - gap.window.begin;
    split[IdlePart::launch_path] = gap.window.end - asked;
  } else if (gap.last != kNoEvent &&
             works.launches.call[gap.last] == works.launches.call[gap.next]) {
    split[IdlePart::graph_internal] = length;
  } else {
    split[length <= short_gap ? IdlePart::queued_short : IdlePart::queued_long] = length;
  }
  return split;
}

HtaGap hta_gap(const Trace& trace, const Works& works, std::uint32_t event, Picoseconds last_end) {
  const Picoseconds begin = trace.events.begin[event];
  if (begin <= last_end) return HtaGap::none;
  if (works.join[event] != Join::strong) return HtaGap::unknown;
  if (trace.events.begin[works.launches.call[event]] > last_end) return HtaGap::host_wait;
  return begin - last_end < kHtaDelay ? HtaGap::kernel_wait : HtaGap::other;
}

std::string_view name_of(HtaGap gap) {
  constexpr std::string_view kNames[] = {"", "host_wait", "kernel_wait", "other", "unknown"};
  return kNames[static_cast<std::size_t>(gap)];
}

}  // namespace jaxtrace
