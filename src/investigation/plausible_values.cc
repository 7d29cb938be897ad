// Whether what the capture holds can be so.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "analysis/devices.h"
#include "analysis/median.h"
#include "analysis/text.h"
#include "analysis/times.h"
#include "investigation/investigated.h"
#include "investigation/plausible.h"
#include "jaxtrace/report.h"

namespace jaxtrace::check {
namespace {

constexpr std::size_t kNameLength = 60;

std::string time_text(Picoseconds time) {
  return for_people(time.count(), Unit::time);
}

std::string name_text(const Investigated& in, std::size_t event) {
  return beginning(in.trace.strings[in.trace.events.name[event]], kNameLength);
}

double ratio(Picoseconds part, Picoseconds whole) {
  return whole <= Picoseconds{0}
             ? 0.0
             : static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

/// Kernel events whose details text has `key`, and those for which `bad` holds.
struct Said {
  std::uint64_t all = 0, bad = 0;
};
template <typename Test>
Said said_of_kernels(const Investigated& in, std::string_view key, Test is_bad) {
  enum class Is : std::uint8_t { unasked, silent, good, bad };
  std::vector<Is> is(in.trace.details.size(), Is::unasked);
  Said said;
  for (std::size_t i = 0; i < in.trace.device_events; ++i) {
    const auto row = static_cast<std::size_t>(in.trace.events.details[i]);
    if (is[row] == Is::unasked) {
      const Details& details = in.trace.details[row];
      const std::string_view text = in.trace.strings[details.text];
      const bool speaks = details.of == Details::Of::kernel && contains(text, key);
      is[row] = !speaks ? Is::silent : is_bad(details, text) ? Is::bad : Is::good;
    }
    said.all += is[row] == Is::good || is[row] == Is::bad ? 1 : 0;
    said.bad += is[row] == Is::bad ? 1 : 0;
  }
  return said;
}

}  // namespace

CheckResult dominant_event(const Investigated& in) {
  const std::string id = "dominant-event";
  constexpr std::uint64_t kLeast = 10;  // Of two events one always is the longer.
  Picoseconds all{0};
  std::uint64_t events = 0;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < in.trace.device_events; ++i) {
    if (!in.skip.works.timed[i]) continue;
    if (events++ == 0 || in.trace.events.duration[i] > in.trace.events.duration[longest]) {
      longest = i;
    }
    add_time(all, in.trace.events.duration[i]);
  }
  if (events < kLeast) return not_applicable(id, "fewer than 10 events with a length");
  const Picoseconds time = in.trace.events.duration[longest];
  const double part = ratio(time, all);
  const std::string expected = "no single event is over half of all device time";
  if (part <= 0.5) return passed(id, expected, fmt::format("the longest is {}", percent(part)));
  return failed(
      CheckState::warn, id, expected,
      fmt::format("{}, once, for {}: {}", name_text(in, longest), time_text(time), percent(part)),
      "every share of GPU time: it is about this one event", CheckPart{1, part, "GPU time"});
}

CheckResult outlier_events(const Investigated& in) {
  const std::string id = "outliers";
  constexpr std::size_t kLeast = 10;
  constexpr std::int64_t kFactor = 100;
  // One name and one launch configuration: else sizes differ, and so may times.  Collectives wait,
  // and copies say nothing of sizes.
  struct Range {
    Picoseconds least = Picoseconds::max(), most{0};
    std::uint64_t events = 0;
  };
  const auto key = [&](std::size_t i) {
    return (static_cast<std::uint64_t>(in.trace.events.name[i]) << 32U) |
           static_cast<std::uint64_t>(in.trace.events.details[i]);
  };
  const auto counts = [&](std::size_t i) {
    return in.skip.works.timed[i] && in.skip.works.cls[i] == WorkClass::compute;
  };
  std::unordered_map<std::uint64_t, Range> ranges;
  for (std::size_t i = 0; i < in.trace.device_events; ++i) {
    if (!counts(i)) continue;
    Range& range = ranges[key(i)];
    range.least = std::min(range.least, in.trace.events.duration[i]);
    range.most = std::max(range.most, in.trace.events.duration[i]);
    ++range.events;
  }
  std::erase_if(ranges, [&](const auto& entry) {
    const Range& range = entry.second;
    return range.events < kLeast || range.most / kFactor <= range.least;
  });
  std::uint64_t far = 0;
  Picoseconds time{0}, all{0};
  std::size_t worst = 0;
  std::unordered_map<std::uint64_t, std::vector<Picoseconds>> durations;
  for (std::size_t i = 0; i < in.trace.device_events; ++i) {
    if (in.skip.works.timed[i]) add_time(all, in.trace.events.duration[i]);
    if (counts(i) && ranges.contains(key(i)))
      durations[key(i)].push_back(in.trace.events.duration[i]);
  }
  std::unordered_map<std::uint64_t, Picoseconds> medians;
  for (auto& [which, values] : durations) medians[which] = lower_median(std::move(values));
  for (std::size_t i = 0; !medians.empty() && i < in.trace.device_events; ++i) {
    if (!counts(i)) continue;
    const auto median = medians.find(key(i));
    const Picoseconds duration = in.trace.events.duration[i];
    if (median == medians.end() || duration / kFactor <= median->second) continue;
    if (far++ == 0 || duration > in.trace.events.duration[worst]) worst = i;
    add_time(time, duration);
  }
  const std::string expected = "no launch takes over 100 times the median of its kernel";
  if (far == 0) return passed(id, expected, "none does");
  return failed(
      CheckState::warn, id, expected,
      fmt::format("{}, such as {} with {} (median {})", plural(far, "launch does", "launches do"),
                  name_text(in, worst), time_text(in.trace.events.duration[worst]),
                  time_text(medians.at(key(worst)))),
      "sums and means that hold them: a preempted GPU, or times that are wrong",
      CheckPart{static_cast<std::int64_t>(far), ratio(time, all), "GPU time"});
}

CheckResult collective_skew(const Investigated& in) {
  const std::string id = "collective-skew";
  Picoseconds wait{0}, transfer{0};
  for (const Picoseconds time : in.skip.stragglers.wait) add_time(wait, time);
  for (const Picoseconds time : in.skip.stragglers.transfer) add_time(transfer, time);
  std::uint64_t collectives = 0;
  for (const StepStraggler& step : in.skip.stragglers.steps) collectives += step.collectives;
  if (collectives == 0)
    return not_applicable(id, "no collective that GPUs of one host took part in");
  Picoseconds both = wait;
  add_time(both, transfer);
  const double part = ratio(wait, both);
  const std::string expected = "collectives transfer for longer than they wait for the last GPU";
  const std::string found =
      fmt::format("{} waiting, {} transfer, in {}", time_text(wait), time_text(transfer),
                  plural(collectives, "collective", "collectives"));
  if (part <= 0.5) return passed(id, expected, found);
  return failed(CheckState::warn, id, expected, found,
                "durations of collectives as a measure of the network: most of them is waiting",
                CheckPart{static_cast<std::int64_t>(collectives), part, "time in collectives"});
}

CheckResult streams(const Investigated& in) {
  const std::string id = "streams";
  std::size_t most = 0;
  bool amd = false;
  for (const DeviceTimeline& timeline : in.skip.timelines) {
    const Device& device = in.trace.devices[static_cast<std::size_t>(timeline.device)];
    if (!is_amd(in.trace, device)) continue;
    amd = true;
    most = std::max(most, timeline.lanes.size());
  }
  if (!amd) return not_applicable(id, "no AMD GPU");
  const std::string expected = "a stream of the file is a stream of the program";
  if (most < 2) return passed(id, expected, "one a GPU");
  return failed(CheckState::warn, id, expected,
                fmt::format("ROCm files have hardware queues, here {} on one GPU", most),
                "which streams ran side by side, and the order between them",
                CheckPart{static_cast<std::int64_t>(most), std::nullopt, ""});
}

CheckResult host_clocks(const Investigated& in) {
  const std::string id = "host-clocks";
  const std::size_t hosts = in.trace.hosts.size();
  if (hosts < 2) return not_applicable(id, "one host");
  const auto dated = std::ranges::count_if(
      in.trace.hosts, [](const Host& host) { return host.profile_start_ns.has_value(); });
  return failed(CheckState::warn, id, "all hosts have one clock",
                fmt::format("{} hosts, {} of which say when they began", hosts, dated),
                "the order of events on different hosts, and who is late among them",
                CheckPart{static_cast<std::int64_t>(hosts), std::nullopt, ""});
}

CheckResult registers(const Investigated& in) {
  const std::string id = "registers";
  const Said said = said_of_kernels(in, "regs:", [](const Details& details, std::string_view) {
    return !details.registers.has_value();
  });
  if (said.all == 0) return not_applicable(id, "the file has no register counts");
  const std::string expected = "kernels have as many registers as a GPU can give";
  if (said.bad == 0) return passed(id, expected, plural(said.all, "kernel", "kernels"));
  return failed(
      CheckState::warn, id, expected,
      fmt::format("{} of {} register counts are impossible: the tracer wrote memory that it had "
                  "not filled",
                  said.bad, said.all),
      "registers and shared memory of kernels in this file, in any tool",
      part_of(said.bad, said.all, "kernels with register counts"));
}

CheckResult occupancy(const Investigated& in) {
  const std::string id = "occupancy";
  const Said said = said_of_kernels(in, "occ_pct:", [](const Details&, std::string_view text) {
    const std::size_t at = text.find("occ_pct:0");
    if (at == std::string_view::npos) return false;
    const std::size_t after = at + std::string_view("occ_pct:0").size();
    return after == text.size() || text[after] == ' ';
  });
  if (said.all == 0) return not_applicable(id, "the file has no occupancy");
  const std::string expected = "kernels that ran have an occupancy";
  if (said.bad == 0) return passed(id, expected, plural(said.all, "kernel", "kernels"));
  return failed(
      CheckState::warn, id, expected,
      fmt::format("{} of {} kernels say 0 %: the tracer does not fill it in", said.bad, said.all),
      "occupancy as this file gives it, in any tool",
      part_of(said.bad, said.all, "kernels with an occupancy"));
}

}  // namespace jaxtrace::check
