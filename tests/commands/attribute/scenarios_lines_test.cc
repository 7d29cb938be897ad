// From the kernel to the Python line: what lines.csv says of whole captures.  How one instruction
// finds its line is tested beside hlo/provenance.h.
#include <sstream>

#include "attribution/scenario.h"
#include "commands/attribute/kernels_csv.h"
#include "made_up.h"

namespace jaxtrace::synth {
namespace {

const Origin::Frame kUser{"/home/me/train.py", "loss", 92};
const Origin::Frame kLibrary{"/usr/lib/python3/site-packages/flax/linen.py", "apply", 7};

/// Tables of a capture.
struct Tabled {
  Judged judged;
  Ops ops;
  Counted counted;
  Sums sums;

  Measured measured() const { return {judged.trace, judged.attribution, ops, sums}; }
};

Tabled tabled(const std::vector<Node>& nodes, const hlo::UserTest& user = hlo::is_user_code,
              const AttributeOptions& options = {}) {
  Tabled out{.judged = judged(simulate({small_program("jit_step", nodes)}, {.steps = 2})),
             .ops = {},
             .counted = {},
             .sums = {}};
  out.ops = find_ops(out.judged.trace, out.judged.attribution, user);
  out.counted = counted_labels(out.judged.attribution, options);
  out.sums = add_up(out.judged.trace, out.judged.attribution, out.ops, out.counted);
  return out;
}

/// file:line of the only op of a program.
std::string line_of(const Origin& origin, const std::vector<Origin>& members = {},
                    const hlo::UserTest& user = hlo::is_user_code) {
  Node node = fusion("f", "", origin);
  node.members = members;
  const Tabled out = tabled({graph({node})}, user);
  const Op& op = out.ops.rows.at(0);
  return op.source.user.file + ":" + std::to_string(op.source.user.line);
}

TEST(AttributeLines, OfEveryWayToSayWhereAnInstructionComesFrom) {  // Scenario 37
  EXPECT_EQ(line_of({.op_name = "jit(f)/add", .frames = {kUser}}), "/home/me/train.py:92");
  EXPECT_EQ(line_of({.op_name = "jit(f)/add", .source_file = "old.py", .source_line = 4}),
            "old.py:4");
  EXPECT_EQ(
      line_of(
          {.op_name = "jit(f)/add", .frames = {kUser}, .source_file = "old.py", .source_line = 4}),
      "/home/me/train.py:92")
      << "the frame wins";
  EXPECT_EQ(line_of({.op_name = "jit(f)/add", .frames = {kLibrary, kLibrary, kLibrary, kUser}}),
            "/home/me/train.py:92");
  EXPECT_EQ(line_of({.op_name = "jit(f)/add", .frames = {kLibrary}}),
            "/usr/lib/python3/site-packages/flax/linen.py:7")
      << "nothing but library: the innermost frame";
}

TEST(AttributeLines, OfAFusionWithoutMetadataAreItsMembers) {  // Scenario 37
  const Origin one{.op_name = "jit(f)/mul", .frames = {{"a.py", "f", 1}}};
  const Origin two{.op_name = "jit(f)/add", .frames = {{"a.py", "f", 2}}};
  const std::string line = line_of({}, {one, two, two});
  EXPECT_TRUE(line == "a.py:1" || line == "a.py:2") << line;
}

TEST(AttributeLines, AUserTestMayChooseALibrary) {  // Scenario 37
  const auto flax = [](const hlo::Location& frame) {
    return frame.file.find("flax") != std::string::npos;
  };
  EXPECT_EQ(line_of({.op_name = "jit(f)/add", .frames = {kUser, kLibrary}}, {}, flax),
            "/usr/lib/python3/site-packages/flax/linen.py:7");
}

TEST(AttributeLines, HostilePathsSurviveCsv) {  // Scenario 37
  const std::string path = "C:\\Users\\Jörg, \"J\"\\train.py";
  const Tabled out = tabled(
      {graph({fusion("f", "", {.op_name = "jit(f)/add", .frames = {{path, "main, \"x\"", 3}}})})});
  EXPECT_EQ(out.ops.rows.at(0).source.user.file, path);
  std::ostringstream csv;
  write_kernels_csv(out.judged.trace, out.judged.attribution, out.ops, out.counted, true, csv);
  EXPECT_NE(csv.str().find("\"C:\\Users\\Jörg, \"\"J\"\"\\train.py\""), std::string::npos)
      << csv.str();
}

TEST(AttributeLines, ForwardBackwardAndRecomputationAreRowsOfOneLine) {  // Scenario 38
  const auto at = [](const char* op_name) { return Origin{.op_name = op_name, .frames = {kUser}}; };
  const Tabled out = tabled(
      {graph({fusion("f", "1", at("jit(step)/jvp(dense)/dot_general")),
              fusion("b", "2", at("jit(step)/transpose(jvp(dense))/dot_general")),
              fusion("r", "3", at("jit(step)/transpose(jvp(dense))/rematted_computation/tanh"))})});
  expect_all_right(out.judged);
  const Table lines = lines_table(out.measured());
  std::set<std::string> phases;
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < lines.rows.size(); ++row) {
    const auto* file = std::get_if<std::string>(&test::at(lines, row, "file"));
    if (file == nullptr || *file != kUser.file) continue;
    phases.insert(std::get<std::string>(test::at(lines, row, "phase")));
    sum += std::get<std::int64_t>(test::at(lines, row, "total_ps"));
  }
  EXPECT_EQ(phases, (std::set<std::string>{"fwd", "bwd", "recompute"}));
  EXPECT_EQ(sum, out.sums.all.total_ps);
}

TEST(AttributeLines, OneProgramOfSeveralCanBeAskedFor) {  // Scenario 25
  const Recording recording =
      simulate({small_program("jit_step", {graph({fusion("f"), fusion("g")})}),
                small_program("jit_step", {graph({fusion("f"), fusion("h")})}, {.program_id = 23})},
               {.steps = 2});
  const AttributeOptions only{.program = 23};
  const Judged result = judged(recording, only);
  const Ops ops = find_ops(result.trace, result.attribution);
  const Counted counted = counted_labels(result.attribution, only);
  std::ostringstream csv;
  write_kernels_csv(result.trace, result.attribution, ops, counted, false, csv);
  const std::string rows = csv.str();
  EXPECT_EQ(std::ranges::count(rows, '\n'), 1 + 4) << rows;
  EXPECT_EQ(rows.find(",17,"), std::string::npos) << rows;
}

}  // namespace
}  // namespace jaxtrace::synth
