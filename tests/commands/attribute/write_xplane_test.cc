// --write-xplane as its user meets it: names, refusals, and nothing left behind.
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "support/program.h"
#include "support/simulate.h"
#include "support/small_program.h"
#include "support/write_xplane.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

class WriteXplaneCommand : public testing::Test {
 protected:
  WriteXplaneCommand() {
    const synth::Program program = synth::small_program(
        "jit_f", {synth::graph({synth::fusion("a"), synth::fusion("b"), synth::copy("c")})});
    bytes_ = xspace_bytes(synth::simulate({program}, {.steps = 50}));
  }

  void put(const std::string& path) const {
    fs::create_directories((scratch_.path() / path).parent_path());
    write_file(scratch_.path() / path, bytes_);
  }

  ProgramResult run(const std::string& arguments) const {
    return run_shell("jaxtrace attribute --quiet " + arguments, scratch_.path());
  }

  std::string file(const std::string& name) const { return read_file(scratch_.path() / name); }

  bool exists(const std::string& name) const { return fs::exists(scratch_.path() / name); }

  ScratchDir scratch_;
  std::string bytes_;
};

TEST_F(WriteXplaneCommand, ARunKeepsItsName) {
  put("logs/plugins/profile/2026_01_02_03_04_05/a.xplane.pb");
  put("logs/plugins/profile/2026_01_02_03_04_05/b.xplane.pb");
  EXPECT_EQ(run("logs --write-xplane seen").code, 0);
  EXPECT_GT(file("seen/plugins/profile/2026_01_02_03_04_05/a.xplane.pb").size(), bytes_.size());
  EXPECT_EQ(file("seen/plugins/profile/2026_01_02_03_04_05/b.xplane.pb"),
            file("seen/plugins/profile/2026_01_02_03_04_05/a.xplane.pb"));
  EXPECT_EQ(file("logs/plugins/profile/2026_01_02_03_04_05/a.xplane.pb"), bytes_);
}

TEST_F(WriteXplaneCommand, EachOfSeveralRunsKeepsItsName) {
  put("logs/plugins/profile/one/a.xplane.pb");
  put("logs/plugins/profile/two/a.xplane.pb");
  EXPECT_EQ(run("logs --run '*' --write-xplane seen").code, 0);
  EXPECT_TRUE(exists("seen/plugins/profile/one/a.xplane.pb"));
  EXPECT_TRUE(exists("seen/plugins/profile/two/a.xplane.pb"));
}

TEST_F(WriteXplaneCommand, AFileInNoRunFolderMakesARunOfItsName) {
  put("captures/a.xplane.pb");
  EXPECT_EQ(run("captures/a.xplane.pb --write-xplane seen").code, 0);
  EXPECT_TRUE(exists("seen/plugins/profile/a/a.xplane.pb"));
  EXPECT_EQ(run("captures --write-xplane both").code, 0);
  EXPECT_TRUE(exists("both/plugins/profile/captures/a.xplane.pb"));
  write_file(scratch_.path() / "odd", bytes_);
  EXPECT_EQ(run("odd --write-xplane seen").code, 0);
  EXPECT_TRUE(exists("seen/plugins/profile/odd/odd.xplane.pb")) << "XProf goes by the ending";
}

TEST_F(WriteXplaneCommand, TheCaptureItselfIsNeverWritten) {
  put("logs/plugins/profile/run/a.xplane.pb");
  fs::create_directory_symlink("logs", scratch_.path() / "link");
  for (const char* directory : {"logs", "link", "./logs/../logs/"}) {
    const ProgramResult result = run(std::string("logs --write-xplane ") + directory);
    EXPECT_EQ(result.code, 70) << directory;
    EXPECT_NE(result.err.find("is the capture itself"), std::string::npos) << result.err;
    EXPECT_EQ(file("logs/plugins/profile/run/a.xplane.pb"), bytes_);
    EXPECT_FALSE(exists("attribution")) << "all or nothing";
  }
}

TEST_F(WriteXplaneCommand, TheCaptureOfCheckIsNeverWritten) {
  put("a.xplane.pb");
  put("logs/plugins/profile/a/a.xplane.pb");
  const ProgramResult result = run("a.xplane.pb --check logs --write-xplane logs");
  EXPECT_EQ(result.code, 70);
  EXPECT_NE(result.err.find("a capture that is read here"), std::string::npos) << result.err;
  EXPECT_EQ(file("logs/plugins/profile/a/a.xplane.pb"), bytes_);
}

