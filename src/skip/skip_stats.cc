// The order of the analyses, and the sums that must come out.
#include "skip/skip_stats.h"

#include <stdexcept>

namespace jaxtrace {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(std::string("parts do not sum to their whole: ") + what);
}

void require_sums(const Budget& budget, const IdleSplit* idle) {
  Picoseconds all = budget.idle;
  for (const Picoseconds part : budget.exclusive) all += part;
  require(all == budget.window.length(), "a window's classes and idle time");
  if (idle == nullptr) return;
  Picoseconds parts{0};
  for (const Picoseconds part : idle->parts) parts += part;
  require(parts == budget.idle, "idle time");
}

void require_sums(const SkipStats& stats) {
  for (const DeviceStats& device : stats.devices) {
    require_sums(device.steady, &device.steady_idle);
    require_sums(device.capture, &device.capture_idle);
    Picoseconds late{0};
    for (const Picoseconds part : device.host_late) late += part;
    require(late == device.steady_idle.of(IdlePart::host_late), "the host's lateness");
  }
  for (const StreamStats& stream : stats.streams) {
    require_sums(stream.steady, nullptr);
    require_sums(stream.capture, nullptr);
  }
}

}  // namespace

SkipStats skip_stats(const Trace& trace, const SkipOptions& options) {
  SkipStats out;
  out.short_gap = options.short_gap;
  out.works = find_works(trace);
  out.timelines = device_timelines(trace, out.works);
  out.steps = find_steps(trace, out.works, out.timelines, options.steps);

  const Scope scope{trace, out.works, out.timelines, out.steps};
  HostNames names(trace);
  Blamer blamer(trace, out.works, names);
  out.causes = find_causes(scope, blamer, names, options.short_gap);
  std::vector<LatencyStats> all;
  for (std::size_t d = 0; d < out.timelines.size(); ++d) {
    out.devices.push_back(device_stats(scope, out.causes, blamer, d, options.short_gap));
    all.push_back(out.devices.back().capture_latency);
  }
  out.streams = stream_stats(scope);
  out.stragglers = find_stragglers(trace, out.works, out.timelines, out.steps);
  out.checks = run_checks({trace, out.works, out.timelines, out.steps, out.causes, all,
                           options.json, options.json_problem});
  require_sums(out);

  const Evidence evidence{scope, out.causes, out.devices, out.streams, out.stragglers, out.checks};
  out.verdict = judge(evidence, options.thresholds);
  if (out.devices.empty()) return out;
  const std::size_t device = out.verdict.device;
  out.chains = find_chains(scope, device);
  out.kernels = kernel_rows(scope, device, true);
  out.dispatch = dispatch_time(scope, blamer, names, device, out.devices[device].steady.busy());
  if (out.steps.median && out.verdict.why_inconclusive.empty()) {
    StepParts parts = out.devices[device].steps[*out.steps.median];
    parts.fusable = out.chains.host_gaps[*out.steps.median];
    for (const StepStraggler& row : out.stragglers.steps) {
      if (row.step == *out.steps.median && row.device == device) parts.collective_wait = row.lead;
    }
    out.what_ifs = what_ifs(parts);
  }
  return out;
}

}  // namespace jaxtrace
