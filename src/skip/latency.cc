// Sums over launch-kernel pairs.  A latency counts from the begin of the call, so it holds the
// call's own time and the queue's; only the first event of a graph launch has one.
#include "skip/latency.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>

#include "analysis/times.h"

namespace jaxtrace {
namespace {

// HolisticTraceAnalysis's defaults.
constexpr Picoseconds kSlowCall = std::chrono::microseconds(50);
constexpr Picoseconds kLateKernel = std::chrono::microseconds(100);

bool is_kernel(WorkClass cls) {
  return cls != WorkClass::memcpy && cls != WorkClass::memset;
}

Picoseconds raw_latency(const Trace& trace, const Works& works, std::size_t event) {
  return trace.events.begin[event] - trace.events.begin[works.launches.call[event]];
}

/// Adds up the events of one lane.
void add_lane(const Scope& scope, std::size_t l, bool kept_only, LatencyStats& stats,
              std::vector<Picoseconds>& unqueued) {
  const Trace& trace = scope.trace;
  const Works& works = scope.works;
  const Lane& lane = trace.lanes[l];
  Picoseconds reached = Picoseconds::min();  // The greatest end so far
  for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
    const Picoseconds before = reached;
    if (works.timed[i]) reached = std::max(reached, end_of(trace, i));
    if (kept_only && !is_kept(scope.steps, i)) continue;
    ++stats.events;
    const Picoseconds duration = works.damaged[i] ? Picoseconds{0} : trace.events.duration[i];
    if (is_kernel(works.cls[i]) && !works.damaged[i]) {
      ++stats.kernels;
      add_time(stats.kernel_time, duration);
    }
    if (works.join[i] != Join::strong) {
      ++stats.unjoined;
      continue;
    }
    if (works.launch_kind[i] == LaunchKind::graph) {
      ++stats.graph_events;
      if (is_kernel(works.cls[i])) add_time(stats.graph_kernel_time, duration);
    }
    add_time(stats.tklqt_naive, std::max(Picoseconds{0}, raw_latency(trace, works, i)));
    if (works.graph_index[i] != 0) continue;
    ++stats.launches;
    if (works.launch_kind[i] == LaunchKind::graph) ++stats.graph_launches;
    const Picoseconds raw = raw_latency(trace, works, i);
    if (raw < Picoseconds{0}) {
      stats.worst_skew = std::min(stats.worst_skew.value_or(raw), raw);
    } else {
      stats.least_latency = std::min(stats.least_latency.value_or(raw), raw);
    }
    const Latency found = latency(trace, works, i);
    stats.clamped += found.skew == Skew::clamped ? 1 : 0;
    stats.dropped += found.skew == Skew::dropped ? 1 : 0;
    if (!found.value) continue;
    ++stats.used;
    add_time(stats.tklqt, *found.value);

    const std::uint32_t call = works.launches.call[i];
    const bool queued = trace.events.begin[call] < before;
    stats.queued += queued ? 1 : 0;
    if (!queued) unqueued.push_back(*found.value);

    const Picoseconds api = trace.events.duration[call];
    if (api > kSlowCall) {
      ++stats.slow_calls;
    } else if (trace.events.duration[i] < api) {
      ++stats.short_kernels;
      add_time(stats.short_kernel_time, duration);
    }
    if (trace.events.begin[i] - end_of(trace, call) > kLateKernel) ++stats.late_kernels;
  }
}

void find_floor(std::vector<Picoseconds>& unqueued, LatencyStats& stats) {
  if (unqueued.empty()) return;
  const auto at = unqueued.begin() + static_cast<std::ptrdiff_t>((unqueued.size() - 1) / 20);
  std::ranges::nth_element(unqueued, at);
  stats.floor = *at;
}

}  // namespace

bool is_kept(const Steps& steps, std::size_t event) {
  if (steps.rule == StepRule::none) return true;
  const std::uint32_t step = steps.step_of[event];
  return step != kNoStep && steps.steps[step].fate == StepFate::kept;
}

Latency latency(const Trace& trace, const Works& works, std::size_t event) {
  if (!has_latency(works, event)) return {};
  const Picoseconds raw = raw_latency(trace, works, event);
  if (raw >= Picoseconds{0}) return {raw, Skew::ok};
  if (raw > -kMostSkew) return {Picoseconds{0}, Skew::clamped};
  return {std::nullopt, Skew::dropped};
}

Spread spread(std::vector<Picoseconds> values) {
  Spread out;
  out.count = values.size();
  if (values.empty()) return out;
  std::ranges::sort(values);
  for (const Picoseconds value : values) add_time(out.total, value);
  out.min = values.front();
  out.max = values.back();
  out.median = values[(values.size() - 1) / 2];
  const auto n = static_cast<double>(values.size());
  const double mean = static_cast<double>(out.total.count()) / n;
  out.mean_ps = mean;
  if (values.size() > 1) {
    double squares = 0;
    for (const Picoseconds value : values) {
      const double off = static_cast<double>(value.count()) - mean;
      squares += off * off;
    }
    out.stddev_ps = std::sqrt(squares / (n - 1));
  }
  return out;
}

