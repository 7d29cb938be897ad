// The command as a process: flags, files, exit codes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "support/capture.h"
#include "support/program.h"

namespace jaxtrace {
namespace {

// Two kernels of a program that the capture names but does not carry.
constexpr const char* kCapture = R"pb(
  planes {
    name: "/device:GPU:0"
    event_metadata {
      key: 1
      value { id: 1 name: "loop_fusion" }
    }
    stat_metadata {
      key: 1
      value { id: 1 name: "hlo_op" }
    }
    stat_metadata {
      key: 2
      value { id: 2 name: "hlo_module" }
    }
    stat_metadata {
      key: 3
      value { id: 3 name: "program_id" }
    }
    lines {
      name: "Stream #7(Compute)"
      timestamp_ns: 1000
      events {
        metadata_id: 1
        offset_ps: 5
        duration_ps: 700
        stats { metadata_id: 1 str_value: "loop_fusion.1" }
        stats { metadata_id: 2 str_value: "jit_f" }
        stats { metadata_id: 3 uint64_value: 17 }
      }
      events { metadata_id: 1 offset_ps: 1000 duration_ps: 300 }
    }
  }
)pb";

class AttributeCommand : public testing::Test {
 protected:
  AttributeCommand() { write_file(scratch_.path() / "host.xplane.pb", bytes_of(kCapture)); }

  ProgramResult run(const std::string& arguments) const {
    return run_shell("jaxtrace attribute host.xplane.pb --quiet " + arguments, scratch_.path());
  }

  std::string file(const std::string& name) const { return read_file(scratch_.path() / name); }

  ScratchDir scratch_;
};

TEST_F(AttributeCommand, WritesItsFilesIntoAttribution) {
  const ProgramResult result = run("");
  EXPECT_EQ(result.code, 0) << result.err;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(scratch_.path() / "attribution")) {
    names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"fusions.csv", "how.csv", "kernels.csv", "lines.csv",
                                             "ops.csv", "scopes.csv", "summary.txt"}));
  EXPECT_EQ(file("attribution/summary.txt"), result.out);
  EXPECT_NE(file("attribution/kernels.csv")
                .find("host,GPU:0,7,1000005,700,loop_fusion,kernel,,,17,jit_f,"),
            std::string::npos)
      << file("attribution/kernels.csv");
}

TEST_F(AttributeCommand, WritesTheSameBytesTwice) {
  run("--out a --stacks");
  run("--out b --stacks");
  for (const char* name : {"kernels.csv", "ops.csv", "lines.csv", "how.csv", "summary.txt"}) {
    EXPECT_EQ(file(std::string("a/") + name), file(std::string("b/") + name)) << name;
  }
}

TEST_F(AttributeCommand, SaysWhatIsWrongWithARegularExpression) {
  const ProgramResult result = run("--user-re '(['");
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("is not a regular expression"), std::string::npos) << result.err;
}

TEST_F(AttributeCommand, IsNotKeptBusyByARegularExpression) {
  // Backtracking through the first would take longer than the universe has; the others would need
  // more stack than there is.
  EXPECT_EQ(run("--user-re '(.*)*(.*)*(.*)*(.*)*x'").code, 0);
  EXPECT_EQ(run("--user-re '" + std::string(100'000, '(') + "'").code, 2);
  EXPECT_EQ(run("--user-re '((a?){300}){300}'").code, 2);
  EXPECT_EQ(run("--user-re '(a)\\1'").code, 2) << "needs backtracking";
}

TEST_F(AttributeCommand, NamesTheProgramsIfTheOneAskedForIsNotThere) {
  const ProgramResult result = run("--program 99");
  EXPECT_EQ(result.code, 4);
  EXPECT_NE(result.err.find("has no program 99; its programs are 17 (jit_f)"), std::string::npos)
      << result.err;
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "attribution"));
}

TEST_F(AttributeCommand, DoesNotForgiveMissingHloUnderStrict) {
  EXPECT_EQ(run("--strict").code, 1);
}

TEST_F(AttributeCommand, LeavesNothingBehindIfTheOtherCaptureCannotBeRead) {
  EXPECT_EQ(run("--check nowhere").code, 3);
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "attribution"));
}

TEST_F(AttributeCommand, ComparesWithAnotherCapture) {
  const ProgramResult result = run("--check host.xplane.pb");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("Check against the other capture"), std::string::npos) << result.out;
  EXPECT_FALSE(file("attribution/check.csv").empty());
}

}  // namespace
}  // namespace jaxtrace
