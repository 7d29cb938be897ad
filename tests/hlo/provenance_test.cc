#include "hlo/provenance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "jaxtrace/readers.h"
#include "support/capture.h"

namespace jaxtrace::hlo {
namespace {

/// A program of an entry computation (0) and one fused computation (1), built step by step.
class Builder {
 public:
  Builder() {
    program_.computations.resize(2);
    program_.entry = ComputationId{0};
  }

  FrameId frame(std::string file, std::int32_t line, std::string function, FrameId parent = 0) {
    program_.frames.push_back({std::move(file), std::move(function), line, parent});
    return static_cast<FrameId>(program_.frames.size());
  }

  InstructionId add(std::string opcode, std::string op_name, FrameId at = 0,
                    std::vector<InstructionId> operands = {}, unsigned computation = 0) {
    Instruction made;
    made.opcode = std::move(opcode);
    made.op_name = std::move(op_name);
    made.frame = at;
    made.operands = std::move(operands);
    made.computation = ComputationId{computation};
    if (made.opcode == "fusion" && computation == 0) made.called = {ComputationId{1}};
    const auto id = static_cast<InstructionId>(program_.instructions.size());
    program_.instructions.push_back(std::move(made));
    program_.computations[computation].instructions.push_back(id);
    program_.computations[computation].root = id;
    return id;
  }

  InstructionId member(std::string opcode, std::string op_name, FrameId at = 0,
                       std::vector<InstructionId> operands = {}) {
    return add(std::move(opcode), std::move(op_name), at, std::move(operands), 1);
  }

  Instruction& operator[](InstructionId id) {
    return program_.instructions[static_cast<std::size_t>(id)];
  }

  Frame& at(FrameId id) { return program_.frames[id - 1]; }

  Provenance of(InstructionId id, const UserTest& user = is_user_code) const {
    return provenances(program_, std::vector{id}, user).front();
  }

