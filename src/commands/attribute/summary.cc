// Every share on the page has one denominator, all counted device event time, which is a sum over
// streams and devices, not wall time; the page says so once.
#include "commands/attribute/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "commands/attribute/trust.h"
#include "commands/attribute/words.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kTop = 5;          // Rows of the tables of instructions and of lines.
constexpr std::size_t kMostReasons = 4;  // Rows of "without an instruction".
constexpr std::size_t kMostPrograms = 3;

/// "model.py:77": the table of lines has the whole path.
std::string short_location(const hlo::Location& at) {
  if (at.file.empty()) return {};
  const std::size_t slash = at.file.find_last_of("/\\");
  const std::string name = slash == std::string::npos ? at.file : at.file.substr(slash + 1);
  return fmt::format("{}:{}", name, at.line);
}

std::string program_text(const Measured& measured, std::uint32_t row) {
  if (row == kNone) return {};
  const AttributedProgram& program = measured.attribution.programs[row];
  const std::string id = program_id_text(program);
  const std::string_view name = measured.trace.strings[program.module];
  return id.empty() ? std::string(name) : fmt::format("{}({})", name, id);
}

std::int64_t time_with_a_line(const Measured& measured, const std::vector<Cost>& costs) {
  std::int64_t time = 0;
  for (std::size_t i = 0; i < measured.ops.rows.size(); ++i) {
    if (!measured.ops.rows[i].source.user.file.empty()) time += costs[i].total_ps;
  }
  return time;
}

/// GPUs with events.
std::int64_t used_gpus(const Trace& trace) {
  std::set<DeviceId> used;
  for (const Lane& lane : trace.lanes) {
    if (lane.kind == LaneKind::stream && lane.count > 0) used.insert(lane.device);
  }
  return static_cast<std::int64_t>(used.size());
}

std::string opening(const Measured& measured, std::int64_t with_line) {
  const Sums& sums = measured.sums;
  const std::int64_t all = sums.all.total_ps;
  if (sums.all.kernels == 0) return "The capture holds no device events: nothing was recorded.";
  const std::int64_t attributed = all - sums.all.of(Match::none);
  std::string text = fmt::format(
      "{} of {} on {} of {}, {} in all (the sum over streams: the denominator of every share "
      "here). "
      "{} of it has its HLO instruction, {} its Python line. "
      "The tracer's own hlo_op, which is all that XProf's op views show, covers {}",
      counted(sums.all.kernels, "device event"), counted(measured.trace.hosts.size(), "host"),
      count_text(used_gpus(measured.trace)), counted(measured.trace.devices.size(), "GPU"),
      time_text(all), share_text(attributed, all), share_text(with_line, all),
      share_text(sums.tracer_ps, all));
  if (sums.tracer_wrapper_ps > 0) {
    text += fmt::format(" ({} only by the call or loop around the instruction)",
                        share_text(sums.tracer_wrapper_ps, all));
  }
  return text + '.';
}

Table match_table(const Measured& measured) {
  std::array<Cost, 4> costs;
  for (std::size_t i = 0; i < measured.attribution.labels.size(); ++i) {
    costs[static_cast<std::size_t>(measured.attribution.labels[i].match)].add(
        measured.sums.label[i]);
  }
  Table table{.id = "match",
              .caption = "",
              .columns = {{"match", Unit::none},
                          {"kernels", Unit::count},
                          {"kernel_share", Unit::ratio, "of kernels"},
                          {"total_ps", Unit::time, "time"},
                          {"time_share", Unit::ratio, "of time"},
                          {"meaning", Unit::none}},
              .rows = {}};
  constexpr std::array<std::string_view, 4> kMeanings = {
      "the tracer named the instruction", "only one instruction fits the kernel's name",
      "the schedule's order decides", "no instruction found"};
  for (const Match match : {Match::exact, Match::name, Match::order, Match::none}) {
    const auto row = static_cast<std::size_t>(match);
    table.rows.push_back({std::string(text(match)), costs[row].kernels,
                          share(costs[row].kernels, measured.sums.all.kernels), costs[row].total_ps,
                          share(costs[row].total_ps, measured.sums.all.total_ps),
                          std::string(kMeanings[row])});
  }
  return table;
}

Table unexplained_table(const Measured& measured) {
  std::map<Rule, Cost> rules;
  for (std::size_t i = 0; i < measured.attribution.labels.size(); ++i) {
    const Label& label = measured.attribution.labels[i];
    if (label.match == Match::none && measured.sums.label[i].kernels > 0) {
      rules[label.rule].add(measured.sums.label[i]);
    }
  }
  std::vector<std::pair<Rule, Cost>> order(rules.begin(), rules.end());
  std::ranges::stable_sort(order, std::greater{},
                           [](const auto& rule) { return rule.second.total_ps; });
  Table table{.id = "unexplained",
              .caption = "Without an instruction:",
              .columns = {{"rule", Unit::none},
                          {"kernels", Unit::count},
                          {"total_ps", Unit::time, "time"},
                          {"time_share", Unit::ratio, "of time"},
                          {"reason", Unit::none, "why"}},
              .rows = {}};
  for (const auto& [rule, cost] : order) {
    if (table.rows.size() == kMostReasons) break;
    table.rows.push_back({std::string(text(rule)), cost.kernels, cost.total_ps,
                          share(cost.total_ps, measured.sums.all.total_ps),
                          std::string(reason(rule))});
  }
  return table;
}

Table top_ops(const Measured& measured, const std::vector<Cost>& costs) {
  Table table{.id = "top_ops",
              .caption = "Instructions with most time:",
              .columns = {{"instruction", Unit::none},
                          {"program", Unit::none},
                          {"line", Unit::none},
                          {"phase", Unit::none},
                          {"kernels", Unit::count},
                          {"total_ps", Unit::time, "time"},
                          {"share", Unit::ratio}},
              .rows = {}};
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < measured.ops.rows.size(); ++i) {
    if (costs[i].kernels > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return costs[i].total_ps; });
  if (order.size() > kTop) order.resize(kTop);
  for (const std::size_t i : order) {
    const Op& op = measured.ops.rows[i];
    table.rows.push_back({op.name, program_text(measured, op.program),
                          short_location(op.source.user), std::string(text(op.source.phase)),
                          costs[i].kernels, costs[i].total_ps,
                          share(costs[i].total_ps, measured.sums.all.total_ps)});
  }
  return table;
}

/// The first rows of lines.csv, with fewer columns.
Table top_lines(const Measured& measured) {
  const Table lines = lines_table(measured);
  Table table{.id = "top_lines",
              .caption = "Lines with most time:",
              .columns = {{"line", Unit::none},
                          {"function", Unit::none},
                          {"phase", Unit::none},
                          {"kernels", Unit::count},
                          {"total_ps", Unit::time, "time"},
                          {"share", Unit::ratio}},
              .rows = {}};
  for (const auto& row : lines.rows) {
    if (table.rows.size() == kTop || &row == &lines.rows.back()) break;  // The last is "(no line)".
    const auto* line = std::get_if<std::int64_t>(&row[1]);
    const hlo::Location at{
        std::get<std::string>(row[0]), line == nullptr ? 0 : static_cast<std::int32_t>(*line), {}};
    table.rows.push_back({short_location(at), row[2], row[3], row[4], row[6], row[7]});
  }
  return table;
}

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
    add_table(top_ops(measured, costs));
    add_table(top_lines(measured));
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
