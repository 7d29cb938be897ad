// Rows are ordered by time, longest first, with the row for "none" last; ties by name.
#include "commands/attribute/tables.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace jaxtrace {
namespace {

Cell cell(std::string_view text) {
  if (text.empty()) return {};
  return std::string(text);
}

Cell line_cell(const hlo::Location& at) {
  if (at.line <= 0) return {};
  return std::int64_t{at.line};
}

Cell id_cell(const AttributedProgram& program) {
  if (program.program_id == kNoProgram) return {};
  return program.program_id;
}

std::string confidence_text(std::uint16_t thousandths) {
  std::string digits = std::to_string(thousandths % 1000);
  digits.insert(0, 3 - digits.size(), '0');
  return std::to_string(thousandths / 1000) + '.' + digits;
}

std::string location_text(const hlo::Location& at) {
  return at.file + ':' + std::to_string(at.line);
}

std::vector<Column> with_match_columns(std::vector<Column> columns) {
  columns.push_back({"exact_ps", Unit::time, "exact"});
  columns.push_back({"name_ps", Unit::time, "name"});
  columns.push_back({"order_ps", Unit::time, "order"});
  return columns;
}

void add_match_cells(std::vector<Cell>& row, const Cost& cost) {
  for (const Match match : {Match::exact, Match::name, Match::order})
    row.emplace_back(cost.of(match));
}

/// A row of lines.csv in the making.
struct LineSum {
  Cost cost;
  std::int64_t instructions = 0;
  std::map<std::string, std::int64_t> op_names;    ///< By op_name: time.
  std::map<std::string, std::int64_t> also_lines;  ///< Other lines of its fusions: members.
};

/// "jit(f)/mul; jit(f)/add; (fused with model.py:12, model.py:40)": most time first.
std::string op_names_text(const LineSum& line) {
  std::vector<std::pair<std::string, std::int64_t>> names(line.op_names.begin(),
                                                          line.op_names.end());
  std::ranges::stable_sort(names, std::greater{}, [](const auto& name) { return name.second; });
  std::string text;
  for (const auto& [name, time] : names) {
    if (!text.empty()) text += "; ";
    text += name;
  }
  std::string also;
  for (const auto& [where, members] : line.also_lines) {
    if (!also.empty()) also += ", ";
    also += where;
  }
  if (also.empty()) return text;
  if (!text.empty()) text += "; ";
  return text + "(fused with " + also + ')';
}

}  // namespace

Cell share(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return {};
  return static_cast<double>(part) / static_cast<double>(whole);
}

std::vector<Cost> cost_by_op(const Measured& measured) {
  std::vector<Cost> costs(measured.ops.rows.size() + 1);
  for (std::size_t label = 0; label < measured.sums.label.size(); ++label) {
    const std::uint32_t op = measured.ops.of_label[label];
    costs[op == kNone ? measured.ops.rows.size() : op].add(measured.sums.label[label]);
  }
  return costs;
}

Table ops_table(const Measured& measured) {
  Table table{.id = "ops",
              .caption = "Time by HLO instruction",
              .columns = with_match_columns({{"program_id", Unit::none},
                                             {"module", Unit::none},
                                             {"instruction", Unit::none},
                                             {"opcode", Unit::none},
                                             {"op_name", Unit::none},
                                             {"phase", Unit::none},
                                             {"file", Unit::none},
                                             {"line", Unit::none},
                                             {"kernels", Unit::count},
                                             {"executions", Unit::count},
                                             {"total_ps", Unit::time, "total"},
                                             {"mean_ps", Unit::time, "mean"},
                                             {"share", Unit::ratio}}),
              .rows = {}};
  const std::vector<Cost> costs = cost_by_op(measured);
  const std::int64_t all = measured.sums.all.total_ps;

  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < measured.ops.rows.size(); ++i) {
    if (costs[i].kernels > 0) order.push_back(i);
  }
  // Ops come by program and place in the HLO, which breaks ties.
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return costs[i].total_ps; });

  const auto numbers = [&](std::vector<Cell> row, const Cost& cost, const Cell& executions) {
    row.emplace_back(cost.kernels);
    row.push_back(executions);
    row.emplace_back(cost.total_ps);
    row.push_back(cost.kernels > 0 ? Cell(cost.total_ps / cost.kernels) : Cell());
    row.push_back(share(cost.total_ps, all));
    add_match_cells(row, cost);
    table.rows.push_back(std::move(row));
  };
  for (const std::size_t i : order) {
    const Op& op = measured.ops.rows[i];
    std::vector<Cell> row(2);
    if (op.program != kNone) {
      const AttributedProgram& program = measured.attribution.programs[op.program];
      row = {id_cell(program), cell(measured.trace.strings[program.module])};
    }
    row.insert(row.end(), {op.name, cell(op.opcode), cell(op.source.op_name),
                           std::string(text(op.source.phase)), cell(op.source.user.file),
                           line_cell(op.source.user)});
    numbers(std::move(row), costs[i], measured.sums.executions[i]);
  }
  std::vector<Cell> none(8);
  none[2] = "(none)";
  numbers(std::move(none), costs.back(), {});
  return table;
}