 private:
  Program program_;
};

TEST(UserCode, IsOutsideInstalledPackages) {
  const auto is_user = [](std::string file) { return is_user_code({std::move(file), 1, "f"}); };
  EXPECT_TRUE(is_user("/home/me/model.py"));
  EXPECT_TRUE(is_user("model.py"));
  EXPECT_TRUE(is_user("/home/me/jax-models/train.py"));
  EXPECT_TRUE(is_user("C:\\work\\model.py"));
  EXPECT_TRUE(is_user("/home/mé/モデル.py"));
  EXPECT_FALSE(is_user("/opt/venv/lib/python3.12/site-packages/flax/linen.py"));
  EXPECT_FALSE(is_user("/usr/lib/python3/dist-packages/numpy/core.py"));
  EXPECT_FALSE(is_user("/src/jax/jax/_src/numpy/lax_numpy.py"));
  EXPECT_FALSE(is_user("C:\\Python\\Lib\\site-packages\\flax\\linen.py"));
  EXPECT_FALSE(is_user("jaxlib/mlir/ir.py"));
  EXPECT_FALSE(is_user("<frozen importlib._bootstrap>"));
  EXPECT_FALSE(is_user("<string>"));
  EXPECT_FALSE(is_user(""));
}

TEST(Provenance, TakesTheInnermostUserFrame) {
  Builder build;
  const FrameId main = build.frame("/home/me/train.py", 158, "main");
  const FrameId block = build.frame("/home/me/train.py", 77, "block", main);
  const FrameId outer = build.frame("/v/site-packages/te/attention.py", 1110, "attn", block);
  const FrameId inner = build.frame("/v/site-packages/te/cpp.py", 2680, "fwd", outer);
  const Provenance found = build.of(build.add("custom-call", "jit(f)/transpose(jvp())/ffi", inner));

  EXPECT_EQ(found.user, (Location{"/home/me/train.py", 77, "block"}));
  EXPECT_EQ(found.primary, (Location{"/v/site-packages/te/cpp.py", 2680, "fwd"}));
  EXPECT_EQ(found.stack.size(), 4u);
  EXPECT_EQ(found.origin, Origin::own);
  EXPECT_FALSE(found.library);
  EXPECT_EQ(found.phase, Phase::backward);
}

TEST(Provenance, FlagsAStackOfLibraryFramesOnly) {
  Builder build;
  const FrameId outer = build.frame("/v/site-packages/a.py", 1, "outer");
  const FrameId inner = build.frame("/v/site-packages/b.py", 2, "inner", outer);
  const Provenance found = build.of(build.add("copy", "jit(f)/copy", inner));
  EXPECT_TRUE(found.library);
  EXPECT_EQ(found.user, (Location{"/v/site-packages/b.py", 2, "inner"})) << "the innermost";
}

TEST(Provenance, ReadsSourceFileWhereThereIsNoFrame) {
  Builder build;
  const InstructionId id = build.add("add", "jit(f)/add");
  build[id].source_file = "/home/me/old.py";
  build[id].source_line = 5;
  EXPECT_EQ(build.of(id).user, (Location{"/home/me/old.py", 5, ""}));
}

TEST(Provenance, BelievesTheFramesIfSourceFileDisagrees) {
  Builder build;
  const InstructionId id = build.add("add", "jit(f)/add", build.frame("/home/me/a.py", 1, "f"));
  build[id].source_file = "/home/me/b.py";
  build[id].source_line = 2;
  EXPECT_EQ(build.of(id).user.file, "/home/me/a.py");
  EXPECT_EQ(build.of(id).stack.size(), 1u);
}

TEST(Provenance, FallsBackToSourceFileIfTheChainWasCutBeforeUserCode) {
  Builder build;
  const InstructionId id =
      build.add("add", "jit(f)/add", build.frame("/v/site-packages/deep.py", 1, "f"));
  build[id].source_file = "/home/me/b.py";
  build[id].source_line = 2;
  const Provenance found = build.of(id);
  EXPECT_EQ(found.user, (Location{"/home/me/b.py", 2, ""}));
  EXPECT_FALSE(found.library);
}

TEST(Provenance, SurvivesFramesThatLeadNowhereOrInCircles) {
  Builder build;
  const FrameId a = build.frame("/v/site-packages/a.py", 1, "a", 2);
  build.frame("/v/site-packages/b.py", 2, "b", a);
  const Provenance circle = build.of(build.add("add", "", a));
  EXPECT_EQ(circle.stack.size(), 2u);

  const Provenance nowhere = build.of(build.add("add", "", 99));
  EXPECT_EQ(nowhere.origin, Origin::none);

  build.at(a).parent = 77;
  EXPECT_EQ(build.of(build.add("add", "", a)).stack.size(), 1u);
  EXPECT_EQ(build.of(InstructionId::none).origin, Origin::none);
}

TEST(Provenance, LetsTheCallerSayWhatIsUserCode) {
  Builder build;
  const FrameId user = build.frame("/home/me/train.py", 77, "block");
  const FrameId library = build.frame("/v/site-packages/te/attention.py", 9, "attn", user);
  const Provenance found = build.of(build.add("add", "", library),
                                    [](const Location& frame) { return frame.function == "attn"; });
  EXPECT_EQ(found.user.line, 9);
  EXPECT_FALSE(found.library);
}

TEST(Provenance, OfAFusionPrefersItsOwnMetadataThenItsRoot) {
  Builder build;
  const FrameId own = build.frame("/home/me/a.py", 1, "f");
  const FrameId root = build.frame("/home/me/a.py", 2, "f");
  const InstructionId reduce = build.member("reduce", "jit(f)/jvp()/reduce_sum", root);
  build.member("bitcast", "", 0, {reduce});
  const Provenance with_own = build.of(build.add("fusion", "jit(f)/mul", own));
  EXPECT_EQ(with_own.user.line, 1);
  EXPECT_EQ(with_own.op_name, "jit(f)/mul");

  const Provenance without = build.of(build.add("fusion", ""));
  EXPECT_EQ(without.user.line, 2) << "the root is a bitcast, so its producer is asked";
  EXPECT_EQ(without.op_name, "jit(f)/jvp()/reduce_sum");
  EXPECT_EQ(without.phase, Phase::forward);
  EXPECT_EQ(without.origin, Origin::member);
}

TEST(Provenance, OfAFusionWithoutALocatedRootIsTheCostliestMembers) {
  Builder build;
  build.member("add", "jit(f)/add", build.frame("/home/me/a.py", 1, "f"));
  build.member("transpose", "jit(f)/transpose", build.frame("/home/me/a.py", 2, "f"));
  build.member("dot", "jit(f)/dot_general", build.frame("/home/me/a.py", 3, "f"));
  build.member("tuple", "");
  EXPECT_EQ(build.of(build.add("fusion", "")).user.line, 3);
}

TEST(Provenance, OfAFusionOfEqualsIsTheCommonestLine) {
  Builder build;
  build.member("add", "jit(f)/add", build.frame("/home/me/a.py", 1, "f"));
  const FrameId common = build.frame("/home/me/a.py", 2, "f");
  build.member("multiply", "jit(f)/mul", common);
  build.member("subtract", "jit(f)/sub", common);
  build.member("exponential", "jit(f)/exp", build.frame("/home/me/b.py", 1, "g"));
  build.member("tuple", "");
  const Provenance found = build.of(build.add("fusion", ""));

  EXPECT_EQ(found.user.line, 2);
  EXPECT_EQ(found.user_members, 2u);
  ASSERT_EQ(found.other_lines.size(), 2u);
  EXPECT_EQ(found.other_lines[0].at, (Location{"/home/me/a.py", 1, "f"}));
  EXPECT_EQ(found.other_lines[0].members, 1u);
  EXPECT_EQ(found.other_lines[1].at, (Location{"/home/me/b.py", 1, "g"}));
}

TEST(Provenance, OfAFusionWithoutAnyLocationIsInheritedAndSaysSo) {
  Builder build;
  const InstructionId producer =
      build.add("dot", "jit(f)/dot_general", build.frame("/home/me/a.py", 1, "f"));
  const InstructionId part = build.add("get-tuple-element", "", 0, {producer});
  build.member("copy", "");
  const InstructionId fusion = build.add("fusion", "", 0, {part});
  EXPECT_EQ(build.of(fusion).user.line, 1);
  EXPECT_EQ(build.of(fusion).origin, Origin::inherited);
  EXPECT_EQ(build.of(fusion).op_name, "jit(f)/dot_general");
}

TEST(Provenance, OfAFusionAtTheStartComesFromItsUser) {
  Builder build;
  const InstructionId parameter =
      build.add("parameter", "params['w']", build.frame("/home/me/main.py", 9, "main"));
  build.member("transpose", "");
  const InstructionId fusion = build.add("fusion", "", 0, {parameter});
  const InstructionId view = build.add("bitcast", "", 0, {fusion});
  build.add("dot", "jit(f)/dot_general", build.frame("/home/me/a.py", 1, "f"), {view});
  EXPECT_EQ(build.of(fusion).user.line, 1) << "not the line that called the program";
  EXPECT_EQ(build.of(fusion).origin, Origin::inherited);
}

TEST(Provenance, InventsNothingForACopyOfTheCompiler) {
  Builder build;
  const InstructionId dot =
      build.add("dot", "jit(f)/dot_general", build.frame("/home/me/a.py", 1, "f"));
  const Provenance found = build.of(build.add("copy", "", 0, {dot}));
  EXPECT_EQ(found.origin, Origin::none);
  EXPECT_TRUE(found.user.file.empty());
  EXPECT_TRUE(found.op_name.empty());
  EXPECT_EQ(found.phase, Phase::other);
}

// The capture's frames say: attention.py:1110 of transformer_engine, called from :77 of the script.
TEST(Provenance, FindsTheUserLineOfARealCapture) {
  if (real_captures().empty()) GTEST_SKIP() << "JAXTRACE_CAPTURES is not set";
  const Trace trace = read_capture(real_captures() / "jax-rocm/te-attention-mi355x");
  const auto module = std::ranges::find_if(trace.modules, [&](const Module& candidate) {
    return trace.strings[candidate.name] == "jit_loss_fn";
  });
  ASSERT_NE(module, trace.modules.end());
  const auto program = parse_program(module->hlo_proto);
  ASSERT_TRUE(program);
  const std::vector wanted{program->find("te_fused_attn_backward_ffi.12"),
                           program->find("loop_reduce_fusion.1")};
  const auto found = provenances(*program, wanted);

  EXPECT_TRUE(found[0].user.file.ends_with("12_te_fused_attn.py")) << found[0].user.file;
  EXPECT_EQ(found[0].user.line, 77);
  EXPECT_EQ(found[0].user.function, "_build_layer_stack_fn.<locals>.block");
  EXPECT_TRUE(found[0].primary.file.ends_with("attention.py"));
  EXPECT_EQ(found[0].phase, Phase::backward);

  EXPECT_EQ(found[1].origin, Origin::member) << "it has no metadata of its own";
  EXPECT_FALSE(found[1].op_name.empty());
}

}  // namespace
}  // namespace jaxtrace::hlo
