#include "hlo/op_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace jaxtrace::hlo {
namespace {

using Views = std::vector<std::string_view>;

// Spellings of jax 0.4.35 and of 0.10.2, from programs that XLA compiled.
TEST(Phase, FollowsTheTransformations) {
  EXPECT_EQ(phase_of("jit(train_step)/jvp(attention)/split"), Phase::forward);
  EXPECT_EQ(phase_of("jit(loss_fn)/transpose(jvp(bsd,de->bse))/dot_general"), Phase::backward);
  EXPECT_EQ(phase_of("jit(f)/transpose(jvp(jvp()))/checkpoint/mlp/mul"), Phase::backward);
  EXPECT_EQ(phase_of("jit(f)/transpose(jvp(jvp()))/checkpoint/rematted_computation/mlp/mul"),
            Phase::recompute);
  EXPECT_EQ(phase_of("jit(f)/jit(main)/transpose(jvp(checkpoint))/rematted_computation/mlp/mul"),
            Phase::recompute);
  EXPECT_EQ(phase_of("jit(f)/jit(main)/transpose(jvp(checkpoint))/mlp/mul"), Phase::backward);
  EXPECT_EQ(phase_of("jit(f)/vmap(transpose(jvp(g)))/mul"), Phase::backward);
  EXPECT_EQ(phase_of("jit(f)/checkpoint/mul"), Phase::forward);
  EXPECT_EQ(phase_of("jit(train_step)/sub"), Phase::other) << "the optimizer";
  EXPECT_EQ(phase_of(""), Phase::other);
}

TEST(Phase, IsNotMistakenByNamesThatOnlyLookAlike) {
  EXPECT_EQ(phase_of("jit(f)/jit(_transpose)/transpose"), Phase::other);
  EXPECT_EQ(phase_of("jit(f)/my_transpose(x)/mul"), Phase::other);
  EXPECT_EQ(phase_of("jit(f)/load_checkpoint/mul"), Phase::other);
}

TEST(PathParts, SplitOutsideParentheses) {
  EXPECT_EQ(path_parts("jit(f)/transpose(jvp(a/b))/mul"),
            (Views{"jit(f)", "transpose(jvp(a/b))", "mul"}));
  EXPECT_EQ(path_parts("/jit(f)//mul/"), (Views{"jit(f)", "mul"}));
  EXPECT_EQ(path_parts("odd(/name"), (Views{"odd(", "name"})) << "unbalanced: every slash splits";
  EXPECT_EQ(path_parts("a)/(b"), (Views{"a)", "(b"}));
  EXPECT_TRUE(path_parts("").empty());
}

TEST(Scopes, LeaveThePrimitiveOut) {
  EXPECT_EQ(scopes_of("jit(f)/while/body/add"),
            (Views{"jit(f)", "jit(f)/while", "jit(f)/while/body"}));
  EXPECT_TRUE(scopes_of("reduce_sum").empty());
}

TEST(Scopes, KeepALastPartThatIsACall) {
  EXPECT_EQ(scopes_of("jit(f)/jit(g)"), (Views{"jit(f)", "jit(f)/jit(g)"}));
}

}  // namespace
}  // namespace jaxtrace::hlo
