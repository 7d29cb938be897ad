// The HLO of small programs and their thunks tell the same story: two descriptions of XLA's rules,
// the generator's and src/hlo's, written apart.
#include "support/small_program.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hlo/program.h"
#include "hlo/schedule.h"
#include "support/random.h"

namespace jaxtrace::synth {
namespace {

/// "id instruction=kernel" of every thunk that launches something, from the thunks …
void list(const std::vector<Thunk>& thunks, const Program& program, std::vector<std::string>& out) {
  for (const Thunk& thunk : thunks) {
    if (!thunk.kernel.empty()) {
      out.push_back(std::to_string(thunk.id) + " " + thunk.instruction + "=" + thunk.kernel);
    }
    const auto facts = program.facts.find(thunk.instruction);
    const bool counted = facts != program.facts.end() && facts->second.trips.has_value();
    for (const ThunkSection& section : thunk.sections) {
      if (!(counted && section.name == "condition")) list(section.thunks, program, out);
    }
  }
}

/// … and from the HLO.
std::vector<std::string> list(const hlo::Program& program) {
  std::vector<std::string> out;
  for (const hlo::Slot& slot : hlo::build_schedule(program).slots) {
    if (slot.work != hlo::Work::own_kernel) continue;
    out.push_back(std::to_string(slot.thunk) + " " + program[slot.instruction].name + "=" +
                  slot.kernel_name);
  }
  return out;
}

TEST(SmallProgram, ThunksAndHloAgree) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Program made = small_program("jit_random", random_nodes(random, 60));
    const auto parsed = hlo::parse_program(made.hlo);
    ASSERT_TRUE(parsed.has_value());
    std::vector<std::string> thunks;
    list(made.thunks, made, thunks);
    EXPECT_EQ(list(*parsed), thunks);
  }
}

TEST(SmallProgram, CommandBuffersAreNamedAfterTheirFirstThunk) {
  const Program made = small_program(
      "jit_step", {fusion("a"), loop("while.1", 2, {graph({fusion("b"), fusion("c")})}),
                   call("call.3", {fusion("d")})});
  // 1 is a, 2 the loop, 3 its condition's comparison.
  EXPECT_EQ(made.thunks[1].sections[1].thunks[0].instruction, "command_buffer_4");
  EXPECT_EQ(made.thunks[2].instruction, "call.3") << "as the HLO calls it";
}

TEST(SmallProgram, KeepsOriginsOfInstructions) {
  const Origin origin{.op_name = "jit(step)/layer/add",
                      .frames = {{"model.py", "forward", 12}, {"train.py", "main", 3}}};
  const Program made =
      small_program("jit_step", {fusion("a", "", origin), fusion("b", "", origin)});
  const auto parsed = hlo::parse_program(made.hlo);
  ASSERT_TRUE(parsed.has_value());
  const hlo::InstructionId id = parsed->find("b");
  ASSERT_NE(id, hlo::InstructionId::none);
  const hlo::Instruction& b = (*parsed)[id];
  EXPECT_EQ(b.op_name, "jit(step)/layer/add");
  ASSERT_GE(b.frame, 1u);
  const hlo::Frame& frame = parsed->frames[b.frame - 1];
  EXPECT_EQ(frame.file, "model.py");
  EXPECT_EQ(frame.line, 12);
  ASSERT_GE(frame.parent, 1u);
  EXPECT_EQ(parsed->frames[frame.parent - 1].function, "main");
  EXPECT_EQ(parsed->frames.size(), 2u) << "equal frames are one";
}

}  // namespace
}  // namespace jaxtrace::synth
