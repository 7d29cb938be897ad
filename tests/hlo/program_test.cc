// What parse_program keeps of an HloProto, and what it drops.
#include "hlo/program.h"

#include <gtest/gtest.h>

#include <string>

#include "proto/hlo.pb.h"
#include "support/xla_programs.h"

namespace jaxtrace::hlo {
namespace {

TEST(ParseProgram, WhatIsNoProtoIsNothing) {
  EXPECT_FALSE(parse_program(""));
  EXPECT_FALSE(parse_program("not a proto"));
  EXPECT_FALSE(parse_program(pb::HloProto().SerializeAsString()));
}

TEST(ParseProgram, ReadsAProgramOfXlas) {
  const auto program = parse_program(
      gunzip(std::string(JAXTRACE_SOURCE_DIR) + "/testdata/programs/control-h100/hlo.pb.gz"));
  ASSERT_TRUE(program);
  EXPECT_EQ(program->module_name, "jit_program");
  EXPECT_TRUE(program->scheduled);
  EXPECT_TRUE(program->names_certain);
  EXPECT_EQ(program->emitter, Emitter::since_jax_0_10);
  EXPECT_EQ((*program)[program->entry].name, "main.22");
  const Instruction& loop = (*program)[program->find("while.22")];
  EXPECT_EQ(loop.opcode, "while");
  ASSERT_EQ(loop.called.size(), 2U);
  EXPECT_EQ((*program)[loop.called[0]].name, "region_0.7");
  EXPECT_FALSE(program->frames.empty());
  const Instruction& fusion = (*program)[program->find("loop_add_fusion.6")];
  EXPECT_EQ(fusion.kernel_name, "loop_add_fusion_5");
  EXPECT_EQ(fusion.result_bytes, 4);
  EXPECT_EQ(program->find("no such thing"), InstructionId::none);
}

TEST(ParseProgram, DanglingReferencesAreDropped) {
  pb::HloProto proto;
  auto& module = *proto.mutable_hlo_module();
  module.set_entry_computation_id(77);
  auto& c = *module.add_computations();
  c.set_id(1);
  c.set_name("only");
  c.set_root_id(99);
  auto& i = *c.add_instructions();
  i.set_id(5);
  i.set_name("a");
  i.set_opcode("add");
  i.add_operand_ids(6);
  i.add_called_computation_ids(3);
  i.mutable_metadata()->set_stack_frame_id(4);
  (*module.mutable_schedule()->add_sequences()).set_key(8);
  const auto program = parse_program(proto.SerializeAsString());
  ASSERT_TRUE(program);
  EXPECT_EQ((*program)[program->entry].name, "only");
  EXPECT_EQ((*program)[program->entry].root, InstructionId::none);
  const Instruction& a = (*program)[program->find("a")];
  EXPECT_TRUE(a.operands.empty());
  EXPECT_TRUE(a.called.empty());
  EXPECT_EQ(a.frame, 0U);
  EXPECT_FALSE(program->scheduled);
  EXPECT_FALSE(program->names_certain);
}

TEST(ParseProgram, AgeIsReadFromTheBackendConfigs) {
  const auto emitter = [](const std::string& config) {
    pb::HloProto proto;
    auto& c = *proto.mutable_hlo_module()->add_computations();
    auto& i = *c.add_instructions();
    i.set_opcode("fusion");
    i.set_backend_config(config);
    return parse_program(proto.SerializeAsString())->emitter;
  };
  EXPECT_EQ(emitter(R"({"operation_queue_id":"0","wait_on_operation_queues":[]})"),
            Emitter::until_jax_0_6);
  EXPECT_EQ(
      emitter(
          R"({"operation_queue_id":"0","wait_on_operation_queues":[],"device_type":"INVALID"})"),
      Emitter::until_jax_0_9);
  EXPECT_EQ(emitter(R"({"operation_queue_id":"0","device_type":"INVALID"})"),
            Emitter::since_jax_0_10);
  EXPECT_EQ(emitter(""), Emitter::since_jax_0_10);
}

}  // namespace
}  // namespace jaxtrace::hlo
