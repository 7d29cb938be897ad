// Over collectives the waiting is summed by the GPU that it is for; without any, ends are compared.
#include "skip/straggler.h"

#include <algorithm>
#include <map>

#include "analysis/times.h"
#include "skip/aligned.h"

namespace jaxtrace {
namespace {

HostId host_of(const Trace& trace, const DeviceTimeline& timeline) {
  return trace.devices[static_cast<std::size_t>(timeline.device)].host;
}

/// Who ends last, and by how much more than the median.
void find_spread(const Step& step, StepStraggler& out, std::optional<std::size_t>& last) {
  std::vector<std::pair<Picoseconds, std::size_t>> ends;
  for (std::size_t d = 0; d < step.devices.size(); ++d) {
    if (step.devices[d].last_end) ends.emplace_back(*step.devices[d].last_end, d);
  }
  if (ends.size() < 2) return;
  std::ranges::sort(ends);
  out.spread = ends.back().first - ends[(ends.size() - 1) / 2].first;
  last = ends.back().second;
}

/// By how much a time of `device` is later than the latest of its host's other GPUs; at least 0.
Picoseconds behind(const Trace& trace, const std::vector<DeviceTimeline>& timelines,
                   const Step& step, std::size_t device,
                   std::optional<Picoseconds> DeviceStep::*time) {
  std::optional<Picoseconds> others;
  for (std::size_t d = 0; d < timelines.size(); ++d) {
    if (d == device || host_of(trace, timelines[d]) != host_of(trace, timelines[device])) continue;
    if (step.devices[d].*time > others) others = step.devices[d].*time;
  }
  const std::optional<Picoseconds> own = step.devices[device].*time;
  return own && others && *own > *others ? *own - *others : Picoseconds{0};
}

/// What a GPU is late by at the end of a step, after its last collective, and does not carry into
/// the next one, where a collective would show it: the host waits for it there.
Picoseconds lead_at_end(const Trace& trace, const std::vector<DeviceTimeline>& timelines,
                        const Steps& steps, std::size_t step, std::size_t device) {
  if (step + 1 >= steps.steps.size()) return Picoseconds{0};
  const Picoseconds end =
      behind(trace, timelines, steps.steps[step], device, &DeviceStep::last_end);
  const Picoseconds carried =
      behind(trace, timelines, steps.steps[step + 1], device, &DeviceStep::first);
  return std::max(end - carried, Picoseconds{0});
}

}  // namespace

Stragglers find_stragglers(const Trace& trace, const Works& works,
                           const std::vector<DeviceTimeline>& timelines, const Steps& steps) {
  Stragglers out;
  out.wait.resize(timelines.size());
  out.transfer.resize(timelines.size());
  std::vector<std::vector<Picoseconds>> caused(
      steps.steps.size(), std::vector<Picoseconds>(timelines.size(), Picoseconds{0}));
  std::vector<std::vector<Picoseconds>> lead = caused;
  std::vector<std::uint64_t> collectives(steps.steps.size(), 0);

  for (const AlignedCollective& row : align_collectives(trace, works, timelines, steps).all) {
    const std::size_t latest = row.parts[row.last].first;
    ++collectives[row.step];
    lead[row.step][latest] += row.arrival - row.arrival_before;
    caused[row.step][latest] += row.waited;
    if (steps.steps[row.step].fate != StepFate::kept) continue;
    for (const auto& [device, event] : row.parts) {
      out.wait[device] += row.arrival - trace.events.begin[event];
      out.transfer[device] += end_of(trace, event) - row.arrival;
    }
  }

  std::map<std::size_t, std::size_t> times;
  for (std::size_t s = 0; s < steps.steps.size(); ++s) {
    const Step& step = steps.steps[s];
    if (step.fate != StepFate::kept) continue;
    StepStraggler row{.step = s, .device = {}, .collectives = collectives[s]};
    std::optional<std::size_t> last;
    find_spread(step, row, last);
    if (row.collectives > 0) {
      const auto end_on = [&](std::size_t d) {
        return step.devices[d].last_end.value_or(Picoseconds::min());
      };
      std::size_t most = 0;
      for (std::size_t d = 1; d < timelines.size(); ++d) {
        if (std::pair(caused[s][d], end_on(d)) > std::pair(caused[s][most], end_on(most))) most = d;
      }
      row.caused = caused[s][most];
      row.lead = lead[s][most] + lead_at_end(trace, timelines, steps, s, most);
      // Below 2 % of the step nobody is late.
      if (row.caused > Picoseconds{0} && step.period && row.caused * 50 >= *step.period) {
        row.device = most;
      }
    } else if (last && step.period && row.spread * 50 >= *step.period) {
      row.device = last;
    }
    if (row.device) ++times[*row.device];
    out.steps.push_back(row);
  }
  for (const auto& [device, count] : times) {
    const double share = static_cast<double>(count) / static_cast<double>(out.steps.size());
    if (share > out.persistence) {
      out.persistence = share;
      out.device = device;
    }
  }
  return out;
}

}  // namespace jaxtrace
