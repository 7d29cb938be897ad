// Every share names its window, which is the steady window of the device it is of.
#include "commands/skip_stats/shown_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "commands/skip_stats/cells.h"
#include "commands/skip_stats/words.h"

namespace jaxtrace {
namespace {

void add_budget_row(Table& table, std::string name, const Budget& budget) {
  const Picoseconds window = budget.window.length();
  table.rows.push_back({std::move(name), time(window), ratio_cell(budget.compute(), window),
                        ratio_cell(budget.exposed_collective(), window),
                        ratio_cell(budget.exposed_copy(), window),
                        ratio_cell(budget.idle, window)});
}

std::string_view meaning(IdlePart part) {
  switch (part) {
    case IdlePart::host_late:
      return "the GPU was free, the host had not asked";
    case IdlePart::launch_path:
      return "asked, on its way to the GPU";
    case IdlePart::graph_internal:
      return "inside one graph launch";
    case IdlePart::queued_short:
      return "asked in time: dispatch gaps";
    case IdlePart::queued_long:
      return "asked in time, yet waited: dependencies, memory, another stream";
    case IdlePart::unknown:
      return "what ended the gap has no launch";
    case IdlePart::tail:
      return "nothing ran afterwards";
  }
  return "";
}

}  // namespace

Table budget_table(const Found& found, bool full) {
  Table table{.id = "budget",
              .caption =
                  "Time budget of the steady window (shares of it, which sum to 1; a stream's "
                  "idle time is not its GPU's):",
              .columns = {{"device"},
                          {"window_ps", Unit::time, "window"},
                          {"compute", Unit::ratio},
                          {"exposed_communication", Unit::ratio, "exposed comm."},
                          {"exposed_copies", Unit::ratio, "exposed copies"},
                          {"idle", Unit::ratio}},
              .rows = {}};
  // The verdict's device first, then those with the greatest share of idle time.
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < found.stats.devices.size(); ++d) {
    if (found.stats.timelines[d].events > 0) order.push_back(d);
  }
  const auto key = [&](std::size_t d) {
    return std::tuple(d != found.stats.verdict.device, -found.stats.devices[d].steady.idle, d);
  };
  std::ranges::sort(order, {}, key);
  const std::size_t rows = full ? order.size() : std::min(order.size(), kFewRows);
  for (std::size_t i = 0; i < rows; ++i) {
    add_budget_row(table, device_name(found, order[i]), found.stats.devices[order[i]].steady);
    for (const StreamStats& stream : found.stats.streams) {
      if (stream.device != order[i]) continue;
      if (!full && order[i] != found.stats.verdict.device) continue;
      if (found.stats.timelines[order[i]].lanes.size() == 1) continue;  // It is the device's.
      if (!full && stream.steady.busy() <= Picoseconds{0}) continue;
      const Lane& lane = found.trace.lanes[stream.lane];
      add_budget_row(table, "· " + std::string(found.trace.strings[lane.name]), stream.steady);
    }
  }
  constexpr std::size_t kMostShort = 9;
  if (!full && table.rows.size() > kMostShort) table.rows.resize(kMostShort);
  if (rows < order.size()) {
    table.caption.insert(table.caption.size() - 2,
                         fmt::format("; {} more GPUs in devices.csv", order.size() - rows));
  }
  return table;
}

Table idle_table(const Found& found) {
  const DeviceStats& device = verdict_stats(found);
  Table table{
      .id = "idle",
      .caption = fmt::format("Why {} was idle for {} of it:",
                             escape_markdown(device_name(found, found.stats.verdict.device)),
                             shown(device.steady.idle)),
      .columns = {{"part"},
                  {"time_ps", Unit::time, "time"},
                  {"share", Unit::ratio, "of the window"},
                  {"meaning"}},
      .rows = {}};
  for (std::size_t p = 0; p < kIdleParts; ++p) {
    const auto part = static_cast<IdlePart>(p);
    const Picoseconds of_part = device.steady_idle.of(part);
    if (of_part <= Picoseconds{0}) continue;
    table.rows.push_back({std::string(name_of(part)), time(of_part),
                          ratio_cell(of_part, device.steady.window.length()),
                          std::string(meaning(part))});
  }
  return table;
}

