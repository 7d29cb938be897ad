// --write-trace as a user meets it: where the file appears, and when it does not.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

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
  fs::create_hard_link(path("host0.xplane.pb"), path("hard.json"));
  for (const char* file : {"link.json", "./hard.json"}) {
    const ProgramResult result = run(std::string("--write-trace ") + file);
    EXPECT_EQ(result.code, 70) << file;
    EXPECT_NE(result.err.find("is a file of the capture"), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  }
  EXPECT_EQ(read_file(path("host0.xplane.pb")), before);
  EXPECT_FALSE(fs::exists(path("attribution"))) << "half of the output";
}

TEST_F(WriteTrace, AnOlderTraceIsReplacedAndNothingElseIs) {
  for (const char* file : {"t.json", "t.json.gz"}) {
    EXPECT_EQ(run(std::string("--steps 1:2 --write-trace ") + file).code, 0);
    const std::string older = read_file(path(file));
    EXPECT_EQ(run(std::string("--write-trace ") + file).code, 0);
    EXPECT_GT(read_file(path(file)).size(), older.size());
  }
  write_file(path("empty.json"), "");
  EXPECT_EQ(run("--write-trace empty.json").code, 0);

  write_file(path("other.json"), R"({"displayTimeUnit":"ns","traceEvents":[]})");
  const ProgramResult other = run("--write-trace other.json");
  EXPECT_EQ(other.code, 70);
  EXPECT_NE(other.err.find("no trace that jaxtrace has written"), std::string::npos) << other.err;
  EXPECT_EQ(read_file(path("other.json")), R"({"displayTimeUnit":"ns","traceEvents":[]})");
}

TEST_F(WriteTrace, WhatIsNoFileStays) {
  fs::create_directory(path("d.json"));
  fs::create_symlink("nowhere", path("l.json"));
  ASSERT_EQ(::mkfifo(path("p.json").c_str(), 0600), 0);
  for (const auto& [file, what] :
       {std::pair("d.json", "is a directory"), std::pair("l.json", "is a symbolic link"),
        std::pair("p.json", "is a device, pipe or socket"),
        std::pair("/dev/null", "is a device, pipe or socket")}) {
    const ProgramResult result = run(std::string("--write-trace ") + file);
    EXPECT_EQ(result.code, 70) << file;
    EXPECT_NE(result.err.find(what), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  EXPECT_TRUE(fs::is_symlink(path("l.json")));
  EXPECT_TRUE(fs::is_fifo(path("p.json")));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_FALSE(fs::exists(path("attribution"))) << "half of the output";
}

TEST_F(WriteTrace, TheCaptureOfCheckIsAnInputToo) {
  fs::copy_file(path("host0.xplane.pb"), path("direct.pb"));
  const std::string before = read_file(path("direct.pb"));
  const ProgramResult result = run("--check direct.pb --write-trace direct.pb");
  EXPECT_EQ(result.code, 70);
  EXPECT_NE(result.err.find("is a file of the capture"), std::string::npos) << result.err;
  EXPECT_EQ(read_file(path("direct.pb")), before);
}

TEST_F(WriteTrace, NotInThePlaceOfAFileOfTheReport) {
  for (const char* file : {"b/kernels.csv", "./b/../b/summary.txt"}) {
    const ProgramResult result = run(std::string("--out b --write-trace ") + file);
    EXPECT_EQ(result.code, 70);
    EXPECT_NE(result.err.find("is a file of the report"), std::string::npos) << result.err;
    EXPECT_FALSE(fs::exists(path("b"))) << "nothing was ever there";
  }
  EXPECT_EQ(run("--out b --write-trace b/trace.json").code, 0) << "beside them is no harm";
}

TEST_F(WriteTrace, NamesItsOwnOptionWhereADirectoryIsMissing) {
  write_file(path("afile"), "");
  const ProgramResult result = run("--write-trace afile/x.json");
  EXPECT_EQ(result.code, 70);
  EXPECT_NE(result.err.find("--write-trace chooses another place"), std::string::npos)
      << result.err;
}

TEST_F(WriteTrace, WhatCannotBeMeantIsSaidBeforeAnythingIsRead) {
  for (const char* flags :
       {"--steps 1:2", "--device 0", "--write-trace t.json --steps 3",
        "--write-trace t.json --steps :x", "--write-trace t.json --steps 4:4",
        "--write-trace t.json --device GPU:-1", "--write-trace ''", "--write-trace -",
        "--write-trace b.xplane.pb", "--write-trace a/", "--write-trace .t.json"}) {
    const ProgramResult result = run(flags);
    EXPECT_EQ(result.code, 2) << flags;
    EXPECT_EQ(result.out, "") << flags;
  }
}

TEST_F(WriteTrace, AGpuIsNamedInAnyCase) {
  for (const char* device : {"0", "GPU:0", "gpu:0", "Gpu:0"}) {
    EXPECT_EQ(run(std::string("--write-trace t.json --device ") + device).code, 0) << device;
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
