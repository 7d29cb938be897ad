// Launch order and executions, on recordings of a few kernels.
#include "attribution/groups.h"

#include "attribution/scenario.h"
#include "support/capture.h"

namespace jaxtrace::synth {
namespace {

struct Grouped {
  Trace trace;
  std::vector<Group> groups;

  /// Kernel names of a group in launch order, a bar before each execution but the first.
  std::string order(std::size_t group = 0) const {
    std::string out;
    const Group& of = groups.at(group);
    for (std::size_t k = 0; k < of.events.size(); ++k) {
      if (k > 0 && std::ranges::binary_search(of.executions, k)) out += '|';
      out += trace.strings[trace.events.name[of.events[k]]];
    }
    return out;
  }
};

Grouped grouped(const Recording& recording) {
  Grouped out{.trace = read_bytes(xspace_bytes(recording)), .groups = {}};
  const Launches launches = find_launches(out.trace);
  std::vector<Finding> findings;
  const Programs programs = find_programs(out.trace, launches, findings);
  out.groups =
      group_work(out.trace, launches, programs, std::vector<bool>(out.trace.device_events, false));
  return out;
}

Program letters(const std::vector<Node>& nodes, std::int64_t id = 17) {
  return small_program("jit_" + std::to_string(id), nodes, {.program_id = id});
}

TEST(Groups, AreOneForEachDeviceAndProgram) {
  const Grouped result =
      grouped(simulate({letters({fusion("a"), fusion("b")}), letters({fusion("c")}, 19)},
                       {.devices = 2, .steps = 2}));
  ASSERT_EQ(result.groups.size(), 4u);
  EXPECT_EQ(result.order(0), "ab|ab");
  EXPECT_EQ(result.order(1), "c|c");
  EXPECT_EQ(result.order(2), "ab|ab");
  EXPECT_TRUE(result.groups[0].executions_known);
}

TEST(Groups, FollowTheLaunchesNotTheStarts) {
  Recording recording =
      simulate({letters({graph({fusion("a"), fusion("b"), fusion("c")})})}, {.steps = 2});
  reorder_in_graphs(recording, 1, 1);
  EXPECT_EQ(grouped(recording).order(), "abc|abc") << "by node id";
  strip_node_ids(recording);
  EXPECT_EQ(grouped(recording).order(), "bac|bac") << "by start, where there is nothing better";
}

TEST(Groups, AreOneExecutionWhereTheHostSaysNothing) {
  Recording recording = simulate({letters({fusion("a"), fusion("b")})}, {.steps = 3});
  strip_host_events(recording);
  const Grouped result = grouped(recording);
  EXPECT_EQ(result.order(), "ababab");
  EXPECT_FALSE(result.groups[0].executions_known);
}

TEST(Groups, KeepTheIterationsOfALoopInsideAGraphApart) {
  const Recording recording =
      simulate({letters({graph({fusion("a"), loop("w", 3, {fusion("b"), fusion("c")})})})},
               {.steps = 1, .control_kernels = false});
  EXPECT_EQ(grouped(recording).order(), "abcbcbc") << "nodes repeat, time goes on";
}

}  // namespace
}  // namespace jaxtrace::synth
