#include "commands/attribute/hlo_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "jaxtrace/trace_builder.h"
#include "proto/hlo.pb.h"
#include "support/program.h"

namespace jaxtrace {
namespace {

/// A module of one parameter, whose name makes its text one of a kind.
std::string hlo_of(const std::string& parameter) {
  pb::HloProto proto;
  auto& module = *proto.mutable_hlo_module();
  module.set_name("jit_f");
  module.set_entry_computation_id(1);
  auto& computation = *module.add_computations();
  computation.set_id(1);
  computation.set_name("main");
  computation.set_root_id(7);
  auto& instruction = *computation.add_instructions();
  instruction.set_id(7);
  instruction.set_name(parameter);
  instruction.set_opcode("parameter");
  instruction.mutable_metadata()->set_op_name("x");
  return proto.SerializeAsString();
}

class HloFiles : public testing::Test {
 protected:
  void add(const std::string& name, std::int64_t id, const std::string& proto, int host = 0) {
    while (hosts_ <= host) builder_.add_host("host" + std::to_string(hosts_++), "f");
    builder_.add_module({.host = HostId{static_cast<std::uint16_t>(host)},
                         .name = builder_.intern(name),
                         .program_id = id,
                         .hlo_proto = proto});
  }

  std::vector<std::string> files(const AttributeOptions& options = {}, bool bare = false) {
    const Trace trace = std::move(builder_).finish();
    OutputDir directory(scratch_.path() / "out");
    write_hlo_files(trace, options, bare, directory);
    directory.commit();
    std::vector<std::string> names = directory.names();
    std::ranges::sort(names);
    return names;
  }

  std::string content(const std::string& name) const {
    return read_file(scratch_.path() / "out" / name);
  }

  ScratchDir scratch_;

 private:
  TraceBuilder builder_;
  int hosts_ = 0;
};

using Names = std::vector<std::string>;

TEST_F(HloFiles, AreNamedByModuleAndId) {
  add("jit_f", 3, hlo_of("x"));
  add("jit_f", 17, hlo_of("x"));
  add("jit_g", 4, "");
  add("jit_h", 5, "no proto at all");
  EXPECT_EQ(files(), (Names{"jit_f(17).hlo.txt", "jit_f(3).hlo.txt"}));
  EXPECT_TRUE(content("jit_f(3).hlo.txt").starts_with("HloModule jit_f")) << content("jit_f(3)");
  EXPECT_NE(content("jit_f(3).hlo.txt").find("op_name"), std::string::npos);
}

TEST_F(HloFiles, LeaveMetadataOutIfBare) {
  add("jit_f", 3, hlo_of("x"));
  files({}, true);
  EXPECT_EQ(content("jit_f(3).hlo.txt").find("op_name"), std::string::npos);
}

TEST_F(HloFiles, AreOnlyOfTheProgramAskedFor) {
  add("jit_f", 3, hlo_of("x"));
  add("jit_f", 17, hlo_of("x"));
  EXPECT_EQ(files({.program = 17}), (Names{"jit_f(17).hlo.txt"}));
}

TEST_F(HloFiles, AreSharedByHostsThatAgree) {
  add("jit_f", 3, hlo_of("x"), 0);
  add("jit_f", 3, hlo_of("x"), 1);
  add("jit_g", 4, hlo_of("x"), 0);
  add("jit_g", 4, hlo_of("y"), 1);
  EXPECT_EQ(files(),
            (Names{"jit_f(3).hlo.txt", "jit_g(4).host0.hlo.txt", "jit_g(4).host1.hlo.txt"}));
}

TEST_F(HloFiles, StayApartAndInsideTheDirectoryWhateverTheModuleIsCalled) {
  add("../a/b", 1, hlo_of("x"));
  add("../a:b", 1, hlo_of("y"));
  add(std::string(5000, 'x'), 2, hlo_of("x"));
  const Names names = files();
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names[0], "_.._a_b(1).hlo.txt");
  EXPECT_EQ(names[1], "_.._a_b(1)_2.hlo.txt");
  EXPECT_TRUE(names[2].ends_with("x(2).hlo.txt"));
}

}  // namespace
}  // namespace jaxtrace
