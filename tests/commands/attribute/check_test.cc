#include "commands/attribute/check.h"

#include <gtest/gtest.h>

#include <sstream>

#include "commands/attribute/made_up.h"

namespace jaxtrace::test {
namespace {

/// One execution after another of a program; each event is (kernel, instruction), launched in that
/// order.
using Launches = std::vector<std::pair<std::string, unsigned>>;

const std::vector<Line> kLines = {{"a"}, {"b"}, {"c"}, {"d"}};

void add_executions(MadeUp& made, std::uint32_t program, const std::vector<Launches>& executions) {
  std::int64_t begin = 0;
  std::uint64_t correlation = 1;
  for (std::uint32_t run = 0; run < executions.size(); ++run) {
    for (const auto& [kernel, instruction] : executions[run]) {
      made.event({.begin = begin++,
                  .duration = 1,
                  .kernel = kernel,
                  .label = label_of(program, instruction, Match::exact, Rule::tracer),
                  .execution = run,
                  .correlation = correlation++});
    }
  }
}

MadeUp capture(const std::vector<Launches>& executions, std::int64_t id = 17,
               std::string_view module = "jit_f") {
  MadeUp made;
  const auto program = made.program(module, id, program_of(kLines));
  made.lane(0, 0, 1);
  add_executions(made, program, executions);
  made.finish();
  return made;
}

Check compare(const MadeUp& here, const MadeUp& there) {
  return check({here.trace(), here.attribution()}, {there.trace(), there.attribution()}, {});
}

TEST(Check, AgreesWithItself) {
  const MadeUp made = capture({{{"k", 0}, {"k", 1}}, {{"k", 0}, {"k", 1}}});
  const Check result = compare(made, made);
  EXPECT_EQ(result.kernels, 4);
  EXPECT_EQ(result.agree, 4);
  EXPECT_EQ(result.executions, 2);
  EXPECT_TRUE(result.clean());
}

TEST(Check, ListsASwapOfTwoKernelsWithOneName) {
  const MadeUp here = capture({{{"k", 1}, {"k", 0}, {"m", 2}}}, 3);
  const MadeUp there = capture({{{"k", 0}, {"k", 1}, {"m", 2}}}, 99);
  const Check result = compare(here, there);
  EXPECT_EQ(result.kernels, 3) << "the program is found by name, whatever its id";
  EXPECT_EQ(result.agree, 1);
  EXPECT_FALSE(result.clean());
  std::ostringstream csv;
  write_check_csv(result, {here.trace(), here.attribution()}, {there.trace(), there.attribution()},
                  csv);
  EXPECT_EQ(csv.str(),
            "host,program_id,module,device,execution,position,kernel_here,instruction_here,"
            "kernel_there,instruction_there\n"
            "host0,3,jit_f,GPU:0,0,0,k,b,k,a\n"
            "host0,3,jit_f,GPU:0,0,1,k,a,k,b\n");
}

TEST(Check, IsNotShiftedByOneLostKernel) {
  const MadeUp here = capture({{{"k", 0}, {"k", 2}, {"m", 3}}});
  const MadeUp there = capture({{{"k", 0}, {"k", 1}, {"k", 2}, {"m", 3}}});
  const Check result = compare(here, there);
  EXPECT_EQ(result.kernels, 3);
  EXPECT_EQ(result.agree, 3);
  EXPECT_EQ(result.only_there, 1);
  EXPECT_FALSE(result.clean());
  ASSERT_EQ(result.differences.size(), 1u);
  EXPECT_EQ(result.differences[0].here, kAbsent);
  EXPECT_EQ(result.differences[0].position, 1u);
}

TEST(Check, ForgivesAnotherOrderOfDifferentKernels) {
  const MadeUp here = capture({{{"k", 0}, {"m", 1}}});
  const MadeUp there = capture({{{"m", 1}, {"k", 0}}});
  EXPECT_TRUE(compare(here, there).clean());
}

TEST(Check, OrdersByLaunchNotByStart) {
  MadeUp here;
  const auto program = here.program("jit_f", 17, program_of(kLines));
  here.lane(0, 0, 1);
  const auto event = [&](std::int64_t begin, unsigned instruction, std::uint64_t node) {
    here.event({.begin = begin,
                .duration = 1,
                .label = label_of(program, instruction, Match::order, Rule::graph_node),
                .execution = 0,
                .correlation = 5,
                .in_graph = true,
                .node = node});
  };
  event(0, 1, (std::uint64_t{7} << 32) | 2);
  event(1, 0, (std::uint64_t{7} << 32) | 1);
  here.finish();
  EXPECT_TRUE(compare(here, capture({{{"k", 0}, {"k", 1}}})).clean());
}

TEST(Check, SaysWhatItCouldNotCompare) {
  const MadeUp here = capture({{{"k", 0}}, {{"k", 0}}, {{"k", 0}}});
  const MadeUp there = capture({{{"k", 0}}});
  EXPECT_EQ(compare(here, there).executions_only_here, 2);
  EXPECT_EQ(compare(there, here).executions_only_there, 2);

  const Check nothing = compare(here, capture({{{"k", 0}}}, 17, "jit_g"));
  EXPECT_EQ(nothing.unmatched_programs, (std::vector<std::string>{"jit_f(17)"}));
  EXPECT_FALSE(nothing.clean()) << "nothing compared is no agreement";
}

TEST(Check, TellsProgramsOfOneNameApartByIdThenByOrder) {
  const auto two = [](std::int64_t first, std::int64_t second) {
    MadeUp made;
    const auto a = made.program("jit_f", first, program_of(kLines));
    const auto b = made.program("jit_f", second, program_of(kLines));
    made.lane(0, 0, 1);
    add_executions(made, a, {{{"k", 0}}});
    made.event({.begin = 100,
                .duration = 1,
                .label = label_of(b, 1, Match::exact, Rule::tracer),
                .execution = 0,
                .correlation = 100});
    made.finish();
    return made;
  };
  EXPECT_TRUE(compare(two(5, 9), two(5, 9)).clean());
  EXPECT_TRUE(compare(two(5, 9), two(6, 10)).clean());
}

}  // namespace
}  // namespace jaxtrace::test
