// Files appear whole or not at all, whatever goes wrong.
#include "report/output_dir.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "jaxtrace/error.h"
#include "support/program.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> listed(const fs::path& directory) {
  std::vector<std::string> result;
  for (const auto& entry : fs::directory_iterator(directory)) {
    result.push_back(entry.path().filename().string());
  }
  std::ranges::sort(result);
  return result;
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const OutputError& error) {
    return error.what();
  }
  return "no error";
}

using Names = std::vector<std::string>;

TEST(OutputDir, FilesAppearOnCommitAndOldOnesAreReplaced) {
  const ScratchDir scratch;
  const fs::path out = scratch.path() / "a b" / "ü" / "";
  {
    OutputDir files(out);
    files.file("x.csv") << "one";
    EXPECT_FALSE(fs::exists(out / "x.csv"));
    files.commit();
  }
  write_file(out / "other.hlo.txt", "of another run");
  {
    OutputDir files(out);
    files.file("x.csv") << "two";
    files.file("y.csv") << "three";
    files.commit();
    EXPECT_EQ(files.names(), (Names{"x.csv", "y.csv"}));
  }
  EXPECT_EQ(read_file(out / "x.csv"), "two");
  EXPECT_EQ(listed(out), (Names{"other.hlo.txt", "x.csv", "y.csv"}));
}

TEST(OutputDir, WithoutCommitNothingWasEverThere) {
  const ScratchDir scratch;
  {
    OutputDir files(scratch.path() / "a/b/c");
    files.file("x.csv") << "one";
  }
  EXPECT_EQ(listed(scratch.path()), Names{});
}

TEST(OutputDir, FoldersAppearWithTheirFilesOrNotAtAll) {
  const ScratchDir scratch;
  {
    OutputDir files(scratch.path());
    files.enter("deeper");
    files.file("x.csv") << "one";
  }
  EXPECT_EQ(listed(scratch.path()), Names{});
  {
    OutputDir files(scratch.path());
    files.file("x.csv") << "outer";
    files.enter("deeper");
    files.file("x.csv") << "inner";
    files.commit();
    EXPECT_EQ(files.names(), (Names{"x.csv", "deeper/x.csv"}));
  }
  EXPECT_EQ(read_file(scratch.path() / "x.csv"), "outer");
  EXPECT_EQ(read_file(scratch.path() / "deeper" / "x.csv"), "inner");

  OutputDir again(scratch.path());
  again.enter("deeper");
  again.file("x.csv") << "newer";
  again.commit();
  EXPECT_EQ(read_file(scratch.path() / "deeper" / "x.csv"), "newer");
}

TEST(OutputDir, AFileWhereAFolderShouldBeLeavesEverythingAsItWas) {
  const ScratchDir scratch;
  write_file(scratch.path() / "x.csv", "old");
  write_file(scratch.path() / "later", "a file");
  {
    OutputDir files(scratch.path());
    files.file("x.csv") << "new";
    files.enter("first");
    files.file("y.csv") << "new";
    files.enter("later");
    files.file("z.csv") << "new";
    EXPECT_NE(error_of([&] { files.commit(); }), "no error");
  }
  EXPECT_EQ(listed(scratch.path()), (Names{"later", "x.csv"}));
  EXPECT_EQ(read_file(scratch.path() / "x.csv"), "old");
}

TEST(OutputDir, ReplacesASymbolicLinkAndNotWhatItPointsTo) {
  const ScratchDir scratch;
  write_file(scratch.path() / "precious", "kept");
  const fs::path out = scratch.path() / "out";
  fs::create_directory(out);
  fs::create_symlink("../precious", out / "x.csv");
  OutputDir files(out);
  files.file("x.csv") << "new";
  files.commit();
  EXPECT_EQ(read_file(scratch.path() / "precious"), "kept");
  EXPECT_FALSE(fs::is_symlink(out / "x.csv"));
}

TEST(OutputDir, NeverReplacesTheCapture) {
  const ScratchDir scratch;
  const fs::path capture = scratch.path() / "host.xplane.pb";
  write_file(capture, "measured");
  fs::create_directory_symlink(scratch.path(), scratch.path() / "alias");
  OutputDir files(scratch.path() / "alias", {capture});
  files.file("first.csv") << "x";
  files.file("host.xplane.pb") << "x";
  EXPECT_NE(error_of([&] { files.commit(); }).find("file of the capture"), std::string::npos);
  EXPECT_EQ(read_file(capture), "measured");
  EXPECT_FALSE(fs::exists(scratch.path() / "first.csv"));
}

