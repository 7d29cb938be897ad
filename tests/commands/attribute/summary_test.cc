#include "commands/attribute/summary.h"
#include "commands/attribute/trust.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "commands/attribute/made_up.h"

namespace jaxtrace::test {
namespace {

std::string markdown(const Report& report) {
  std::ostringstream out;
  write_markdown(report, out);
  return out.str();
}

Cell fact(const Report& report, std::string_view key) {
  for (const auto& block : report.blocks) {
    if (const auto* found = std::get_if<Fact>(&block); found != nullptr && found->key == key) {
      return found->value;
    }
  }
  return std::string("no such fact");
}

TEST(Summary, StatesWhatIsCoveredNowAndByTheTracerAlone) {
  MadeUp made;
  const auto program = made.program(
      "jit_f", 17, program_of({{"dot.1", "fusion", "jit(f)/dot", "/w/a.py", 7}, {"copy.2"}}));
  made.lane(0, 0, 1);
  made.event({.begin = 0,
              .duration = 300,
              .label = label_of(program, 0, Match::exact, Rule::tracer),
              .hlo_op = "dot.1"});
  made.event({.begin = 300,
              .duration = 500,
              .label = label_of(program, 1, Match::order, Rule::graph_order, 600),
              .hlo_op = "command_buffer_3",
              .in_graph = true});
  made.event({.begin = 800, .duration = 200, .label = no_label(Rule::outside_execution)});
  made.event({.begin = 900, .duration = -1, .label = no_label(Rule::damaged)});
  made.finish();
  const Report report = summary(made.measured(), {}, std::nullopt);
  EXPECT_EQ(fact(report, "device_events"), Cell(std::int64_t{3}));
  EXPECT_EQ(fact(report, "total_ps"), Cell(std::int64_t{1000}));
  EXPECT_EQ(fact(report, "attributed_share"), Cell(0.8));
  EXPECT_EQ(fact(report, "line_share"), Cell(0.3));
  EXPECT_EQ(fact(report, "tracer_share"), Cell(0.3));
  EXPECT_EQ(fact(report, "damaged_events"), Cell(std::int64_t{1}));

  const std::string text = markdown(report);
  EXPECT_NE(text.find("80.0 % of it has its HLO instruction, 30.0 % its Python line"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("a.py:7"), std::string::npos);
  EXPECT_NE(text.find("outside-execution"), std::string::npos);
  EXPECT_NE(text.find("confidence below 0.7"), std::string::npos);
  EXPECT_EQ(doubts(made.measured(), std::nullopt).size(), 1u) << "the corrupt event";
}

TEST(Summary, FitsOnAScreenWhateverTheCaptureHolds) {
  MadeUp made;
  made.lane(0, 0, 1);
  std::int64_t begin = 0;
  for (unsigned i = 0; i < 40; ++i) {
    const std::string name = "x|<b>*`" + std::to_string(i) + "\n\x01\xff";
    const auto program =
        made.program("jit|" + name, i, program_of({{name, "fusion", name, "/w/" + name, 1, name}}));
    made.event({.begin = begin++,
                .duration = 5,
                .kernel = name,
                .label = label_of(program, 0, Match::exact, Rule::tracer)});
    made.finding({.severity = Severity::error, .code = "c", .message = name, .where = name});
  }
  for (const Rule rule : {Rule::no_program, Rule::outside_execution, Rule::no_hlo,
                          Rule::no_candidate, Rule::control, Rule::whole_graph}) {
    made.event({.begin = begin++, .duration = 5, .label = no_label(rule)});
  }
  for (int i = 0; i < 9; ++i) made.note("a choice\nwas made");
  made.finish();
  Check check;
  check.unmatched_programs = {"jit_x(1)"};
  const std::string text = markdown(summary(made.measured(), {.program = {}}, check));
  EXPECT_LE(std::ranges::count(text, '\n'), 60) << text.substr(0, 6000);
}

TEST(Summary, SaysFirstWhatIsMissing) {
  MadeUp made;
  made.lane(0, 0, 1);
  made.event({.begin = 0, .duration = 5, .label = no_label(Rule::no_program)});
  made.finding({.severity = Severity::note, .code = "n", .message = "a note", .where = {}});
  made.finding({.severity = Severity::data_loss,
                .code = "l",
                .message = "75 of 80 runs are empty",
                .where = {}});
  made.finish();
  const std::string text = markdown(summary(made.measured(), {}, std::nullopt));
  const auto place = [&](std::string_view part) { return text.find(part); };
  EXPECT_LT(place("every total is a lower bound"), place("75 of 80 runs are empty"));
  EXPECT_LT(place("75 of 80 runs are empty"), place("1 device event of 1 host on 1 of 1 GPU"));
  EXPECT_LT(place("What was not trusted"), place("a note"));
  EXPECT_NE(place("a note"), std::string::npos) << text;
}

TEST(Summary, SaysThatNothingWasRecorded) {
  MadeUp made;
  made.finish();
  const std::string text = markdown(summary(made.measured(), {}, std::nullopt));
  EXPECT_NE(text.find("nothing was recorded"), std::string::npos) << text;
  EXPECT_FALSE(doubts(made.measured(), std::nullopt).empty());
}

TEST(Summary, ReportsTheCheck) {
  MadeUp made;
  made.finish();
  Check check;
  check.kernels = check.agree = 147840;
  check.executions = 80;
  EXPECT_EQ(check_line(check), "147,840 of 147,840 kernels agree");
  EXPECT_NE(markdown(summary(made.measured(), {}, check)).find(check_line(check)),
            std::string::npos);
}

TEST(Words, AreDifferentForEveryRule) {
  std::vector<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(Rule::damaged); ++i) {
    words.push_back(text(static_cast<Rule>(i)));
    EXPECT_TRUE(reason(static_cast<Rule>(i)).ends_with('.'));
  }
  std::ranges::sort(words);
  EXPECT_EQ(std::ranges::adjacent_find(words), words.end());
}

}  // namespace
}  // namespace jaxtrace::test