Table lines_table(const Measured& measured) {
  using Key = std::tuple<std::string, std::int32_t, std::string, hlo::Phase>;
  std::map<Key, LineSum> lines;
  LineSum no_line;
  const std::vector<Cost> costs = cost_by_op(measured);
  for (std::size_t i = 0; i < measured.ops.rows.size(); ++i) {
    if (costs[i].kernels == 0) continue;
    const hlo::Provenance& source = measured.ops.rows[i].source;
    const hlo::Location& at = source.user;
    LineSum& line =
        at.file.empty() ? no_line : lines[{at.file, at.line, at.function, source.phase}];
    line.cost.add(costs[i]);
    ++line.instructions;
    if (!source.op_name.empty()) line.op_names[source.op_name] += costs[i].total_ps;
    for (const hlo::MemberLine& other : source.other_lines) {
      line.also_lines[location_text(other.at)] += other.members;
    }
  }
  no_line.cost.add(costs.back());

  Table table{.id = "lines",
              .caption = "Time by Python line",
              .columns = with_match_columns({{"file", Unit::none},
                                             {"line", Unit::none},
                                             {"function", Unit::none},
                                             {"phase", Unit::none},
                                             {"kernels", Unit::count},
                                             {"instructions", Unit::count},
                                             {"total_ps", Unit::time, "total"},
                                             {"share", Unit::ratio}}),
              .rows = {}};
  table.columns.push_back({"op_names", Unit::none});

  const auto add_row = [&](std::vector<Cell> row, const LineSum& line) {
    row.emplace_back(line.cost.kernels);
    row.emplace_back(line.instructions);
    row.emplace_back(line.cost.total_ps);
    row.push_back(share(line.cost.total_ps, measured.sums.all.total_ps));
    add_match_cells(row, line.cost);
    row.push_back(cell(op_names_text(line)));
    table.rows.push_back(std::move(row));
  };
  std::vector<std::map<Key, LineSum>::const_iterator> order;
  for (auto line = lines.cbegin(); line != lines.cend(); ++line) order.push_back(line);
  std::ranges::stable_sort(order, std::greater{},
                           [](const auto& line) { return line->second.cost.total_ps; });
  for (const auto& line : order) {
    const auto& [file, number, function, phase] = line->first;
    add_row({file, line_cell({file, number, function}), cell(function), std::string(text(phase))},
            line->second);
  }
  std::vector<Cell> none(4);
  none[0] = "(no line)";
  add_row(std::move(none), no_line);
  return table;
}

Table how_table(const Measured& measured) {
  using Key = std::tuple<Match, Rule, int>;  // Confidence negated: the surest first.
  std::map<Key, Cost> groups;
  for (std::size_t i = 0; i < measured.attribution.labels.size(); ++i) {
    if (measured.sums.label[i].kernels == 0) continue;
    const Label& label = measured.attribution.labels[i];
    groups[{label.match, label.rule, -int{label.confidence}}].add(measured.sums.label[i]);
  }
  Table table{.id = "how",
              .caption = "How kernels were attributed",
              .columns = {{"match", Unit::none},
                          {"rule", Unit::none},
                          {"confidence", Unit::none},
                          {"kernels", Unit::count},
                          {"kernel_share", Unit::ratio, "share of kernels"},
                          {"total_ps", Unit::time, "total"},
                          {"time_share", Unit::ratio, "share of time"},
                          {"reason", Unit::none}},
              .rows = {}};
  for (const auto& [key, cost] : groups) {
    const auto& [match, rule, confidence] = key;
    table.rows.push_back({std::string(text(match)), std::string(text(rule)),
                          confidence_text(static_cast<std::uint16_t>(-confidence)), cost.kernels,
                          share(cost.kernels, measured.sums.all.kernels), cost.total_ps,
                          share(cost.total_ps, measured.sums.all.total_ps),
                          std::string(reason(rule))});
  }
  return table;
}

Table fusions_table(const Measured& measured) {
  Table table{.id = "fusions",
              .caption = "Fusions that mix several lines",
              .columns = {{"program_id", Unit::none},
                          {"module", Unit::none},
                          {"instruction", Unit::none},
                          {"total_ps", Unit::time, "total"},
                          {"file", Unit::none},
                          {"line", Unit::none},
                          {"function", Unit::none},
                          {"members", Unit::count},
                          {"paid", Unit::none}},
              .rows = {}};
  const std::vector<Cost> costs = cost_by_op(measured);
  for (std::size_t i = 0; i < measured.ops.rows.size(); ++i) {
    const Op& op = measured.ops.rows[i];
    if (costs[i].kernels == 0 || op.source.other_lines.empty()) continue;
    const AttributedProgram& program = measured.attribution.programs[op.program];
    const auto add_row = [&](const hlo::Location& at, Cell members, std::string_view paid) {
      table.rows.push_back({id_cell(program), cell(measured.trace.strings[program.module]), op.name,
                            costs[i].total_ps, cell(at.file), line_cell(at), cell(at.function),
                            std::move(members), std::string(paid)});
    };
    add_row(op.source.user, std::int64_t{op.source.user_members}, "yes");
    for (const hlo::MemberLine& other : op.source.other_lines) {
      add_row(other.at, std::int64_t{other.members}, "no");
    }
  }
  return table;
}

}  // namespace jaxtrace
