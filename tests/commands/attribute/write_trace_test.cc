// --write-trace as a user meets it: where the file appears, and when it does not.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "readers/inflate.h"
#include "support/program.h"
#include "support/rows.h"
#include "support/trace_file.h"
#include "support/write_xplane.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

class WriteTrace : public testing::Test {
 protected:
  WriteTrace() {
    write_file(path("host0.xplane.pb"), synth::xspace_bytes(rows::recording_of(R"(
repeat 4 every 100
H python [0,40) step=# train
C s1 [10,20) name fusion_1 op fusion.1 module jit_f launch [4,6)
C s1 [20,30) name fusion_2 op fusion.2 module jit_f launch [7,8)
end
)")));
  }

  fs::path path(const std::string& name) const { return scratch_.path() / name; }

  ProgramResult run(const std::string& flags) const {
    return run_shell("jaxtrace attribute host0.xplane.pb --quiet " + flags, scratch_.path());
  }

  ScratchDir scratch_;
};

TEST_F(WriteTrace, TheSameTextWithAndWithoutCompression) {
  EXPECT_EQ(run("--write-trace a/b/t.json").code, 0);
  EXPECT_EQ(run("--write-trace t.json.gz").code, 0);
  const std::string plain = read_file(path("a/b/t.json"));
  EXPECT_EQ(inflate(read_file(path("t.json.gz"))), plain);
  EXPECT_EQ(faults_of(view_trace(plain)), std::vector<std::string>{});
  EXPECT_TRUE(fs::exists(path("attribution/kernels.csv")));
}

TEST_F(WriteTrace, NeverInThePlaceOfTheCapture) {
  const std::string before = read_file(path("host0.xplane.pb"));
  fs::create_symlink("host0.xplane.pb", path("link.json"));
  for (const char* file : {"host0.xplane.pb", "link.json", "./host0.xplane.pb"}) {
    const ProgramResult result = run(std::string("--write-trace ") + file);
    EXPECT_EQ(result.code, 70) << file;
    EXPECT_NE(result.err.find("is a file of the capture"), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  }
  EXPECT_EQ(read_file(path("host0.xplane.pb")), before);
  EXPECT_FALSE(fs::exists(path("attribution"))) << "half of the output";
}

TEST_F(WriteTrace, AnOlderFileIsReplacedAndADirectoryIsNot) {
  write_file(path("t.json"), "old");
  EXPECT_EQ(run("--write-trace t.json").code, 0);
  EXPECT_NE(read_file(path("t.json")), "old");
  fs::create_directory(path("d.json"));
  const ProgramResult result = run("--write-trace d.json");
  EXPECT_EQ(result.code, 70);
  EXPECT_NE(result.err.find("directory"), std::string::npos) << result.err;
}

TEST_F(WriteTrace, WhatCannotBeMeantIsSaidBeforeAnythingIsRead) {
  for (const char* flags : {"--steps 1:2", "--device 0", "--write-trace t.json --steps 3",
                            "--write-trace t.json --steps :x", "--write-trace t.json --steps 4:4",
                            "--write-trace t.json --device GPU:-1", "--write-trace ''",
                            "--write-trace a/", "--write-trace .t.json"}) {
    const ProgramResult result = run(flags);
    EXPECT_EQ(result.code, 2) << flags;
    EXPECT_EQ(result.out, "") << flags;
  }
}

TEST_F(WriteTrace, NumbersThatAreNotThereAreNamedWithThoseThatAre) {
  const ProgramResult steps = run("--write-trace t.json --steps 10:");
  EXPECT_EQ(steps.code, 4);
  EXPECT_NE(steps.err.find("its 4 steps of train are numbered 0 to 3"), std::string::npos)
      << steps.err;
  const ProgramResult device = run("--write-trace t.json --device 2");
  EXPECT_EQ(device.code, 4);
  EXPECT_NE(device.err.find("it has GPU:0 alone"), std::string::npos) << device.err;
  EXPECT_FALSE(fs::exists(path("t.json")));
  EXPECT_FALSE(fs::exists(path("attribution")));
}

}  // namespace
}  // namespace jaxtrace
