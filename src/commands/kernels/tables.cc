// Rows come ordered from the sums.
#include <algorithm>

#include "analysis/kernel_pattern.h"
#include "commands/kernels/report.h"

namespace jaxtrace {
namespace {

Cell text_cell(const std::string& text) {
  if (text.empty()) return {};
  return text;
}

Cell cell(const std::optional<std::int64_t>& value) {
  if (!value) return {};
  return *value;
}

Cell share(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return {};
  return static_cast<double>(part) / static_cast<double>(whole);
}

/// "256", or "64 to 256" where launches differ.
Cell extent_cell(const std::optional<Extent>& extent) {
  if (!extent) return {};
  if (extent->least == extent->most) return extent->least;
  return std::to_string(extent->least) + " to " + std::to_string(extent->most);
}

}  // namespace

Table kernels_table(const KernelSums& sums) {
  Table table{.id = "kernels",
              .caption = "",
              .columns = {{"rank", Unit::none, "#"},
                          {"kernel", Unit::none},
                          {"calls", Unit::count},
                          {"total_ps", Unit::time, "total"},
                          {"mean_ps", Unit::time, "mean"},
                          {"min_ps", Unit::time, "min"},
                          {"max_ps", Unit::time, "max"},
                          {"share", Unit::ratio, "share"},
                          {"untimed_calls", Unit::count, "without time"},
                          {"vgprs", Unit::none},
                          {"accum_vgprs", Unit::none, "accum"},
                          {"sgprs", Unit::none},
                          {"lds_bytes", Unit::none, "LDS (B)"},
                          {"scratch_bytes", Unit::none, "scratch (B)"},
                          {"workgroup", Unit::none},
                          {"grid", Unit::none},
                          {"include_regex", Unit::none}},
              .rows = {}};
  std::int64_t rank = 0;
  for (const KernelSumRow& row : sums.kernels) {
    const bool timed = row.calls > row.untimed;
    table.rows.push_back(
        {++rank, row.kernel, row.calls, timed ? Cell(row.total_ps) : Cell(), cell(row.mean_ps()),
         cell(row.least_ps), cell(row.most_ps), timed ? share(row.total_ps, sums.total_ps) : Cell(),
         row.untimed > 0 ? Cell(row.untimed) : Cell(), extent_cell(row.vgprs),
         extent_cell(row.accum_vgprs), extent_cell(row.sgprs), extent_cell(row.lds_bytes),
         extent_cell(row.scratch_bytes), extent_cell(row.workgroup), extent_cell(row.grid),
         include_regex(row.kernel)});
  }
  return table;
}

Table devices_table(const KernelSums& sums) {
  Table table{.id = "devices",
              .caption =
                  "Busy: at least one kernel runs. Side by side, kernels' durations add up to "
                  "more.",
              .columns = {{"device", Unit::none},
                          {"process", Unit::none},
                          {"file", Unit::none},
                          {"arch", Unit::none},
                          {"product", Unit::none},
                          {"calls", Unit::count},
                          {"total_ps", Unit::time, "kernels' durations"},
                          {"busy_ps", Unit::time, "busy"},
                          {"span_ps", Unit::time, "first to last"},
                          {"busy_share", Unit::ratio, "busy of that"}},
              .rows = {}};
  for (const DeviceSumRow& row : sums.devices) {
    table.rows.push_back({row.device.name, text_cell(row.device.process), row.file,
                          text_cell(row.device.arch), text_cell(row.device.product), row.calls,
                          row.total_ps, row.busy_ps, row.span_ps, share(row.busy_ps, row.span_ps)});
  }
  return table;
}

Table graphs_table(const KernelSums& sums) {
  Table table{.id = "graphs",
              .caption = "",
              .columns = {{"correlation_id", Unit::none, "launch"},
                          {"kernels", Unit::count},
                          {"total_ps", Unit::time, "kernels' durations"},
                          {"span_ps", Unit::time, "first to last"},
                          {"host_ps", Unit::time, "host call"}},
              .rows = {}};
  for (const GraphSumRow& row : sums.graphs) {
    const bool any = row.kernels > 0;
    table.rows.push_back({row.call.correlation, row.kernels, any ? Cell(row.total_ps) : Cell(),
                          any ? Cell(row.span_ps) : Cell(), row.call.duration_ns * 1000});
  }
  return table;
}

}  // namespace jaxtrace
