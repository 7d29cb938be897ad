// Times in picoseconds, sizes in bytes, rates in units a second; an empty cell is not known.
#include "commands/investigate/tables.h"

#include <array>
#include <cmath>

#include "commands/attribute/shown_tables.h"
#include "commands/skip_stats/cells.h"
#include "hlo/op_name.h"

namespace jaxtrace {
namespace {

Cell integer(const std::optional<std::int64_t>& value) {
  if (!value) return {};
  return *value;
}

std::string_view meaning(PathKind kind) {
  switch (kind) {
    case PathKind::compute:
      return "kernels at work";
    case PathKind::transfer:
      return "collectives from their last arrival on";
    case PathKind::collective:
      return "collectives, waiting and transfer undivided";
    case PathKind::copy:
      return "copies and fills";
    case PathKind::host_late:
      return "the GPU was free, the host had not asked";
    case PathKind::launch_path:
      return "asked, on its way to the GPU";
    case PathKind::graph_internal:
      return "inside one graph launch";
    case PathKind::queued_short:
      return "asked in time: dispatch gaps";
    case PathKind::queued_long:
      return "asked in time, yet waited";
    case PathKind::unknown:
      return "before work whose launch is not known";
  }
  return "";
}

/// Instruction, program and line of a row of Ops.
void add_op(std::vector<Cell>& row, const Investigation& all, std::uint32_t op) {
  const Op& at = all.ops.rows[op];
  row.emplace_back(at.name);
  row.push_back(text(program_text(measured(all), at.program)));
  row.push_back(text(short_location(at.source.user)));
}

/// Columns of add_op().
std::vector<Column> op_columns() {
  return {{"instruction"}, {"program"}, {"line"}};
}

}  // namespace

std::string gpu_name(const Investigation& all, std::size_t device) {
  return device_name(found(all), device);
}

Table integrity_table(const Investigation& all) {
  Table table{.id = "checks",
              .caption = "",
              .columns = {{"id", Unit::none, "check"},
                          {"state"},
                          {"expected"},
                          {"found"},
                          {"affects", Unit::none, "not to be trusted"}},
              .rows = {}};
  for (const CheckResult& check : all.checks) {
    table.rows.push_back({check.id, std::string(name_of(check.state)), text(check.expected),
                          text(check.found), text(check.affects)});
  }
  return table;
}

Table path_table(const Investigation& all) {
  Table table{.id = "critical_path",
              .caption = "",
              .columns = {{"part"},
                          {"time_ps", Unit::time, "time"},
                          {"share", Unit::ratio, "of the path"},
                          {"meaning"}},
              .rows = {}};
  if (!all.path) return table;
  for (std::size_t i = 0; i < kPathKinds; ++i) {
    const auto kind = static_cast<PathKind>(i);
    if (all.path->of(kind) <= Picoseconds{0}) continue;
    table.rows.push_back({std::string(name_of(kind)), time(all.path->of(kind)),
                          ratio_cell(all.path->of(kind), all.path->window.length()),
                          std::string(meaning(kind))});
  }
  return table;
}

Table phases_table(const Investigation& all) {
  constexpr std::size_t kPhases = 4;
  std::array<Cost, kPhases + 1> costs;
  const std::vector<Cost> by_op = cost_by_op(measured(all));
  for (std::size_t i = 0; i < all.ops.rows.size(); ++i) {
    costs[static_cast<std::size_t>(all.ops.rows[i].source.phase)].add(by_op[i]);
  }
  costs[kPhases].add(by_op.back());
  Table table{.id = "phases",
              .caption = "",
              .columns = {{"phase"},
                          {"kernels", Unit::count},
                          {"total_ps", Unit::time, "time"},
                          {"share", Unit::ratio}},
              .rows = {}};
  for (std::size_t i = 0; i <= kPhases; ++i) {
    if (costs[i].kernels == 0) continue;
    table.rows.push_back({i == kPhases ? std::string("(no instruction)")
                                       : std::string(hlo::text(static_cast<hlo::Phase>(i))),
                          costs[i].kernels, costs[i].total_ps,
                          share(costs[i].total_ps, all.sums.all.total_ps)});
  }
  return table;
}

Table collectives_table(const Investigation& all) {
  Table table{.id = "collectives", .caption = "", .columns = {}, .rows = {}};
  table.columns = op_columns();
  for (const Column& column :
       {Column{"kind"}, Column{"kernels", Unit::count}, Column{"instances", Unit::count},
        Column{"participants", Unit::count, "GPUs"}, Column{"bytes", Unit::bytes},
        Column{"total_ps", Unit::time, "time"}, Column{"transfer_ps", Unit::time, "transfer"},
        Column{"algorithm_bandwidth", Unit::bytes_per_second, "algorithm"},
        Column{"bus_bandwidth", Unit::bytes_per_second, "bus"},
        Column{"rate_over", Unit::none, "rate over"}}) {
    table.columns.push_back(column);
  }
  for (const CollectiveRow& row : all.collectives) {
    std::vector<Cell> cells;
    add_op(cells, all, row.op);
    cells.insert(cells.end(),
                 {std::string(hlo::text(row.kind)), row.kernels, row.instances,
                  integer(row.participants), integer(row.bytes), time(row.total),
                  time(row.transfer), number(row.algorithm_bandwidth), number(row.bus_bandwidth),
                  row.algorithm_bandwidth
                      ? Cell(std::string(row.waiting_included ? "waiting too" : "transfer"))
                      : Cell()});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table roofline_table(const Investigation& all) {
  Table table{.id = "roofline", .caption = "", .columns = {}, .rows = {}};
  table.columns = op_columns();
  for (const Column& column :
       {Column{"kernels", Unit::count}, Column{"instances", Unit::count},
        Column{"instances_by", Unit::none, "counted by"}, Column{"total_ps", Unit::time, "time"},
        Column{"share", Unit::ratio}, Column{"precision"}, Column{"figures"},
        Column{"flops", Unit::count, "FLOPs"}, Column{"transcendentals", Unit::count},
        Column{"bytes", Unit::bytes}, Column{"flops_per_s", Unit::flops_per_second, "rate"},
        Column{"bytes_per_s", Unit::bytes_per_second, "traffic"},
        Column{"intensity", Unit::none, "FLOPs a byte"}, Column{"bound"},
        Column{"compute_share", Unit::ratio, "of peak rate"},
        Column{"memory_share", Unit::ratio, "of peak traffic"}, Column{"left_out"}}) {
    table.columns.push_back(column);
  }
  for (const RooflineRow& row : all.roofline.rows) {
    std::vector<Cell> cells;
    add_op(cells, all, row.op);
    std::string precision(hlo::text(row.cost.precision));
    if (row.cost.precision_open) precision += "?";
    cells.insert(
        cells.end(),
        {row.kernels, row.instances, std::string(text(row.by)), time(row.total),
         share(row.total.count(), all.roofline.all.count()),
         row.cost.precision == hlo::Precision::none ? Cell() : Cell(precision),
         std::string(row.left_out        ? "unknown"
                     : row.cost.estimate ? "assumed"
                                         : "from HLO"),
         integer(row.flops), integer(row.cost.transcendentals), integer(row.bytes),
         number(row.flops_per_s), number(row.bytes_per_s), number(row.intensity),
         row.bound ? Cell(std::string(text(*row.bound))) : Cell(), number(row.compute_share),
         number(row.memory_share), row.left_out ? Cell(std::string(text(*row.left_out))) : Cell()});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table not_rooflined_table(const Investigation& all) {
  Table table{.id = "not_rooflined",
              .caption = "",
              .columns = {{"reason"},
                          {"total_ps", Unit::time, "time"},
                          {"share", Unit::ratio, "of GPU time"}},
              .rows = {}};
  for (std::size_t i = 0; i < kNotRooflined; ++i) {
    const Picoseconds left_out = all.roofline.left_out[i];
    if (left_out <= Picoseconds{0}) continue;
    table.rows.push_back({std::string(text(static_cast<NotRooflined>(i))), time(left_out),
                          share(left_out.count(), all.roofline.all.count())});
  }
  return table;
}

Table changes_table(const Investigation& all) {
  Table table{.id = "changes",
              .caption = "",
              .columns = {{"id"},
                          {"cause"},
                          {"part_of", Unit::none, "part of"},
                          {"path_ps", Unit::time, "on the path"},
                          {"path_share", Unit::ratio, "of the path"},
                          {"step_ps", Unit::time, "step without it"},
                          {"speedup", Unit::none, "times as fast"},
                          {"because"},
                          {"assumption"},
                          {"knob"},
                          {"confirm"},
                          {"kind"}},
              .rows = {}};
  for (const auto* list : {&all.changes.causes, &all.changes.joint}) {
    for (const Proposal& change : *list) {
      Cell speedup;
      if (change.step && change.step->count() > 0) {
        speedup = static_cast<double>(all.changes.step.count()) /
                  static_cast<double>(change.step->count());
      }
      table.rows.push_back({change.id, change.cause, text(change.part_of), time(change.path),
                            number(change.path_share), time(change.step), speedup,
                            text(change.because), text(change.assumption), text(change.knob),
                            text(change.confirm),
                            std::string(change.joint  ? "joint"
                                        : change.step ? "estimate, not run"
                                                      : "no estimate")});
    }
  }
  return table;
}

Table distrust_table(const Investigation& all) {
  Table table{.id = "cannot_trust",
              .caption = "",
              .columns = {{"code"},
                          {"gravity"},
                          {"affects", Unit::none, "cannot be trusted"},
                          {"count", Unit::count},
                          {"share", Unit::ratio},
                          {"share_of", Unit::none, "of"},
                          {"reason", Unit::none, "because"},
                          {"remedy"}},
              .rows = {}};
  for (const Distrust& row : all.distrusts) {
    table.rows.push_back({row.code, std::string(name_of(row.gravity)), text(row.affects),
                          integer(row.count), number(row.share), text(row.share_of),
                          text(row.reason), text(row.remedy)});
  }
  return table;
}

Table new_captures_table(const Investigation& all) {
  Table table{.id = "new_captures",
              .caption = "",
              .columns = {{"question"}, {"capture"}, {"command"}},
              .rows = {}};
  for (const NewCapture& row : all.new_captures) {
    table.rows.push_back({row.question, row.capture, row.command});
  }
  return table;
}

}  // namespace jaxtrace
