// Whether times can be, and what is said of kinds and of the profiler.
#include "skip/check_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "analysis/times.h"

namespace jaxtrace::check {
namespace {

std::string micros(Picoseconds time) {
  return fmt::format("{:.1f} µs", static_cast<double>(time.count()) / 1e6);
}

}  // namespace

CheckResult clock(const CheckInput& in, const LatencyStats& all) {
  const std::string id = "clock";
  const std::string expected = "no work begins before its launch";
  if (all.used + all.dropped == 0) return not_applicable(id, "no launches to compare with");
  const std::uint64_t early = all.clamped + all.dropped;
  std::vector<Picoseconds> floors;
  for (const LatencyStats& one : in.all) {
    if (one.least_latency) floors.push_back(*one.least_latency);
  }
  std::string found = floors.empty()
                          ? std::string("none")
                          : fmt::format("least latency {}", micros(std::ranges::min(floors)));
  if (early > 0) {
    found = fmt::format("work of {} of {} launches begins before them, by {} at most", early,
                        all.used + all.dropped, micros(-*all.worst_skew));
    return failed(CheckState::warn, id, expected, found,
                  all.dropped > 0 || share(early, all.used + all.dropped) > 0.01
                      ? "every number made of launches: the clocks differ"
                      : "TKLQT, a little: those latencies are taken for 0",
                  part_of(early, all.used + all.dropped, "launches"));
  }
  constexpr Picoseconds kMostApart = std::chrono::microseconds(20);
  if (floors.size() > 1 && std::ranges::max(floors) - std::ranges::min(floors) > kMostApart) {
    return failed(CheckState::warn, id, expected,
                  fmt::format("least latencies of {} to {} on different GPUs",
                              micros(std::ranges::min(floors)), micros(std::ranges::max(floors))),
                  "latencies of single GPUs: their clocks may differ");
  }
  return passed(id, expected, found);
}

CheckResult overlap(const CheckInput& in) {
  const std::string id = "overlap";
  const std::string expected = "events of one stream overlap for at most 1 % of its time";
  double worst = 0;
  std::string where;
  for (const DeviceTimeline& timeline : in.timelines) {
    for (const std::size_t l : timeline.lanes) {
      Picoseconds busy{0}, twice{0}, reached = Picoseconds::min();
      for (const std::uint32_t event : lane_order(in.trace, in.works, l)) {
        const Picoseconds begin = in.trace.events.begin[event];
        const Picoseconds end = begin + in.trace.events.duration[event];
        if (begin < reached) add_time(twice, std::min(reached, end) - begin);
        busy += std::max(Picoseconds{0}, end - std::max(begin, reached));
        reached = std::max(reached, end);
      }
      if (busy <= Picoseconds{0}) continue;
      const double part = static_cast<double>(twice.count()) / static_cast<double>(busy.count());
      if (part > worst) {
        worst = part;
        where = std::string(in.trace.strings[in.trace.lanes[l].name]);
      }
    }
  }
  if (worst <= 0.01) return passed(id, expected, worst > 0 ? percent(worst) : "none");
  return failed(CheckState::warn, id, expected, fmt::format("{} on {}", percent(worst), where),
                "the order within it: it is a hardware queue, or its times are approximate",
                CheckPart{std::nullopt, worst, "the stream's time"});
}

CheckResult classified(const CheckInput& in) {
  const std::string id = "classified";
  const std::string expected = "at most 2 % of device time is of no known kind";
  Picoseconds all{0}, other{0};
  std::int64_t events = 0;
  std::map<std::string_view, Picoseconds> names;
  for (std::size_t i = 0; i < in.trace.device_events; ++i) {
    if (!in.works.timed[i]) continue;
    add_time(all, in.trace.events.duration[i]);
    if (in.works.cls[i] != WorkClass::other) continue;
    ++events;
    add_time(other, in.trace.events.duration[i]);
    add_time(names[in.trace.strings[in.trace.events.name[i]]], in.trace.events.duration[i]);
  }
  if (all <= Picoseconds{0}) return not_applicable(id, "no device time");
  const double part = static_cast<double>(other.count()) / static_cast<double>(all.count());
  if (part <= 0.02) return passed(id, expected, percent(part));
  const auto most = std::ranges::max_element(names, {}, [](const auto& n) { return n.second; });
  return failed(CheckState::warn, id, expected,
                fmt::format("{}, most of it {}", percent(part), most->first),
                "what was compute, and what was not: it counts as compute",
                CheckPart{events, part, "GPU time"});
}

CheckResult devices_of_calls(const CheckInput& in) {
  const std::string id = "device-of-call";
  const auto count = static_cast<std::uint64_t>(std::ranges::count(in.works.join, Join::ambiguous));
  const std::string expected = "no launch has work on a GPU other than its own";
  if (count == 0) return passed(id, expected, "none");
  return failed(CheckState::warn, id, expected, plural(count, "device event", "device events"),
                "which launch they are of: they are taken to have none",
                part_of(count, in.trace.device_events, "device events"));
}

CheckResult python_tracer(const CheckInput& in) {
  const std::string id = "python-tracer";
  const std::string expected = "the Python tracer was off";
  if (!in.causes.python_tracer) return passed(id, expected, "it was");
  return failed(CheckState::warn, id, expected, "it was on",
                "the host's times, which it makes longer; record with python_tracer_level=0");
}

CheckResult command_buffers(const CheckInput& in) {
  const std::string id = "command-buffers";
  for (std::size_t i = in.trace.device_events; i < in.trace.events.size(); ++i) {
    const std::string_view name = in.trace.strings[in.trace.events.name[i]];
    if (name.find("CommandBuffer disabled when profiling") == std::string_view::npos) continue;
    return failed(CheckState::warn, id, "command buffers work as without the profiler",
                  "XLA switched them off while profiling",
                  "the launch overhead, which is larger than in production");
  }
  return not_applicable(id, "XLA does not say that it switched them off");
}

}  // namespace jaxtrace::check
