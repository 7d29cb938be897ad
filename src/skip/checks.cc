// The list of checks, in the order of the report, and what they share.
#include "skip/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "skip/check_parts.h"

namespace jaxtrace {
namespace check {

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// A share in percent that never rounds to all or nothing.
std::string percent(double value) {
  if (value > 0 && value < 0.0005) return "under 0.1 %";
  if (value < 1 && value > 0.9995) return "over 99.9 %";
  return fmt::format("{:.1f} %", 100 * value);
}

std::string plural(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

CheckResult passed(std::string id, std::string expected, std::string found) {
  return {std::move(id), CheckState::pass, std::move(expected), std::move(found), "", {}};
}

CheckResult not_applicable(std::string id, std::string why) {
  return {std::move(id), CheckState::not_applicable, "", std::move(why), "", {}};
}

CheckResult failed(CheckState state, std::string id, std::string expected, std::string found,
                   std::string affects, std::optional<CheckPart> part) {
  return {std::move(id),      state,          std::move(expected), std::move(found),
          std::move(affects), std::move(part)};
}

CheckPart part_of(std::uint64_t count, std::uint64_t whole, std::string of) {
  CheckPart part{static_cast<std::int64_t>(count), std::nullopt, std::move(of)};
  if (whole > 0) part.share = share(count, whole);
  return part;
}

std::string plane_of(const CheckInput& in, std::size_t d) {
  const Device& device = in.trace.devices[static_cast<std::size_t>(in.timelines[d].device)];
  std::string name(in.trace.strings[device.plane]);
  if (in.trace.hosts.size() > 1) {
    name =
        std::string(in.trace.strings[in.trace.hosts[static_cast<std::size_t>(device.host)].name]) +
        ":" + name;
  }
  return name;
}

}  // namespace check

namespace {

LatencyStats sum(const CheckInput& in) {
  LatencyStats all;
  for (const LatencyStats& one : in.all) {
    all.events += one.events;
    all.clamped += one.clamped;
    all.dropped += one.dropped;
    all.used += one.used;
    all.unjoined += one.unjoined;
    if (one.worst_skew)
      all.worst_skew = std::min(all.worst_skew.value_or(*one.worst_skew), *one.worst_skew);
  }
  return all;
}

}  // namespace

std::string_view name_of(CheckState state) {
  constexpr std::string_view kNames[] = {"pass", "n/a", "warn", "FATAL"};
  return kNames[static_cast<std::size_t>(state)];
}

std::vector<CheckResult> run_checks(const CheckInput& in) {
  const LatencyStats all = sum(in);
  using namespace check;
  return {complete(in),           recorded(in),         json_agrees(in),   join(in, all),
          launches_have_work(in), graph_fan_out(in),    timing(in),        step_count(in),
          kernels_per_step(in),   same_work(in),        clock(in, all),    overlap(in),
          classified(in),         devices_of_calls(in), python_tracer(in), command_buffers(in)};
}

}  // namespace jaxtrace
