// waits.csv, loops.csv, occupancy.csv and plan.csv: what was found out beyond cycles.
#include <fmt/format.h>

#include "commands/hotspot/tables.h"

namespace jaxtrace {
namespace {

std::string yes_no(bool value) {
  return value ? "yes" : "no";
}

void add_wait(Table& table, const HotspotDispatch& dispatch, const WaitDependency& dependency) {
  const auto& rows = dispatch.trace.instructions;
  const Instruction& wait = rows[dependency.wait];
  std::vector<Cell> row = {dispatch.label, wait.line, wait.text,
                           std::string(name_of(dependency.counter)), dependency.left};
  if (dependency.operation == kNoOperation) {
    row.resize(row.size() + 2);
  } else {
    row.emplace_back(rows[dependency.operation].line);
    row.emplace_back(rows[dependency.operation].text);
  }
  row.insert(row.end(), {dependency.times, dependency.distance_cycles,
                         optional_cell(dependency.exposed_cycles), dependency.matrix_cycles,
                         dependency.matrix_between, yes_no(dependency.carried),
                         std::string(dispatch.waits.dynamic ? "waves" : "order")});
  table.rows.push_back(std::move(row));
}

void add_loop(Table& table, const HotspotDispatch& dispatch, const Loop& loop,
              const Cycles& cycles) {
  const auto& rows = dispatch.trace.instructions;
  Cell trips;
  if (loop.entries && *loop.entries > 0) {
    trips = static_cast<double>(loop.iterations) / static_cast<double>(*loop.entries);
  }
  const Cell parent = loop.parent == kNoLoop
                          ? Cell()
                          : Cell(hex(rows[dispatch.loops.loops[loop.parent].head].address));
  table.rows.push_back({dispatch.label, hex(rows[loop.head].address), hex(rows[loop.last].address),
                        rows[loop.head].line, rows[loop.last].line,
                        text_cell(rows[loop.head].source), loop.depth, parent, loop.iterations,
                        optional_cell(loop.entries), trips, cycles.latency, cycles.stall,
                        optional_cell(ratio(cycles.stall, dispatch.totals.all.stall))});
}

void add_variant(Table& table, const HotspotDispatch& dispatch,
                 const OccupancyReport::Variant& variant) {
  const OccupancyReport& report = dispatch.occupancy;
  const std::vector<Cell> begin = {dispatch.label, std::string(name_of(variant.model.arch)),
                                   text_cell(report.arch.evidence)};
  Cell peak;
  if (report.measured) peak = report.measured->peak_of_simd;
  for (const Limit& limit : variant.model.limits) {
    std::vector<Cell> row = begin;
    row.insert(row.end(),
               {std::string(name_of(limit.resource)), limit.allocated, limit.available,
                limit.workgroups, yes_no(limit.binding), optional_cell(limit.next_most),
                variant.model.workgroups, variant.model.waves,
                static_cast<double>(variant.model.waves) / static_cast<double>(kSimdsOfCu), peak,
                text_cell(limit.resource == Resource::vgprs ? variant.registers.vgpr_source : "")});
    table.rows.push_back(std::move(row));
  }
}

}  // namespace

std::vector<Cycles> cycles_of_loops(const HotspotDispatch& dispatch) {
  const Loops& loops = dispatch.loops;
  std::vector<Cycles> result(loops.loops.size());
  for (std::size_t row = 0; row < loops.of.size(); ++row) {
    for (std::uint32_t in = loops.of[row]; in != kNoLoop; in = loops.loops[in].parent) {
      result[in].add(cycles_of(dispatch.trace.instructions[row]));
    }
  }
  return result;
}

Table waits_csv(Dispatches dispatches) {
  Table table{.id = "waits",
              .caption = "",
              .columns = {{"dispatch"},
                          {"wait_line_number"},
                          {"wait"},
                          {"counter"},
                          {"left"},
                          {"operation_line_number"},
                          {"operation"},
                          {"times", Unit::count},
                          {"distance_cycles", Unit::cycles},
                          {"exposed_cycles", Unit::cycles},
                          {"matrix_cycles", Unit::cycles},
                          {"matrix_between", Unit::count},
                          {"carried"},
                          {"from"}},
              .rows = {}};
  for (const auto& dispatch : dispatches) {
    for (const WaitDependency& dependency : dispatch->waits.dependencies) {
      add_wait(table, *dispatch, dependency);
    }
  }
  return table;
}

Table loops_csv(Dispatches dispatches) {
  Table table{.id = "loops",
              .caption = "",
              .columns = {{"dispatch"},
                          {"head_address"},
                          {"branch_address"},
                          {"head_line_number"},
                          {"branch_line_number"},
                          {"source"},
                          {"depth"},
                          {"inside_loop_at"},
                          {"iterations", Unit::count},
                          {"entries", Unit::count},
                          {"trips"},
                          {"latency_cycles", Unit::cycles},
                          {"stall_cycles", Unit::cycles},
                          {"stall_share", Unit::ratio}},
              .rows = {}};
  for (const auto& dispatch : dispatches) {
    const std::vector<Cycles> cycles = cycles_of_loops(*dispatch);
    for (std::size_t i = 0; i < cycles.size(); ++i) {
      add_loop(table, *dispatch, dispatch->loops.loops[i], cycles[i]);
    }
  }
  return table;
}

Table occupancy_csv(Dispatches dispatches) {
  Table table{.id = "occupancy",
              .caption = "",
              .columns = {{"dispatch"},
                          {"arch"},
                          {"arch_from"},
                          {"resource"},
                          {"allocated"},
                          {"available"},
                          {"workgroups_allowed", Unit::count},
                          {"binding"},
                          {"most_for_one_more"},
                          {"workgroups_per_cu", Unit::count},
                          {"waves_per_cu", Unit::count},
                          {"waves_per_simd"},
                          {"measured_peak_per_simd", Unit::count},
                          {"count_from"}},
              .rows = {}};
  for (const auto& dispatch : dispatches) {
    for (const auto& variant : dispatch->occupancy.variants) add_variant(table, *dispatch, variant);
  }
  return table;
}

Table plan_csv(Dispatches dispatches) {
  Table table{.id = "plan",
              .caption = "",
              .columns = {{"dispatch"},
                          {"rank"},
                          {"priority"},
                          {"pattern"},
                          {"source"},
                          {"first_line_number"},
                          {"last_line_number"},
                          {"class"},
                          {"stall_cycles", Unit::cycles},
                          {"share_of_stall", Unit::ratio},
                          {"gain_cycles", Unit::cycles},
                          {"gain_share", Unit::ratio},
                          {"effort"},
                          {"cause"},
                          {"fix"},
                          {"evidence"},
                          {"assumption"}},
              .rows = {}};
  for (const auto& dispatch : dispatches) {
    const Plan& plan = dispatch->plan;
    std::int64_t rank = 0;
    for (const PlanItem& item : plan.items) {
      const auto line = [&](std::uint32_t row) {
        return Cell(dispatch->trace.instructions[row].line);
      };
      table.rows.push_back(
          {dispatch->label, ++rank, std::string(name_of(item.priority)), item.pattern,
           text_cell(item.source), item.rows.empty() ? Cell() : line(item.rows.front()),
           item.rows.empty() ? Cell() : line(item.rows.back()), text_cell(item.stall_class),
           item.stall_cycles, optional_cell(ratio(item.stall_cycles, plan.stall_cycles)),
           optional_cell(item.gain_cycles),
           item.gain_cycles ? optional_cell(ratio(*item.gain_cycles, plan.wave_cycles)) : Cell(),
           item.effort, item.cause, item.fix, item.evidence, item.assumption});
    }
  }
  return table;
}

}  // namespace jaxtrace
