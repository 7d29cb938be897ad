// The rules by which XLA names and shares kernels, each on a program made for it.
#include "hlo/kernel_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hlo/name_uniquer.h"
#include "hlo/program.h"
#include "proto/hlo.pb.h"
#include "support/xla_programs.h"

namespace jaxtrace::hlo {
namespace {

/// A program of fusions `f(x)`, each with a fused computation of its own.
struct Fusions {
  pb::HloProto proto;
  std::int64_t next_id = 100;
  std::int64_t next_buffer = 1;
  std::vector<std::int64_t> entry_ids;

  Fusions() {
    auto& entry = *proto.mutable_hlo_module()->add_computations();
    entry.set_name("entry");
    entry.set_id(1);
    proto.mutable_hlo_module()->set_entry_computation_id(1);
  }
  pb::HloComputationProto& entry() { return *proto.mutable_hlo_module()->mutable_computations(0); }

  std::int64_t parameter() {
    auto& i = *entry().add_instructions();
    i.set_id(next_id++);
    i.set_name("x" + std::to_string(i.id()));
    i.set_opcode("parameter");
    i.mutable_shape()->set_element_type(11);
    return i.id();
  }

  std::int64_t fusion(const std::string& name, const std::string& opcode, std::int64_t operand) {
    auto& fused = *proto.mutable_hlo_module()->add_computations();
    fused.set_id(next_id++);
    fused.set_name("fused" + name);
    fused.set_is_fusion_computation(true);
    auto& parameter = *fused.add_instructions();
    parameter.set_id(next_id++);
    parameter.set_name("p" + name);
    parameter.set_opcode("parameter");
    parameter.mutable_shape()->set_element_type(11);
    auto& root = *fused.add_instructions();
    root.set_id(next_id++);
    root.set_name("r" + name);
    root.set_opcode(opcode);
    root.mutable_shape()->set_element_type(11);
    root.add_operand_ids(parameter.id());
    root.mutable_metadata()->set_op_name("jit(f)/" + name);
    fused.set_root_id(root.id());

    auto& i = *entry().add_instructions();
    i.set_id(next_id++);
    i.set_name(name);
    i.set_opcode("fusion");
    i.set_fusion_kind("kLoop");
    i.mutable_shape()->set_element_type(11);
    i.add_operand_ids(operand);
    i.add_called_computation_ids(fused.id());
    return i.id();
  }

  void place(std::int64_t instruction, std::int64_t allocation, std::int64_t offset) {
    auto& assignment = *proto.mutable_buffer_assignment();
    auto& logical = *assignment.add_logical_buffers();
    logical.set_id(next_buffer++);
    logical.mutable_defined_at()->set_instruction_id(instruction);
    while (assignment.buffer_allocations_size() <= allocation) {
      auto& added = *assignment.add_buffer_allocations();
      added.set_index(assignment.buffer_allocations_size() - 1);
      added.set_is_entry_computation_parameter(added.index() == 0);
    }
    auto& assigned =
        *assignment.mutable_buffer_allocations(static_cast<int>(allocation))->add_assigned();
    assigned.set_logical_buffer_id(logical.id());
    assigned.set_offset(offset);
    assigned.set_size(4);
  }