TEST_F(WriteXplaneCommand, OnlyWhatItWroteItselfIsReplaced) {
  put("a.xplane.pb");
  const std::string target = "seen/plugins/profile/a/a.xplane.pb";
  put(target);  // As a run that finds nothing to add writes it.
  EXPECT_EQ(run("a.xplane.pb --write-xplane seen").code, 0);
  const std::string written = file(target);
  EXPECT_GT(written.size(), bytes_.size());
  EXPECT_EQ(run("a.xplane.pb --write-xplane seen").code, 0);
  EXPECT_EQ(file(target), written);

  const std::string foreign = bytes_ + bytes_;
  write_file(scratch_.path() / target, foreign);
  const ProgramResult result = run("a.xplane.pb --write-xplane seen");
  EXPECT_EQ(result.code, 70);
  EXPECT_NE(result.err.find("no capture that jaxtrace has written"), std::string::npos)
      << result.err;
  EXPECT_EQ(file(target), foreign);

  fs::remove(scratch_.path() / target);
  fs::create_symlink("elsewhere", scratch_.path() / target);
  EXPECT_EQ(run("a.xplane.pb --write-xplane seen").code, 70);
  EXPECT_TRUE(fs::is_symlink(scratch_.path() / target));
}

TEST_F(WriteXplaneCommand, WhatAnEarlierRunAddedIsSaidAlsoIfItIsNowLessSureThanAskedFor) {
  put("a.xplane.pb");
  run("a.xplane.pb --write-xplane seen --min-confidence 0");
  const ProgramResult result =
      run("seen --write-xplane again --min-confidence 1 --format json --out again");
  EXPECT_NE(result.out.find("instruction added by an earlier run, confidence below 1"),
            std::string::npos)
      << result.out;
  EXPECT_EQ(file("again/plugins/profile/a/a.xplane.pb"),
            file("seen/plugins/profile/a/a.xplane.pb"));
}

TEST_F(WriteXplaneCommand, WhatCannotBeWrittenLeavesNothing) {
  put("a.xplane.pb");
  write_file(scratch_.path() / "taken", "");
  EXPECT_EQ(run("a.xplane.pb --write-xplane taken").code, 70);
  EXPECT_FALSE(exists("attribution"));

  const std::string limit = std::to_string(bytes_.size() / 1024 / 2);  // KiB: as a full disk.
  const ProgramResult full = run_shell(
      "ulimit -f " + limit + "; jaxtrace attribute --quiet a.xplane.pb --write-xplane seen",
      scratch_.path());
  EXPECT_EQ(full.code, 70);
  EXPECT_EQ(std::count(full.err.begin(), full.err.end(), '\n'), 1) << full.err;
  EXPECT_FALSE(exists("seen"));
  EXPECT_FALSE(exists("attribution"));

  if (::geteuid() == 0) return;  // Root may write everywhere.
  fs::create_directory(scratch_.path() / "closed");
  ::chmod((scratch_.path() / "closed").c_str(), 0555);
  EXPECT_EQ(run("a.xplane.pb --write-xplane closed").code, 70);
}

TEST_F(WriteXplaneCommand, ResultsThatXprofWouldGoOnShowingAreNamed) {
  put("a.xplane.pb");
  run("a.xplane.pb --write-xplane seen");
  EXPECT_EQ(run("a.xplane.pb --write-xplane seen").out.find("goes on showing"), std::string::npos);
  write_file(scratch_.path() / "seen/plugins/profile/a/ALL_HOSTS.op_stats_v2.pb", "");
  const ProgramResult result = run("a.xplane.pb --write-xplane seen");
  EXPECT_NE(result.out.find("goes on showing what it computed from an older file there until "
                            "plugins/profile/a/ALL_HOSTS.op_stats_v2.pb is deleted"),
            std::string::npos)
      << result.out;
}

TEST_F(WriteXplaneCommand, WrongOptionsAreUsage) {
  put("a.xplane.pb");
  for (const char* wrong : {"--min-confidence 0.5", "--write-xplane ''", "--write-xplane",
                            "--write-xplane x "
                            "--min-confidence nan",
                            "--write-xplane x --min-confidence 2"}) {
    const ProgramResult result = run(std::string("a.xplane.pb ") + wrong);
    EXPECT_EQ(result.code, 2) << wrong;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  EXPECT_FALSE(exists("x"));
}

}  // namespace
}  // namespace jaxtrace