LatencyStats latency_stats(const Scope& scope, std::size_t device, bool kept_only) {
  LatencyStats stats;
  std::vector<Picoseconds> unqueued;
  for (const std::size_t l : scope.timelines[device].lanes) {
    add_lane(scope, l, kept_only, stats, unqueued);
  }
  find_floor(unqueued, stats);
  return stats;
}

LatencyStats lane_latency_stats(const Scope& scope, std::size_t lane, bool kept_only) {
  LatencyStats stats;
  std::vector<Picoseconds> unqueued;
  add_lane(scope, lane, kept_only, stats, unqueued);
  find_floor(unqueued, stats);
  return stats;
}

std::optional<QueueLength> queue_length(const Trace& trace, const Works& works, std::size_t l) {
  // A kernel leaves at its begin; a graph's members all enter at its launch.
  struct Change {
    Picoseconds at;
    int by;  // -1 before +1 at the same instant
  };
  std::vector<Change> changes;
  const Lane& lane = trace.lanes[l];
  Picoseconds end = Picoseconds::min();
  for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
    if (works.join[i] != Join::strong) continue;
    const Picoseconds begin = trace.events.begin[i];
    const Picoseconds asked = trace.events.begin[works.launches.call[i]];
    if (asked >= begin) continue;
    changes.push_back({asked, 1});
    changes.push_back({begin, -1});
    end = std::max(end, begin);
  }
  if (changes.empty()) return std::nullopt;
  std::ranges::sort(changes, {}, [](const Change& c) { return std::pair(c.at, c.by); });
  QueueLength out;
  out.window = {changes.front().at, end};
  std::uint64_t length = 0;
  Picoseconds empty{0};
  double area = 0;
  for (std::size_t c = 0; c < changes.size(); ++c) {
    length = changes[c].by > 0 ? length + 1 : length - 1;
    out.most = std::max(out.most, length);
    if (c + 1 == changes.size()) break;
    const Picoseconds held = changes[c + 1].at - changes[c].at;
    area += static_cast<double>(length) * static_cast<double>(held.count());
    if (length == 0) empty += held;
  }
  const auto window = static_cast<double>(out.window.length().count());
  if (window > 0) {
    out.mean = area / window;
    out.empty_share = static_cast<double>(empty.count()) / window;
  }
  return out;
}

std::vector<KernelRow> kernel_rows(const Scope& scope, std::size_t device, bool kept_only) {
  const Trace& trace = scope.trace;
  const Works& works = scope.works;
  struct Samples {
    std::size_t first;
    std::vector<Picoseconds> duration, api, queue, total, latency;
  };
  std::map<std::pair<StringId, StringId>, Samples> groups;
  for (const std::size_t l : scope.timelines[device].lanes) {
    const Lane& lane = trace.lanes[l];
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      if (works.damaged[i] || (kept_only && !is_kept(scope.steps, i))) continue;
      const bool joined = works.join[i] == Join::strong;
      const std::uint32_t call = works.launches.call[i];
      const StringId api = joined ? trace.events.name[call] : StringId::empty;
      Samples& samples = groups.try_emplace({trace.events.name[i], api}).first->second;
      if (samples.duration.empty()) samples.first = i;
      samples.duration.push_back(trace.events.duration[i]);
      if (!has_latency(works, i)) continue;
      samples.api.push_back(trace.events.duration[call]);
      const Picoseconds queue = trace.events.begin[i] - end_of(trace, call);
      // It began before the call returned: there was no queue to wait in.
      if (queue >= Picoseconds{0}) samples.queue.push_back(queue);
      samples.total.push_back(std::max(end_of(trace, call), end_of(trace, i)) -
                              trace.events.begin[call]);
      if (const Latency found = latency(trace, works, i); found.value) {
        samples.latency.push_back(*found.value);
      }
    }
  }
  std::vector<KernelRow> rows;
  for (auto& [key, samples] : groups) {
    rows.push_back({.name = key.first,
                    .api = key.second,
                    .cls = works.cls[samples.first],
                    .kind = works.kind[samples.first],
                    .duration = spread(std::move(samples.duration)),
                    .api_time = spread(std::move(samples.api)),
                    .queue_time = spread(std::move(samples.queue)),
                    .total_time = spread(std::move(samples.total)),
                    .latency = spread(std::move(samples.latency))});
  }
  std::ranges::sort(rows, {}, [&](const KernelRow& row) {
    return std::tuple(-row.duration.total, trace.strings[row.name], trace.strings[row.api]);
  });
  return rows;
}

}  // namespace jaxtrace
