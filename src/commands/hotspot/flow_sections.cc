// Waits with what they wait for, and loops: the few that matter; waits.csv and loops.csv have all.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands/hotspot/sections.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kMost = 5;

/// Cycles for each time, to the nearest.
Cell each(std::optional<std::int64_t> cycles, std::int64_t times) {
  if (!cycles || times <= 0) return {};
  return static_cast<std::int64_t>(
      std::llround(static_cast<double>(*cycles) / static_cast<double>(times)));
}

/// Iterations for each entry: mostly a whole number.
Cell trips(const Loop& loop) {
  const std::int64_t entries = loop.entries.value_or(0);
  if (entries <= 0) return {};
  if (loop.iterations % entries == 0) return loop.iterations / entries;
  return static_cast<double>(loop.iterations) / static_cast<double>(entries);
}

std::string numbered(const Instruction& instruction) {
  return fmt::format("{}: {}", instruction.line, instruction.text);
}

}  // namespace

void add_waits(Report& report, const HotspotDispatch& dispatch) {
  const auto& rows = dispatch.trace.instructions;
  // What could not be told apart ranks by the stall of its wait.
  const auto weight = [&](const WaitDependency* dependency) {
    const Instruction& wait = rows[dependency->wait];
    const std::int64_t hits = std::max<std::int64_t>(1, wait.hits);
    return dependency->exposed_cycles.value_or(wait.stall_cycles / hits * dependency->times);
  };
  std::vector<const WaitDependency*> order;
  for (const WaitDependency& dependency : dispatch.waits.dependencies) {
    if (dependency.operation != kNoOperation && dependency.times > 0 && weight(&dependency) > 0) {
      order.push_back(&dependency);
    }
  }
  if (order.empty()) return;
  std::ranges::stable_sort(order, std::greater{}, weight);
  order.resize(std::min(order.size(), kMost));
  Table table{.id = "waits",
              .caption = "What the waits wait for, cycles each time",
              .columns = {{"wait"},
                          {"operation", Unit::none, "for"},
                          {"times", Unit::count},
                          {"distance_each", Unit::cycles, "issued before"},
                          {"exposed_each", Unit::cycles, "then stalls"},
                          {"matrix_between_each", Unit::cycles, "matrix cycles between"}},
              .rows = {}};
  if (dispatch.waits.dynamic) {
    table.caption += fmt::format(", in {}", counted(dispatch.waits.waves, "wave"));
  } else {
    table.caption += ", by the order of instructions";
  }
  for (const WaitDependency* dependency : order) {
    table.rows.push_back({numbered(rows[dependency->wait]), numbered(rows[dependency->operation]),
                          dependency->times, each(dependency->distance_cycles, dependency->times),
                          each(dependency->exposed_cycles, dependency->times),
                          each(dependency->matrix_cycles, dependency->times)});
  }
  report.blocks.emplace_back(std::move(table));
}

void add_loops(Report& report, const HotspotDispatch& dispatch) {
  const auto& rows = dispatch.trace.instructions;
  const std::vector<Loop>& loops = dispatch.loops.loops;
  const std::vector<Cycles> cycles = cycles_of_loops(dispatch);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (loops[i].iterations > 0 && cycles[i].stall > 0) order.push_back(i);
  }
  if (order.empty()) return;
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return cycles[i].stall; });
  order.resize(std::min(order.size(), kMost));
  Table table{.id = "loops",
              .caption = "Loops, with those inside them",
              .columns = {{"head_line_number", Unit::none, "from no."},
                          {"branch_line_number", Unit::none, "to no."},
                          {"head_address", Unit::none, "address"},
                          {"iterations", Unit::count},
                          {"trips", Unit::count, "for each entry"},
                          {"stall_cycles", Unit::cycles, "stall"},
                          {"share_of_stall", Unit::ratio, "of stall"},
                          {"source", Unit::none, "line"}},
              .rows = {}};
  if (std::ranges::all_of(order,
                          [&](std::size_t i) { return rows[loops[i].head].source.empty(); })) {
    table.columns.pop_back();
  }
  for (const std::size_t i : order) {
    const Loop& loop = loops[i];
    std::vector<Cell> row = {rows[loop.head].line,
                             rows[loop.last].line,
                             hex(rows[loop.head].address),
                             loop.iterations,
                             trips(loop),
                             cycles[i].stall,
                             optional_cell(ratio(cycles[i].stall, dispatch.totals.all.stall)),
                             text_cell(line_of(rows[loop.head].source, Inline::innermost))};
    row.resize(table.columns.size());
    table.rows.push_back(std::move(row));
  }
  report.blocks.emplace_back(std::move(table));
}

}  // namespace jaxtrace
