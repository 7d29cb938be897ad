// Tables with a row for each device or stream and window.
#include <algorithm>
#include <initializer_list>

#include "commands/skip_stats/cells.h"

namespace jaxtrace {

void add_budget_columns(std::vector<Column>& columns) {
  for (const char* name : {"window_ps", "compute_ps", "collective_ps", "copy_ps", "idle_ps"}) {
    columns.push_back({name, Unit::time});
  }
}

void add_idle_columns(std::vector<Column>& columns) {
  for (std::size_t p = 0; p < kIdleParts; ++p) {
    columns.push_back({std::string(name_of(static_cast<IdlePart>(p))) + "_ps", Unit::time});
  }
}

void add_budget(std::vector<Cell>& row, const Budget& budget) {
  row.push_back(time(budget.window.length()));
  row.push_back(time(budget.compute()));
  row.push_back(time(budget.exposed_collective()));
  row.push_back(time(budget.exposed_copy()));
  row.push_back(time(budget.idle));
}

void add_idle(std::vector<Cell>& row, const IdleSplit& idle) {
  for (const Picoseconds part : idle.parts) row.push_back(time(part));
}

Table devices_table(const Found& found) {
  Table table{.id = "devices", .caption = "", .columns = {{"device"}, {"window"}}, .rows = {}};
  add_budget_columns(table.columns);
  for (const char* name : {"collective_total_ps", "copy_total_ps"}) {
    table.columns.push_back({name, Unit::time});
  }
  table.columns.push_back({"overlap", Unit::ratio});
  add_idle_columns(table.columns);
  for (const char* name : {"events", "kernels"}) table.columns.push_back({name, Unit::count});
  table.columns.push_back({"kernel_time_ps", Unit::time});
  table.columns.push_back({"tklqt_ps", Unit::time});
  for (const char* name : {"tklqt_used", "tklqt_clamped", "tklqt_dropped", "unjoined", "launches",
                           "graph_launches", "graph_events"}) {
    table.columns.push_back({name, Unit::count});
  }
  table.columns.push_back({"graph_kernel_time_ps", Unit::time});
  table.columns.push_back({"least_latency_ps", Unit::time});
  table.columns.push_back({"latency_floor_ps", Unit::time});
  for (const char* name : {"short_kernels", "slow_calls", "late_kernels"}) {
    table.columns.push_back({name, Unit::count});
  }
  table.columns.push_back({"short_kernel_time_ps", Unit::time});

  for (std::size_t d = 0; d < found.stats.devices.size(); ++d) {
    if (found.stats.timelines[d].events == 0) continue;
    const DeviceStats& device = found.stats.devices[d];
    const auto add = [&](const char* window, const Budget& budget, const IdleSplit& idle,
                         const LatencyStats& latency) {
      std::vector<Cell> row = {device_name(found, d), std::string(window)};
      add_budget(row, budget);
      const Picoseconds collective = budget.all(WorkClass::collective);
      row.push_back(time(collective));
      row.push_back(time(budget.all(WorkClass::memcpy) + budget.all(WorkClass::memset)));
      row.push_back(ratio_cell(collective - budget.exposed_collective(), collective));
      add_idle(row, idle);
      row.push_back(count(latency.events));
      row.push_back(count(latency.kernels));
      row.push_back(time(latency.kernel_time));
      row.push_back(latency.used > 0 ? time(latency.tklqt) : Cell{});
      for (const std::uint64_t value :
           {latency.used, latency.clamped, latency.dropped, latency.unjoined, latency.launches,
            latency.graph_launches, latency.graph_events}) {
        row.push_back(count(value));
      }
      row.push_back(time(latency.graph_kernel_time));
      row.push_back(time(latency.least_latency));
      row.push_back(time(latency.floor));
      for (const std::uint64_t value :
           {latency.short_kernels, latency.slow_calls, latency.late_kernels}) {
        row.push_back(latency.used > 0 ? count(value) : Cell{});
      }
      row.push_back(latency.used > 0 ? time(latency.short_kernel_time) : Cell{});
      table.rows.push_back(std::move(row));
    };
    add("steady", device.steady, device.steady_idle, device.steady_latency);
    add("capture", device.capture, device.capture_idle, device.capture_latency);
  }
  return table;
}

Table streams_table(const Found& found) {
  Table table{
      .id = "streams", .caption = "", .columns = {{"device"}, {"stream"}, {"window"}}, .rows = {}};
  add_budget_columns(table.columns);
  for (const Column& column : std::initializer_list<Column>{{"overlap_ps", Unit::time},
                                                            {"events", Unit::count},
                                                            {"tklqt_ps", Unit::time},
                                                            {"tklqt_used", Unit::count},
                                                            {"queued_fraction", Unit::ratio},
                                                            {"latency_floor_ps", Unit::time},
                                                            {"queue_share", Unit::ratio},
                                                            {"queue_max", Unit::count},
                                                            {"queue_mean", Unit::none},
                                                            {"queue_empty_share", Unit::ratio}}) {
    table.columns.push_back(column);
  }
  for (const StreamStats& stream : found.stats.streams) {
    const auto start = [&](const char* window, const Budget& budget) {
      std::vector<Cell> row = {device_name(found, stream.device),
                               lane_name(found, static_cast<std::uint32_t>(stream.lane)),
                               std::string(window)};
      add_budget(row, budget);
      return row;
    };
    std::vector<Cell> row = start("steady", stream.steady);
    const LatencyStats& latency = stream.latency;
    row.push_back(time(stream.overlap));
    row.push_back(count(latency.events));
    row.push_back(latency.used > 0 ? time(latency.tklqt) : Cell{});
    row.push_back(count(latency.used));
    row.push_back(latency.used == 0 ? Cell{}
                                    : Cell{static_cast<double>(latency.queued) /
                                           static_cast<double>(latency.used)});
    row.push_back(time(latency.floor));
    if (latency.floor && latency.tklqt > Picoseconds{0}) {
      const double floor =
          static_cast<double>(latency.floor->count()) * static_cast<double>(latency.used);
      row.push_back(std::clamp(1 - floor / static_cast<double>(latency.tklqt.count()), 0.0, 1.0));
    } else {
      row.emplace_back();
    }
    if (stream.queue) {
      row.push_back(count(stream.queue->most));
      row.push_back(stream.queue->mean);
      row.push_back(stream.queue->empty_share);
    }
    row.resize(table.columns.size());
    table.rows.push_back(std::move(row));
    table.rows.push_back(start("capture", stream.capture));
    table.rows.back().resize(table.columns.size());
  }
  return table;
}

}  // namespace jaxtrace
