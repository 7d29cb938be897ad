// Tables with a row for each check, step, cause, kernel, chain and estimate.
#include "commands/skip_stats/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "commands/skip_stats/cells.h"

namespace jaxtrace {
namespace {

void add_spread_columns(std::vector<Column>& columns, const std::string& what) {
  columns.push_back({what + "_count", Unit::count});
  for (const char* of : {"total", "mean", "median", "min", "max", "stddev"}) {
    columns.push_back({what + "_" + of + "_ps", Unit::time});
  }
}

void add_spread(std::vector<Cell>& row, const Spread& spread) {
  row.push_back(count(spread.count));
  row.push_back(spread.count == 0 ? Cell{} : time(spread.total));
  row.push_back(whole(spread.mean_ps));
  row.push_back(time(spread.median));
  row.push_back(time(spread.min));
  row.push_back(time(spread.max));
  row.push_back(whole(spread.stddev_ps));
}

}  // namespace

Found found(const Trace& trace, const SkipStats& stats) {
  Found out{trace, stats};
  bool any = false;
  for (std::size_t i = 0; i < trace.device_events; ++i) {
    if (stats.works.damaged[i] || (any && trace.events.begin[i] >= out.origin)) continue;
    out.origin = trace.events.begin[i];
    any = true;
  }
  return out;
}

std::string device_name(const Found& found, std::size_t device) {
  const Device& row =
      found.trace.devices[static_cast<std::size_t>(found.stats.timelines[device].device)];
  std::string name = fmt::format("GPU:{}", row.ordinal);
  if (found.trace.hosts.size() > 1) {
    name = fmt::format(
        "{} {}", found.trace.strings[found.trace.hosts[static_cast<std::size_t>(row.host)].name],
        name);
  }
  return name;
}

Cell ratio_cell(Picoseconds part, Picoseconds whole) {
  if (whole <= Picoseconds{0}) return {};
  return static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

Table checks_table(const Found& found) {
  Table table{.id = "checks",
              .caption = "",
              .columns = {{"id"}, {"state"}, {"expected"}, {"found"}, {"affects"}},
              .rows = {}};
  for (const CheckResult& check : found.stats.checks) {
    table.rows.push_back({check.id, std::string(name_of(check.state)), text(check.expected),
                          text(check.found), text(check.affects)});
  }
  return table;
}

/// Stragglers are by step, of the kept ones.
const StepStraggler* straggler_of(const Found& found, std::size_t step) {
  const std::vector<StepStraggler>& rows = found.stats.stragglers.steps;
  const auto at = std::ranges::lower_bound(rows, step, {}, &StepStraggler::step);
  return at == rows.end() || at->step != step ? nullptr : &*at;
}

Table steps_table(const Found& found, std::size_t begin, std::size_t end) {
  Table table{.id = "steps",
              .caption = "",
              .columns = {{"step"},
                          {"fate"},
                          {"median"},
                          {"device"},
                          {"host_begin_ps", Unit::time},
                          {"begin_ps", Unit::time},
                          {"end_ps", Unit::time},
                          {"period_ps", Unit::time},
                          {"il_ps", Unit::time},
                          {"gpu_idle_paper_ps", Unit::time},
                          {"gpu_idle_union_ps", Unit::time},
                          {"cpu_idle_ps", Unit::time},
                          {"host_active_ps", Unit::time},
                          {"events", Unit::count},
                          {"kernels", Unit::count},
                          {"launches", Unit::count},
                          {"end_spread_ps", Unit::time},
                          {"straggler"},
                          {"straggler_caused_ps", Unit::time},
                          {"straggler_lead_ps", Unit::time}},
              .rows = {}};
  add_budget_columns(table.columns);
  add_idle_columns(table.columns);
  for (std::size_t c = 0; c < kHostClasses; ++c) {
    table.columns.push_back(
        {fmt::format("host_late_{}_ps", name_of(static_cast<HostClass>(c))), Unit::time});
  }
  const Steps& steps = found.stats.steps;
  for (std::size_t s = begin; s < std::min(end, steps.steps.size()); ++s) {
    const Step& step = steps.steps[s];
    const StepStraggler* const straggler = straggler_of(found, s);
    for (std::size_t d = 0; d < found.stats.timelines.size(); ++d) {
      const DeviceStep& device = step.devices[d];
      if (device.events == 0) continue;
      const StepLatency& latency = found.stats.devices[d].latencies[s];
      const StepParts& parts = found.stats.devices[d].steps[s];
      const auto instant = [&](const std::optional<Picoseconds>& at) {
        return at ? time(*at - found.origin) : Cell{};
      };
      std::vector<Cell> row = {steps.rule == StepRule::none ? Cell{} : Cell{step.number},
                               std::string(name_of(step.fate)),
                               steps.median == s ? text("yes") : Cell{},
                               device_name(found, d),
                               step.host ? time(step.host->begin - found.origin) : Cell{},
                               instant(device.first),
                               instant(device.last_end),
                               device.window ? time(device.window->length()) : Cell{},
                               time(latency.il),
                               time(latency.idle_paper),
                               time(latency.idle_union),
                               time(latency.cpu_idle),
                               time(parts.host_active),
                               count(device.events),
                               count(device.kernels),
                               count(device.launches)};
      if (straggler && found.stats.timelines.size() > 1) {
        row.push_back(time(straggler->spread));
        row.push_back(straggler->device ? text(device_name(found, *straggler->device)) : Cell{});
        row.push_back(straggler->device ? time(straggler->caused) : Cell{});
        row.push_back(straggler->device ? time(straggler->lead) : Cell{});
      } else {
        row.resize(row.size() + 4);
      }
      if (device.window) {
        for (const Picoseconds part :
             {parts.step, parts.compute, parts.collective, parts.copy,
              parts.step - parts.compute - parts.collective - parts.copy}) {
          row.push_back(time(part));
        }
        add_idle(row, parts.idle);
        for (const Picoseconds part : parts.host) row.push_back(time(part));
      }
      row.resize(table.columns.size());
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table causes_table(const Found& found) {
  Table table{.id = "causes",
              .caption = "",
              .columns = {{"device"},
                          {"class"},
                          {"event"},
                          {"thread"},
                          {"self_ps", Unit::time, "self"},
                          {"total_ps", Unit::time, "total"},
                          {"share_of_host_late", Unit::ratio},
                          {"share_of_window", Unit::ratio},
                          {"gaps", Unit::count}},
              .rows = {}};
  for (const Cause& cause : found.stats.causes.causes) {
    const DeviceStats& device = found.stats.devices[cause.device];
    table.rows.push_back(
        {device_name(found, cause.device),
         cause.cls == HostClass::none ? Cell{} : text(name_of(cause.cls)), cause.event,
         lane_name(found, cause.thread), time(cause.self), time(cause.total),
         ratio_cell(cause.self, device.steady_idle.of(IdlePart::host_late)),
         ratio_cell(cause.self, device.steady.window.length()), count(cause.gaps)});
  }
  return table;
}

Table kernels_table(const Found& found) {
  Table table{.id = "kernels",
              .caption = "",
              .columns = {{"kernel"}, {"launch"}, {"class"}, {"subclass"}, {"share", Unit::ratio}},
              .rows = {}};
  for (const char* what : {"duration", "api", "queue", "total", "latency"}) {
    add_spread_columns(table.columns, what);
  }
  Picoseconds all{0};
  for (const KernelRow& row : found.stats.kernels) all += row.duration.total;
  for (const KernelRow& kernel : found.stats.kernels) {
    std::vector<Cell> row = {text(found.trace.strings[kernel.name]),
                             text(found.trace.strings[kernel.api]), text(name_of(kernel.cls)),
                             text(name_of(kernel.kind)), ratio_cell(kernel.duration.total, all)};
    for (const Spread& spread :
         {kernel.duration, kernel.api_time, kernel.queue_time, kernel.total_time, kernel.latency}) {
      add_spread(row, spread);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table chains_table(const Found& found) {
  Table table{.id = "chains",
              .caption = "",
              .columns = {{"kernels"},
                          {"length", Unit::count},
                          {"count", Unit::count},
                          {"first_count", Unit::count},
                          {"proximity_score", Unit::ratio},
                          {"fusable"},
                          {"chosen", Unit::count},
                          {"kernel_time_ps", Unit::time},
                          {"gaps_ps", Unit::time}},
              .rows = {}};
  for (const Chain& chain : found.stats.chains.chains) {
    std::string names;
    for (const StringId kernel : chain.kernels) {
      names += names.empty() ? "" : " > ";
      names += found.trace.strings[kernel];
    }
    table.rows.push_back({std::move(names), count(chain.kernels.size()), count(chain.count),
                          count(chain.first_count), chain.score(),
                          text(chain.fusable ? "yes" : "no"), count(chain.chosen), time(chain.time),
                          time(chain.gaps)});
  }
  return table;
}

Table what_ifs_table(const Found& found) {
  Table table{.id = "what_ifs",
              .caption = "",
              .columns = {{"id"},
                          {"without"},
                          {"step_ps", Unit::time, "step"},
                          {"speedup", Unit::none},
                          {"worth"},
                          {"assumption"},
                          {"knob"},
                          {"confirm"}},
              .rows = {}};
  const Steps& steps = found.stats.steps;
  if (!steps.median) return table;
  const Picoseconds step =
      found.stats.devices[found.stats.verdict.device].steps[*steps.median].step;
  for (const WhatIf& row : found.stats.what_ifs) {
    table.rows.push_back({row.id, row.without, time(row.step), ratio_cell(step, row.step),
                          text(row.worth ? "yes" : "no"), text(row.assumption), text(row.knob),
                          text(row.confirm)});
  }
  return table;
}

}  // namespace jaxtrace