TEST(OutputDir, SaysWhatIsInTheWay) {
  const ScratchDir scratch;
  write_file(scratch.path() / "file", "");
  EXPECT_NE(error_of([&] { OutputDir(scratch.path() / "file"); }).find("is a file"),
            std::string::npos);
  EXPECT_NE(error_of([&] { OutputDir(scratch.path() / "file" / "below"); }).find("Not a directory"),
            std::string::npos);

  fs::create_directories(scratch.path() / "out" / "x.csv");
  OutputDir files(scratch.path() / "out");
  files.file("a.csv") << "x";
  files.file("x.csv") << "x";
  EXPECT_NE(error_of([&] { files.commit(); }).find("in the way"), std::string::npos);
  EXPECT_FALSE(fs::exists(scratch.path() / "out" / "a.csv"));
}

TEST(OutputDir, NamesWhatIsInTheWayAndNotWhatIsAroundIt) {
  const ScratchDir scratch;
  fs::create_directory_symlink("nowhere", scratch.path() / "dangling");
  EXPECT_NE(error_of([&] {
              OutputDir(scratch.path() / "dangling");
            }).find("dangling: cannot be written: is a broken link; --out chooses"),
            std::string::npos);

  write_file(scratch.path() / "taken", "a file");
  OutputDir files(scratch.path());
  files.enter("taken");
  files.file("x.csv") << "new";
  EXPECT_NE(error_of([&] { files.commit(); }).find("/taken: cannot be written"), std::string::npos);
}

TEST(OutputDir, APipeIsNotReplaced) {
  const ScratchDir scratch;
  ASSERT_EQ(::mkfifo((scratch.path() / "x.csv").c_str(), 0600), 0);
  OutputDir files(scratch.path());
  files.file("x.csv") << "new";
  EXPECT_NE(error_of([&] { files.commit(); }).find("pipe"), std::string::npos);
  EXPECT_TRUE(fs::is_fifo(scratch.path() / "x.csv"));
}

TEST(OutputDir, KnowsItsFilesByAnyPath) {
  const ScratchDir scratch;
  fs::create_directory_symlink(scratch.path(), scratch.path() / "alias");
  OutputDir files(scratch.path());
  files.file("x.csv") << "new";
  EXPECT_TRUE(files.writes(scratch.path() / "alias" / "x.csv"));
  EXPECT_FALSE(files.writes(scratch.path() / "y.csv"));
}

TEST(OutputDir, AStreamThatFailedLeavesNothing) {
  const ScratchDir scratch;
  {
    OutputDir files(scratch.path() / "out");
    files.file("a.csv") << "x";
    files.file("b.csv").setstate(std::ios::badbit);  // As a full disk does.
    EXPECT_NE(error_of([&] { files.commit(); }).find("b.csv: cannot be written"),
              std::string::npos);
  }
  EXPECT_EQ(listed(scratch.path()), Names{});
}

TEST(OutputDir, TakesAwayWhatAKilledRunLeftButNotWhatALiveOneWrites) {
  const ScratchDir scratch;
  write_file(scratch.path() / ".jaxtrace-killed" / "kernels.csv", "half");
  OutputDir first(scratch.path());
  first.file("a.csv") << "first";
  OutputDir second(scratch.path());
  second.file("b.csv") << "second";
  second.commit();
  first.commit();
  EXPECT_EQ(listed(scratch.path()), (Names{"a.csv", "b.csv"}));
}

TEST(OutputDir, SeveralProcessesMayWriteToOneDirectory) {
  const ScratchDir scratch;
  std::vector<std::thread> writers;
  std::atomic<int> failed = 0;
  for (int writer = 0; writer < 8; ++writer) {
    writers.emplace_back([&, writer] {
      for (int round = 0; round < 20; ++round) {
        try {
          OutputDir files(scratch.path());
          for (const char* name : {"a.csv", "b.csv"}) files.file(name) << writer << ' ' << round;
          files.commit();
        } catch (const OutputError&) {
          ++failed;
        }
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(listed(scratch.path()), (Names{"a.csv", "b.csv"}));
  EXPECT_EQ(read_file(scratch.path() / "a.csv"), read_file(scratch.path() / "b.csv"));
}

TEST(OutputDir, NamesFromACaptureStayInTheDirectory) {
  const ScratchDir scratch;
  OutputDir files(scratch.path());
  files.file("../../etc/passwd") << "x";
  files.file("jit_step(17).hlo.txt") << "x";
  files.file(std::string(5000, 'n') + "(17).hlo.txt") << "x";
  files.commit();
  EXPECT_EQ(listed(scratch.path()), (Names{"_.._.._etc_passwd", "jit_step(17).hlo.txt",
                                           std::string(247, 'n') + ".hlo.txt"}));
}

}  // namespace
}  // namespace jaxtrace