  Program parse() const {
    auto program = parse_program(proto.SerializeAsString());
    EXPECT_TRUE(program);
    return std::move(program).value_or(Program{});
  }
};

std::string kernel(const Program& program, const std::string& name) {
  return program[program.find(name)].kernel_name;
}

std::vector<std::string> names(const Program& program, const std::vector<InstructionId>& ids) {
  std::vector<std::string> out;
  for (const InstructionId id : ids) out.push_back(program[id].name);
  return out;
}

TEST(KernelNames, CharactersThatNoSymbolHasBecomeUnderscores) {
  EXPECT_EQ(sanitised("input_transpose_fusion.1"), "input_transpose_fusion_1");
  EXPECT_EQ(sanitised("a-b$c d\xc3\xa9"), "a_b$c_d__");
}

TEST(KernelNames, TakenNamesGetTheLowestFreeNumber) {
  NameUniquer uniquer;
  EXPECT_EQ(uniquer.unique("a_1"), "a_1");
  EXPECT_EQ(uniquer.unique("a_1"), "a_1__1");
  EXPECT_EQ(uniquer.unique("a_1__3"), "a_1__3");
  EXPECT_EQ(uniquer.unique("a_1"), "a_1__2");
  EXPECT_EQ(uniquer.unique("a_1"), "a_1__4");
  EXPECT_EQ(uniquer.unique("__5"), "__5");
}

TEST(KernelNames, EqualFusionsRunUnderTheFirstOnesName) {
  Fusions f;
  const std::int64_t x = f.parameter();
  f.place(x, 0, 0);
  // Emission order decides, not the numbers in the names.
  f.place(f.fusion("loop_fusion.3", "sine", x), 1, 0);
  f.place(f.fusion("loop_fusion.2", "sine", x), 1, 128);
  f.place(f.fusion("loop_fusion", "cosine", x), 1, 256);
  const Program program = f.parse();
  EXPECT_TRUE(program.names_certain);
  EXPECT_EQ(kernel(program, "loop_fusion.3"), "loop_fusion_3");
  EXPECT_EQ(kernel(program, "loop_fusion.2"), "loop_fusion_3");
  EXPECT_EQ(kernel(program, "loop_fusion"), "loop_fusion");
  EXPECT_EQ(names(program, kernel_candidates(program, "loop_fusion_3")),
            (std::vector<std::string>{"loop_fusion.3", "loop_fusion.2"}));
}

TEST(KernelNames, ArgumentsOfAnotherAlignmentOrAliasingNeedAnotherKernel) {
  Fusions f;
  const std::int64_t x = f.parameter();
  f.place(x, 0, 0);
  const std::int64_t a = f.fusion("a", "sine", x);  // of a parameter
  f.place(a, 1, 0);
  const std::int64_t b = f.fusion("b", "sine", a);  // of a temporary
  f.place(b, 1, 128);
  const std::int64_t c = f.fusion("c", "sine", b);  // in place
  f.place(c, 1, 128);
  f.place(f.fusion("d", "sine", c), 1, 0);
  const Program program = f.parse();
  EXPECT_EQ(kernel(program, "a"), "a");
  EXPECT_EQ(kernel(program, "b"), "b");
  EXPECT_EQ(kernel(program, "c"), "c");
  EXPECT_EQ(kernel(program, "d"), "b");
  EXPECT_EQ(program[program.find("a")].name_group, program[program.find("d")].name_group);
}

TEST(KernelNames, BackendConfigsAreNotPartOfTheKey) {
  Fusions f;
  const std::int64_t x = f.parameter();
  f.place(x, 0, 0);
  f.place(f.fusion("a", "sine", x), 1, 0);
  f.place(f.fusion("b", "sine", x), 1, 128);
  auto& computation = *f.proto.mutable_hlo_module()->mutable_computations(2);
  computation.mutable_instructions(1)->set_backend_config("{\"sizes\":[\"16\"]}");
  f.entry().mutable_instructions(2)->set_backend_config("{\"fusion_backend_config\":{}}");
  EXPECT_EQ(kernel(f.parse(), "b"), "a");
}

TEST(KernelNames, SanitisedNamesThatCollideAreToldApart) {
  Fusions f;
  const std::int64_t x = f.parameter();
  f.place(x, 0, 0);
  f.place(f.fusion("a.1", "sine", x), 1, 0);
  f.place(f.fusion("a_1", "cosine", x), 1, 128);
  const Program program = f.parse();
  EXPECT_EQ(kernel(program, "a.1"), "a_1");
  EXPECT_EQ(kernel(program, "a_1"), "a_1__1");
}

TEST(KernelNames, WithoutBuffersEveryLaterMemberOfTheGroupIsACandidate) {
  Fusions f;
  const std::int64_t x = f.parameter();
  f.fusion("a", "sine", x);
  f.fusion("b", "sine", x);
  f.fusion("other", "cosine", x);
  f.fusion("c", "sine", x);
  const Program program = f.parse();
  EXPECT_FALSE(program.names_certain);
  const auto candidates = [&](const char* name) {
    return names(program, kernel_candidates(program, name));
  };
  EXPECT_EQ(candidates("a"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(candidates("b"), (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(candidates("other"), (std::vector<std::string>{"other"}));
  EXPECT_TRUE(candidates("nobody").empty());
}

TEST(KernelNames, TritonCallsShareByConfigAndAreNamedInIt) {
  Fusions f;
  const std::int64_t x = f.parameter();
  for (const char* name : {"custom-call.1", "custom-call.2"}) {
    auto& i = *f.entry().add_instructions();
    i.set_id(f.next_id++);
    i.set_name(name);
    i.set_opcode("custom-call");
    i.set_custom_call_target("__gpu$xla.gpu.triton");
    i.set_backend_config(R"({name = "add_kernel", ir = "module {}", num_warps = 4 : i32})");
    i.add_operand_ids(x);
  }
  const Program program = f.parse();
  EXPECT_EQ(kernel(program, "custom-call.1"), "add_kernel");
  EXPECT_EQ(kernel(program, "custom-call.2"), "add_kernel");
}

TEST(KernelNames, WithoutTheBufferAssignmentTheTrueNameIsAmongTheCandidates) {
  for (const auto& folder : program_folders()) {
    const XlaProgram truth = read_program(folder);
    pb::HloProto proto;
    ASSERT_TRUE(proto.ParseFromString(truth.hlo));
    proto.clear_buffer_assignment();
    const auto program = parse_program(proto.SerializeAsString());
    ASSERT_TRUE(program);
    std::map<std::string, std::vector<std::string>> candidates;
    for (const Thunk& thunk : truth.thunks) {
      const InstructionId id = program->find(thunk.instruction);
      if (thunk.kernel.empty() || id == InstructionId::none) continue;
      if ((*program)[id].opcode != "fusion" || thunk.kernel.find("sort") == 0) continue;
      auto& found = candidates[thunk.kernel];
      if (found.empty()) found = names(*program, kernel_candidates(*program, thunk.kernel));
      EXPECT_NE(std::ranges::find(found, thunk.instruction), found.end())
          << truth.name << ": " << thunk.kernel << " for " << thunk.instruction;
    }
  }
}

}  // namespace
}  // namespace jaxtrace::hlo