Table top_causes(const Found& found, bool full) {
  const DeviceStats& device = verdict_stats(found);
  Table table{.id = "top_causes",
              .caption = "Host events that fill host_late (self time; shares of the window):",
              .columns = {{"class"},
                          {"event"},
                          {"thread"},
                          {"self_ps", Unit::time, "self"},
                          {"share", Unit::ratio}},
              .rows = {}};
  std::size_t more = 0;
  for (const Cause& cause : found.stats.causes.causes) {
    if (cause.device != found.stats.verdict.device) continue;
    if (table.rows.size() == (full ? kManyRows : kFewRows)) {
      ++more;
      continue;
    }
    table.rows.push_back({cause.cls == HostClass::none ? Cell{} : text(name_of(cause.cls)),
                          cause.event, lane_name(found, cause.thread), time(cause.self),
                          ratio_cell(cause.self, device.steady.window.length())});
  }
  if (more > 0) {
    table.caption = fmt::format(
        "{}; {} more in causes.csv):", table.caption.substr(0, table.caption.size() - 2), more);
  }
  return table;
}

Table steps_shown(const Found& found) {
  Table table{.id = "steps_shown",
              .caption = "Steps on this GPU:",
              .columns = {{"step"},
                          {"fate"},
                          {"period_ps", Unit::time, "period"},
                          {"il_ps", Unit::time, "IL"},
                          {"idle_ps", Unit::time, "idle"},
                          {"host_ps", Unit::time, "of it host"},
                          {"kernels", Unit::count},
                          {"spread_ps", Unit::time, "end spread"},
                          {"straggler"}},
              .rows = {}};
  const Steps& steps = found.stats.steps;
  const std::size_t d = found.stats.verdict.device;
  for (std::size_t s = 0; s < steps.steps.size() && table.rows.size() < kManyRows; ++s) {
    const Step& step = steps.steps[s];
    const StepParts& parts = verdict_stats(found).steps[s];
    const StepStraggler* const late = straggler_of(found, s);
    const bool aligned = late != nullptr && devices_with_events(found.stats.timelines) > 1;
    const bool window = step.devices[d].window.has_value();
    table.rows.push_back(
        {step.number, std::string(name_of(step.fate)) + (steps.median == s ? " (median)" : ""),
         window ? time(parts.step) : Cell{}, time(verdict_stats(found).latencies[s].il),
         window ? time(parts.step - parts.compute - parts.collective - parts.copy) : Cell{},
         window ? time(parts.idle.host()) : Cell{}, count(step.devices[d].kernels),
         aligned ? time(late->spread) : Cell{},
         aligned && late->device ? text(device_name(found, *late->device)) : Cell{}});
  }
  return table;
}

Table kernels_shown(const Found& found) {
  Table table{.id = "top_kernels",
              .caption = "Kernels of the kept steps on this GPU, by time (share of their sum):",
              .columns = {{"kernel"},
                          {"class"},
                          {"calls", Unit::count},
                          {"total_ps", Unit::time, "total"},
                          {"mean_ps", Unit::time, "mean"},
                          {"latency_ps", Unit::time, "median latency"},
                          {"share", Unit::ratio}},
              .rows = {}};
  constexpr std::size_t kTop = 10;
  Picoseconds all{0};
  for (const KernelRow& row : found.stats.kernels) all += row.duration.total;
  for (const KernelRow& row : found.stats.kernels) {
    if (table.rows.size() == kTop) break;
    table.rows.push_back({text(found.trace.strings[row.name]), text(name_of(row.cls)),
                          count(row.duration.count), time(row.duration.total),
                          whole(row.duration.mean_ps), time(row.latency.median),
                          ratio_cell(row.duration.total, all)});
  }
  return table;
}

}  // namespace jaxtrace
