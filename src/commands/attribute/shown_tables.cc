// Every share has one denominator, all counted device event time, which is a sum over streams and
// devices, not wall time; the opening sentence says so once.
#include "commands/attribute/shown_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "commands/attribute/words.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kMostReasons = 4;  // Rows of "without an instruction".

/// GPUs with events.
std::int64_t used_gpus(const Trace& trace) {
  std::set<DeviceId> used;
  for (const Lane& lane : trace.lanes) {
    if (lane.kind == LaneKind::stream && lane.count > 0) used.insert(lane.device);
  }
  return static_cast<std::int64_t>(used.size());
}

}  // namespace

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

std::string opening(const Measured& measured, std::int64_t with_line) {
  const Sums& sums = measured.sums;
  const std::int64_t all = sums.all.total_ps;
  if (sums.all.kernels == 0) {
    return sums.other_programs.kernels == 0
               ? std::string("The capture holds no device events: nothing was recorded.")
               : fmt::format("No device event is this program's: {} of others were left out.",
                             counted(sums.other_programs.kernels, "event"));
  }
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

Table top_ops(const Measured& measured, const std::vector<Cost>& costs, std::size_t most) {
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
  if (order.size() > most) order.resize(most);
  for (const std::size_t i : order) {
    const Op& op = measured.ops.rows[i];
    table.rows.push_back({op.name, program_text(measured, op.program),
                          short_location(op.source.user), std::string(text(op.source.phase)),
                          costs[i].kernels, costs[i].total_ps,
                          share(costs[i].total_ps, measured.sums.all.total_ps)});
  }
  return table;
}

Table top_lines(const Measured& measured, std::size_t most) {
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
    if (table.rows.size() == most || &row == &lines.rows.back()) break;  // The last is "(no line)".
    const auto* line = std::get_if<std::int64_t>(&row[1]);
    const hlo::Location at{
        std::get<std::string>(row[0]), line == nullptr ? 0 : static_cast<std::int32_t>(*line), {}};
    table.rows.push_back({short_location(at), row[2], row[3], row[4], row[6], row[7]});
  }
  return table;
}

}  // namespace jaxtrace
