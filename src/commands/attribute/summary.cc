// Every share on the page has one denominator, all counted device event time, which is a sum over
// streams and devices, not wall time; the page says so once.
#include "commands/attribute/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "commands/attribute/shown_tables.h"
#include "commands/attribute/trust.h"
#include "commands/attribute/words.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kTop = 5;  // Rows of the tables of instructions and of lines.
constexpr std::size_t kMostPrograms = 3;

struct ProgramCosts {
  std::vector<std::uint32_t> order;  ///< Programs that ran, most time first.
  std::vector<Cost> cost;
};

ProgramCosts cost_by_program(const Measured& measured) {
  ProgramCosts result;
  result.cost.resize(measured.attribution.programs.size());
  for (std::size_t i = 0; i < measured.attribution.labels.size(); ++i) {
    const std::uint32_t program = measured.attribution.labels[i].program;
    if (program != kNone) result.cost[measured.ops.twin[program]].add(measured.sums.label[i]);
  }
  for (std::uint32_t i = 0; i < result.cost.size(); ++i) {
    if (result.cost[i].kernels > 0) result.order.push_back(i);
  }
  std::ranges::stable_sort(result.order, std::greater{},
                           [&](std::uint32_t i) { return result.cost[i].total_ps; });
  return result;
}

Table programs_table(const Measured& measured, const ProgramCosts& costs) {
  const auto carried = std::ranges::count_if(
      measured.attribution.programs,
      [](const AttributedProgram& program) { return program.hlo.has_value(); });
  Table table{.id = "programs",
              .caption = fmt::format("Programs: {} ran, the capture carries the HLO of {}.",
                                     costs.order.size(), carried),
              .columns = {{"program", Unit::none},
                          {"hlo", Unit::none, "HLO"},
                          {"kernels", Unit::count},
                          {"total_ps", Unit::time, "time"},
                          {"share", Unit::ratio}},
              .rows = {}};
  for (const std::uint32_t i : costs.order) {
    if (table.rows.size() == kMostPrograms) break;
    table.rows.push_back({program_text(measured, i),
                          std::string(measured.attribution.programs[i].hlo ? "yes" : "no"),
                          costs.cost[i].kernels, costs.cost[i].total_ps,
                          share(costs.cost[i].total_ps, measured.sums.all.total_ps)});
  }
  return table;
}

void add_facts(Report& report, const Measured& measured, std::int64_t with_line,
               const ProgramCosts& programs) {
  const Sums& sums = measured.sums;
  const std::int64_t all = sums.all.total_ps;
  const auto add = [&](std::string key, Cell value) {
    report.blocks.emplace_back(Fact{std::move(key), std::move(value)});
  };
  add("device_events", sums.all.kernels);
  add("total_ps", all);
  for (const Match match : {Match::exact, Match::name, Match::order, Match::none}) {
    add(std::string(text(match)) + "_ps", sums.all.of(match));
  }
  add("attributed_share", share(all - sums.all.of(Match::none), all));
  add("line_share", share(with_line, all));
  add("tracer_share", share(sums.tracer_ps, all));
  add("tracer_wrapper_share", share(sums.tracer_wrapper_ps, all));
  add("damaged_events", sums.damaged.kernels);
  add("other_program_events", sums.other_programs.kernels);
  add("other_program_ps", sums.other_programs.total_ps);
  add("programs_run", static_cast<std::int64_t>(programs.order.size()));
  add("programs_run_without_hlo",
      static_cast<std::int64_t>(std::ranges::count_if(programs.order, [&](std::uint32_t i) {
        return !measured.attribution.programs[i].hlo.has_value();
      })));
}

std::string check_prose(const Check& check) {
  std::string text = "Check against the other capture: " + check_line(check);
  text += fmt::format(" in {}", counted(check.executions, "execution"));
  if (check.only_here > 0 || check.only_there > 0) {
    text += fmt::format("; {} only here, {} only there", count_text(check.only_here),
                        count_text(check.only_there));
  }
  if (check.executions_only_here > 0 || check.executions_only_there > 0) {
    text += fmt::format("; not compared: {} that only this capture has, {} that only the other has",
                        counted(check.executions_only_here, "execution"),
                        count_text(check.executions_only_there));
  }
  if (!check.unmatched_programs.empty()) {
    text += fmt::format("; {} did not run there (such as {})",
                        counted(check.unmatched_programs.size(), "program"),
                        escape_markdown(check.unmatched_programs.front()));
  }
  return text + (check.differences.empty() ? "." : ". check.csv lists the differences.");
}

}  // namespace

Report summary(const Measured& measured, const AttributeOptions& options,
               const std::optional<Check>& check) {
  const std::vector<Cost> costs = cost_by_op(measured);
  const std::int64_t with_line = time_with_a_line(measured, costs);
  const ProgramCosts programs = cost_by_program(measured);

  Report report{.title = "GPU kernels, the HLO instructions they run, and their Python lines",
                .blocks = {}};
  std::string notes;
  for (const std::string& note : measured.trace.notes) {
    notes += notes.empty() ? "" : " ";
    notes += escape_markdown_sentence(note);
  }
  if (!notes.empty()) report.blocks.emplace_back(Prose{notes});
  add_losses(report, measured);
  report.blocks.emplace_back(Prose{opening(measured, with_line)});
  add_facts(report, measured, with_line, programs);

  const auto add_table = [&](Table table) {
    if (!table.rows.empty()) report.blocks.emplace_back(std::move(table));
  };
  if (measured.sums.all.kernels > 0) {
    add_table(match_table(measured));
    add_table(unexplained_table(measured));
    add_table(top_ops(measured, costs, kTop));
    add_table(top_lines(measured, kTop));
    add_table(programs_table(measured, programs));
  }
  if (check) {
    report.blocks.emplace_back(Prose{check_prose(*check)});
    report.blocks.emplace_back(Fact{"check_kernels", check->kernels});
    report.blocks.emplace_back(Fact{"check_agree", check->agree});
    report.blocks.emplace_back(Fact{"check_only_here", check->only_here});
    report.blocks.emplace_back(Fact{"check_only_there", check->only_there});
  }
  if (Bullets bullets = not_trusted(measured, options); !bullets.items.empty()) {
    report.blocks.emplace_back(Prose{"What was not trusted, or left out:"});
    report.blocks.emplace_back(std::move(bullets));
  }
  return report;
}

}  // namespace jaxtrace
