#include "commands/attribute/tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <sstream>

#include "commands/attribute/kernels_csv.h"
#include "commands/attribute/made_up.h"
#include "commands/attribute/scopes.h"

namespace jaxtrace::test {
namespace {

using Names = std::vector<std::string>;

const std::vector<Line> kStep = {
    {"dot.1", "fusion", "jit(f)/jvp(mlp)/dot_general", "/w/model.py", 10},
    {"dot.2", "fusion", "jit(f)/transpose(jvp(mlp))/dot_general", "/w/model.py", 10},
    {"mul.3", "fusion", "jit(f)/transpose(jvp(mlp))/rematted_computation/mul", "/w/model.py", 10},
    {"sub.4", "fusion", "jit(f)/sub", "/w/optim, \"adam\".py", 7},
    {"copy.5", "copy", "", "", 0}};

std::int64_t number(const Table& table, std::size_t row, std::string_view column) {
  return std::get<std::int64_t>(at(table, row, column));
}

std::string words(const Table& table, std::size_t row, std::string_view column) {
  const auto* text = std::get_if<std::string>(&at(table, row, column));
  return text == nullptr ? "" : *text;
}

/// Two executions of kStep on one device, an event outside, and a damaged one.
MadeUp two_executions() {
  MadeUp made;
  const auto program = made.program("jit_f", 17, program_of(kStep));
  made.lane(0, 0, 7);
  for (std::uint32_t run = 0; run < 2; ++run) {
    const std::int64_t t = run * 1000;
    const auto event = [&](std::int64_t begin, std::int64_t duration, unsigned instruction,
                           Match match, Rule rule) {
      made.event({.begin = t + begin,
                  .duration = duration,
                  .label = label_of(program, instruction, match, rule),
                  .execution = run});
    };
    event(0, 100, 0, Match::exact, Rule::tracer);
    event(100, 50, 1, Match::name, Rule::unique_name);
    event(150, 20, 2, Match::order, Rule::graph_order);
    event(170, 30, 3, Match::order, Rule::schedule);
    event(200, 5, 4, Match::order, Rule::schedule);
    event(210, 4, 4, Match::order, Rule::schedule);
  }
  made.event({.begin = 5000, .duration = 11, .label = no_label(Rule::outside_execution)});
  made.event({.begin = 6000, .duration = -3, .label = no_label(Rule::damaged)});
  made.finish();
  return made;
}

TEST(OpsTable, HasOneRowAnInstructionAndOneForNone) {
  const MadeUp made = two_executions();
  const Table ops = ops_table(made.measured());
  EXPECT_EQ(names_of(ops), (Names{"program_id", "module", "instruction", "opcode", "op_name",
                                  "phase", "file", "line", "kernels", "executions", "total_ps",
                                  "mean_ps", "share", "exact_ps", "name_ps", "order_ps"}));
  ASSERT_EQ(ops.rows.size(), 6u);
  EXPECT_EQ(words(ops, 0, "instruction"), "dot.1");
  EXPECT_EQ(number(ops, 0, "program_id"), 17);
  EXPECT_EQ(words(ops, 0, "module"), "jit_f");
  EXPECT_EQ(number(ops, 0, "exact_ps"), 200);
  EXPECT_EQ(words(ops, 4, "instruction"), "copy.5");
  EXPECT_EQ(number(ops, 4, "kernels"), 4);
  EXPECT_EQ(number(ops, 4, "executions"), 2) << "two kernels in each";
  EXPECT_EQ(number(ops, 4, "mean_ps"), 4) << "a kernel's mean: 18 / 4, rounded down";
  EXPECT_EQ(at(ops, 4, "file"), Cell()) << "nothing is invented";
  EXPECT_EQ(words(ops, 5, "instruction"), "(none)");
  EXPECT_EQ(number(ops, 5, "total_ps"), 11) << "without the damaged event";
  EXPECT_EQ(at(ops, 5, "program_id"), Cell());
}

TEST(LinesTable, SplitsALineByPhaseIntoItsSum) {
  const MadeUp made = two_executions();
  const Table lines = lines_table(made.measured());
  EXPECT_EQ(names_of(lines),
            (Names{"file", "line", "function", "phase", "kernels", "instructions", "total_ps",
                   "share", "exact_ps", "name_ps", "order_ps", "op_names"}));
  std::int64_t of_line_10 = 0;
  Names phases;
  for (std::size_t row = 0; row < lines.rows.size(); ++row) {
    if (at(lines, row, "line") != Cell(std::int64_t{10})) continue;
    of_line_10 += number(lines, row, "total_ps");
    phases.push_back(words(lines, row, "phase"));
  }
  EXPECT_EQ(phases, (Names{"fwd", "bwd", "recompute"}));
  EXPECT_EQ(of_line_10, 340);
  EXPECT_EQ(words(lines, lines.rows.size() - 1, "file"), "(no line)");
  EXPECT_EQ(number(lines, lines.rows.size() - 1, "total_ps"), 18 + 11);
}

TEST(LinesTable, ListsTheLinesThatAFusionMixes) {
  hlo::Program program = program_of(
      {{"fusion.1", "fusion", "jit(f)/mul", "/w/a.py", 1}, {"mul", "multiply", "", "/w/b.py", 2}});
  program.computations.emplace_back();
  program.computations[1].instructions = {hlo::InstructionId{1}};
  program.computations[1].root = hlo::InstructionId{1};
  program.instructions[0].called = {hlo::ComputationId{1}};
  MadeUp made;
  const auto row = made.program("jit_f", 1, std::move(program));
  made.lane(0, 0, 1);
  made.event({.duration = 5, .label = label_of(row, 0, Match::exact, Rule::tracer)});
  made.finish();

  EXPECT_EQ(words(lines_table(made.measured()), 0, "op_names"),
            "jit(f)/mul; (fused with /w/b.py:2)");
  const Table fusions = fusions_table(made.measured());
  ASSERT_EQ(fusions.rows.size(), 2u);
  EXPECT_EQ(words(fusions, 0, "file") + words(fusions, 0, "paid"), "/w/a.pyyes");
  EXPECT_EQ(words(fusions, 1, "file") + words(fusions, 1, "paid"), "/w/b.pyno");
  EXPECT_EQ(number(fusions, 1, "members"), 1);
}

TEST(HowTable, SaysHowEachPicosecondWasAttributed) {
  const MadeUp made = two_executions();
  const Table how = how_table(made.measured());
  EXPECT_EQ(names_of(how), (Names{"match", "rule", "confidence", "kernels", "kernel_share",
                                  "total_ps", "time_share", "reason"}));
  EXPECT_EQ(
      words(how, 0, "match") + ' ' + words(how, 0, "rule") + ' ' + words(how, 0, "confidence"),
      "exact tracer 1.000");
  EXPECT_EQ(words(how, how.rows.size() - 1, "rule"), "outside-execution");
  EXPECT_EQ(words(how, how.rows.size() - 1, "confidence"), "0.000");
}

TEST(ScopesTable, IsATreeWithTotalAndOwnTime) {
  const MadeUp made = two_executions();
  const Table scopes = scopes_table(made.measured());
  EXPECT_EQ(names_of(scopes), (Names{"scope", "depth", "kernels", "total_ps", "self_ps", "share",
                                     "exact_ps", "name_ps", "order_ps"}));
  Names rows;
  for (std::size_t row = 0; row < scopes.rows.size(); ++row) {
    rows.push_back(words(scopes, row, "scope") + ' ' +
                   std::to_string(number(scopes, row, "depth")) + ' ' +
                   std::to_string(number(scopes, row, "total_ps")) + ' ' +
                   std::to_string(number(scopes, row, "self_ps")));
  }
  EXPECT_EQ(
      rows,
      (Names{"jit(f) 1 400 60", "jit(f)/jvp(mlp) 2 200 200", "jit(f)/transpose(jvp(mlp)) 2 140 100",
             "jit(f)/transpose(jvp(mlp))/rematted_computation 3 40 40", "(no scope) 1 29 29"}));
}

TEST(Sums, LeaveOtherProgramsOutAndCountThem) {
  MadeUp made;
  const auto wanted = made.program("jit_f", 17, program_of(kStep));
  const auto other = made.program("jit_g", 18, program_of(kStep));
  made.lane(0, 0, 1);
  made.event({.begin = 0, .duration = 5, .label = label_of(wanted, 0, Match::exact, Rule::tracer)});
  made.event({.begin = 5, .duration = 7, .label = label_of(other, 0, Match::exact, Rule::tracer)});
  made.event({.begin = 12, .duration = 9, .label = no_label(Rule::no_program)});
  made.only(17);
  made.finish();

  EXPECT_EQ(made.sums().all.total_ps, 5);
  EXPECT_EQ(made.sums().other_programs.kernels, 2);
  EXPECT_EQ(made.sums().other_programs.total_ps, 16);
  const Table ops = ops_table(made.measured());
  EXPECT_EQ(ops.rows.size(), 2u);
  EXPECT_EQ(number(ops, 1, "total_ps"), 0) << "(none) is not a place for other programs";
  std::ostringstream csv;
  write_kernels_csv(made.trace(), made.attribution(), made.ops(), made.counted(), false, csv);
  EXPECT_EQ(std::ranges::count(csv.str(), '\n'), 2);
}

TEST(Sums, TellWhatTheTracersOwnNamesCover) {
  MadeUp made;
  std::vector<Line> lines = kStep;
  lines.push_back({"call.2", "call"});
  const auto program = made.program("jit_f", 17, program_of(lines));
  made.lane(0, 0, 1);
  const auto event = [&](std::int64_t duration, std::string hlo_op) {
    made.event({.duration = duration,
                .label = label_of(program, 0, Match::order, Rule::graph_order),
                .hlo_op = std::move(hlo_op),
                .in_graph = true});
  };
  event(1, "dot.1");
  event(2, "call.2");
  event(4, "command_buffer_6");
  event(8, "");
  event(16, "not.there");
  made.finish();
  EXPECT_EQ(made.sums().tracer_ps, 3);
  EXPECT_EQ(made.sums().tracer_wrapper_ps, 2);
}

TEST(Sums, DoNotOverflow) {
  MadeUp made;
  made.lane(0, 0, 1);
  for (int i = 0; i < 3; ++i) {
    made.event({.begin = i,
                .duration = std::numeric_limits<std::int64_t>::max() - 1,
                .label = no_label(Rule::no_program)});
  }
  made.finish();
  EXPECT_EQ(made.sums().all.total_ps, std::numeric_limits<std::int64_t>::max());
}

TEST(Ops, MergeTheSameProgramOfSeveralHostsAndNoOther) {
  MadeUp made;
  std::vector<Line> changed = kStep;
  changed[0].line = 11;
  const auto first = made.program("jit_f", 17, program_of(kStep), 0);
  const auto same = made.program("jit_f", 17, program_of(kStep), 1);
  const auto other = made.program("jit_f", 17, program_of(changed), 2);
  for (unsigned host = 0; host < 3; ++host) {
    made.lane(host, 0, 1);
    const auto program = std::vector{first, same, other}[host];
    made.event({.begin = 0,
                .duration = 5,
                .label = label_of(program, 0, Match::exact, Rule::tracer),
                .execution = 0});
  }
  made.finish();
  const Table ops = ops_table(made.measured());
  ASSERT_EQ(ops.rows.size(), 3u);
  EXPECT_EQ(number(ops, 0, "total_ps"), 10);
  EXPECT_EQ(number(ops, 0, "executions"), 2) << "one on each host";
  EXPECT_EQ(number(ops, 1, "total_ps"), 5);
  EXPECT_EQ(number(ops, 1, "line"), 11);
}

TEST(Ops, KeepWhatTheTracerSaidWhereThereIsNoHlo) {
  MadeUp made;
  const auto program = made.program("jit_g", 3, std::nullopt);
  Label label{
      .program = program, .match = Match::exact, .rule = Rule::tracer_text, .confidence = 1000};
  label.named = made.intern("loop_fusion.7");
  made.lane(0, 0, 1);
  made.event({.duration = 5, .label = label, .hlo_op = "loop_fusion.7"});
  made.finish();
  const Table ops = ops_table(made.measured());
  EXPECT_EQ(words(ops, 0, "instruction"), "loop_fusion.7");
  EXPECT_EQ(number(ops, 0, "program_id"), 3);
  EXPECT_EQ(at(ops, 0, "opcode"), Cell());
}

/// Everything a capture may hold, at random.
MadeUp random_capture(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  };
  MadeUp made;
  std::vector<std::uint32_t> programs;
  for (unsigned host = 0; host < 2; ++host) {
    for (std::int64_t id = 1; id <= 3; ++id) {
      programs.push_back(made.program("jit_" + std::to_string(id), id,
                                      id == 3 ? std::nullopt : std::optional(program_of(kStep)),
                                      host));
    }
  }
  for (unsigned host = 0; host < 2; ++host) {
    for (int lane = 0; lane < 5; ++lane) {
      made.lane(host, lane / 2, 10 + lane);
      std::int64_t begin = 0;
      for (std::uint32_t i = 0, events = below(60); i < events; ++i) {
        begin += below(3);
        const std::uint32_t program = programs[host * 3 + below(3)];
        Label label = no_label(Rule::no_candidate, below(2) == 0 ? program : kNone);
        if (program % 3 != 2 && below(4) > 0) {
          const auto match = static_cast<Match>(below(3));
          label = label_of(program, below(5), match, Rule::schedule,
                           static_cast<std::uint16_t>(below(4) * 250));
        } else if (below(8) == 0) {
          label = no_label(Rule::damaged, program);
        }
        made.event({.begin = begin,
                    .duration = below(50),
                    .kernel = below(9) == 0 ? "a,\"b\"\nc" : "k" + std::to_string(below(5)),
                    .label = label,
                    .execution = below(3) == 0 ? kNone : below(4)});
      }
    }
  }
  made.finish();
  return made;
}

TEST(Tables, ConserveEveryPicosecond) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const MadeUp made = random_capture(seed);
    std::int64_t raw = 0;
    for (std::size_t i = 0; i < made.trace().device_events; ++i) {
      const Label& label = made.attribution().labels[made.attribution().label[i]];
      if (label.rule != Rule::damaged) raw += made.trace().events.duration[i].count();
    }
    const Measured measured = made.measured();
    EXPECT_EQ(sum_of(ops_table(measured), "total_ps"), raw) << "seed " << seed;
    EXPECT_EQ(sum_of(lines_table(measured), "total_ps"), raw) << "seed " << seed;
    EXPECT_EQ(sum_of(how_table(measured), "total_ps"), raw) << "seed " << seed;
    const Table scopes = scopes_table(measured);
    EXPECT_EQ(sum_of(scopes, "self_ps"), raw) << "seed " << seed;
    std::int64_t roots = 0;
    for (std::size_t row = 0; row < scopes.rows.size(); ++row) {
      if (number(scopes, row, "depth") == 1) roots += number(scopes, row, "total_ps");
    }
    EXPECT_EQ(roots, raw) << "seed " << seed;
    for (const std::string_view column : {"exact_ps", "name_ps", "order_ps"}) {
      EXPECT_EQ(sum_of(ops_table(measured), column), sum_of(lines_table(measured), column))
          << "seed " << seed;
    }
    EXPECT_EQ(sum_of(ops_table(measured), "kernels"), sum_of(how_table(measured), "kernels"));
  }
}

TEST(Ops, CountExecutionsOverStreamsAndDevices) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const MadeUp made = random_capture(seed);
    std::set<std::tuple<std::uint32_t, DeviceId, std::uint32_t>> seen;
    for (const Lane& lane : made.trace().lanes) {
      for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
        const std::uint32_t label = made.attribution().label[i];
        const std::uint32_t op = made.ops().of_label[label];
        const std::uint32_t execution = made.attribution().execution[i];
        if (op == kNone || execution == kNone || !made.counted().label[label]) continue;
        seen.emplace(op, lane.device, execution);
      }
    }
    const auto& counts = made.sums().executions;
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}),
              static_cast<std::int64_t>(seen.size()))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace jaxtrace::test
