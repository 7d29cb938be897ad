// What a path stands for, however it is given.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "jaxtrace/error.h"
#include "jaxtrace/readers.h"
#include "support/capture.h"
#include "support/program.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

class Runs : public testing::Test {
 protected:
  /// Writes a capture whose one device event lasts `duration_ps`, to tell captures apart.
  void put(const fs::path& file, int duration_ps) const {
    write_file(directory_.path() / file,
               bytes_of("planes { name: '/device:GPU:0' lines { name: 'Stream #1' events { "
                        "duration_ps: " +
                        std::to_string(duration_ps) + " } } }"));
  }
  void touch(const fs::path& file) const { write_file(directory_.path() / file, "x"); }
  Trace read(const fs::path& path, const std::string& run = "") const {
    return read_capture(directory_.path() / path, {run, {}});
  }
  std::int64_t first_duration(const fs::path& path) const {
    return read(path).events.duration.at(0).count();
  }
  std::string refusal(const fs::path& path, ExitCode code, const std::string& run = "") const {
    try {
      read(path, run);
    } catch (const InputError& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      return error.what();
    }
    return "not refused";
  }
  const fs::path& directory() const { return directory_.path(); }

 private:
  ScratchDir directory_;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(Runs, ACompressedJsonIsNotToBeUnpacked) {
  write_file(directory() / "host.trace.json.gz", "\x1f\x8b\x08");
  EXPECT_TRUE(contains(refusal("host.trace.json.gz", ExitCode::input_unfit), "*.xplane.pb"));
}

TEST_F(Runs, APipeIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo((directory() / "pipe.xplane.pb").c_str(), 0600), 0);
  EXPECT_TRUE(contains(refusal("pipe.xplane.pb", ExitCode::input_missing), "not a regular file"));
}

TEST_F(Runs, AFile) {
  put("a b/größe.xplane.pb", 7);
  const Trace trace = read("a b/größe.xplane.pb");
  EXPECT_EQ(trace.strings[trace.hosts[0].name], "größe");
  EXPECT_EQ(trace.strings[trace.hosts[0].file], (directory() / "a b/größe.xplane.pb").string());
  EXPECT_TRUE(trace.notes.empty());
}

TEST_F(Runs, ADirectoryOfHosts) {
  put("run/b.xplane.pb", 2);
  put("run/a.xplane.pb", 1);
  touch("run/._a.xplane.pb");
  touch("run/a.trace.json.gz");
  for (const char* path : {"run", "run/", "run/."}) {
    const Trace trace = read(path);
    ASSERT_EQ(trace.hosts.size(), 2U) << path;
    EXPECT_EQ(trace.strings[trace.hosts[0].name], "a");
    EXPECT_EQ(trace.events.duration[1].count(), 2);
    EXPECT_EQ(trace.lanes[1].host, HostId{1});
  }
}

TEST_F(Runs, TheNewestRunOfALogDirectory) {
  put("log/plugins/profile/2025_01_01_00_00_00/h.xplane.pb", 1);
  put("log/plugins/profile/2025_01_02_00_00_00/h.xplane.pb", 2);
  touch("log/plugins/profile/2025_01_03_00_00_00/h.trace.json.gz");
  for (const char* path : {"log", "log/", "log/plugins", "log/plugins/profile/"}) {
    EXPECT_EQ(first_duration(path), 2) << path;
  }
  const Trace trace = read("log");
  ASSERT_EQ(trace.notes.size(), 2U);
  EXPECT_EQ(trace.notes[0], "Read run 2025_01_02_00_00_00; not read: 2025_01_01_00_00_00.");
  EXPECT_EQ(trace.notes[1], "The newest run folder, 2025_01_03_00_00_00, holds no *.xplane.pb.");
}

TEST_F(Runs, ChosenByNameOrPattern) {
  put("log/plugins/profile/2025_01_01_00_00_00/h.xplane.pb", 1);
  put("log/plugins/profile/2025_01_02_00_00_00/h.xplane.pb", 2);
  put("log/plugins/profile/2025_01_02_00_00_03/g.xplane.pb", 3);
  EXPECT_EQ(read("log", "2025_01_01_00_00_00").events.duration[0].count(), 1);
  const Trace pair = read("log", "2025_01_02*");
  ASSERT_EQ(pair.hosts.size(), 2U);
  EXPECT_EQ(pair.strings[pair.hosts[0].name], "g");
  const Trace all = read("log", "*");
  ASSERT_EQ(all.hosts.size(), 3U);  // One host of two runs is two.
  EXPECT_EQ(all.strings[all.hosts[0].name], "2025_01_01_00_00_00/h");
  EXPECT_EQ(all.strings[all.hosts[2].name], "g");
  EXPECT_TRUE(contains(refusal("log", ExitCode::input_missing, "2024*"),
                       "has no run that matches 2024*; there are 2025_01_01_00_00_00, "));
}

TEST_F(Runs, RunFoldersWithoutTheirParents) {
  put("copied/2025_01_01_00_00_00/h.xplane.pb", 1);
  put("copied/2025_01_02_00_00_00/h.xplane.pb", 2);
  EXPECT_EQ(first_duration("copied"), 2);
}

TEST_F(Runs, SeveralLogDirectoriesAreListed) {
  put("bench/prefill/plugins/profile/2025_01_01_00_00_00/h.xplane.pb", 1);
  put("bench/decode/plugins/profile/2025_01_01_00_00_00/h.xplane.pb", 1);
  touch("bench/notes/readme.txt");
  EXPECT_TRUE(
      contains(refusal("bench", ExitCode::input_unfit), "give one of them: decode, prefill"));
}

TEST_F(Runs, ThroughSymbolicLinks) {
  put("real/h.xplane.pb", 4);
  fs::create_symlink(directory() / "real", directory() / "link");
  fs::create_symlink(directory() / "real/h.xplane.pb", directory() / "file.xplane.pb");
  fs::create_symlink(directory() / "nowhere", directory() / "broken");
  EXPECT_EQ(first_duration("link"), 4);
  EXPECT_EQ(first_duration("file.xplane.pb"), 4);
  EXPECT_TRUE(contains(refusal("broken", ExitCode::input_missing), "no such file"));
}

TEST_F(Runs, WhatIsMissingIsSaid) {
  EXPECT_TRUE(contains(refusal("absent", ExitCode::input_missing), "no such file or directory"));
  fs::create_directories(directory() / "empty");
  EXPECT_TRUE(contains(refusal("empty", ExitCode::input_unfit), "holds no capture"));
  touch("packed/h.xplane.pb.gz");
  EXPECT_TRUE(contains(refusal("packed", ExitCode::input_unfit), "gunzip"));
  touch("records/h.xplane.riegeli");
  EXPECT_TRUE(contains(refusal("records", ExitCode::input_unfit), "Riegeli"));
  touch("json/plugins/profile/2025_01_01_00_00_00/h.trace.json.gz");
  EXPECT_TRUE(contains(refusal("json", ExitCode::input_unfit), "*.xplane.pb of the same run"));
}

TEST_F(Runs, JsonOnlyWhereItIsWantedAndNothingBetterIsThere) {
  const auto put_json = [&](const fs::path& file, int duration_us) {
    write_file(directory() / file,
               R"([{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},
                   {"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"Stream #1"}},
                   {"ph":"X","pid":1,"tid":1,"ts":0,"dur":)" +
                   std::to_string(duration_us) + "}]");
  };
  const auto read_any = [&](const fs::path& path, const std::string& run = "") {
    return read_capture(directory() / path, {run, {}, true});
  };
  const auto duration_us = [](const Trace& trace) {
    return trace.events.duration.at(0).count() / 1'000'000;
  };
  const std::string runs = "log/plugins/profile/";
  put(runs + "2025_01_01_00_00_00/h.xplane.pb", 1'000'000);
  put_json(runs + "2025_01_01_00_00_00/h.trace.json.gz", 2);
  put_json(runs + "2025_01_02_00_00_00/h.trace.json.gz", 3);
  put_json(runs + "2025_01_02_00_00_00/h.trace.json", 4);
  put_json(runs + "2025_01_02_00_00_00/perfetto_trace.json.gz", 5);
  put_json("perfetto/perfetto_trace.json.gz", 6);
  put_json("any name.json", 7);

  EXPECT_EQ(duration_us(read("log")), 1);
  const Trace newest = read_any("log");
  ASSERT_EQ(newest.events.size(), 1U);
  EXPECT_EQ(duration_us(newest), 4);
  EXPECT_EQ(newest.strings[newest.hosts[0].name], "h");
  EXPECT_EQ(duration_us(read_any("log", "2025_01_01*")), 1);
  EXPECT_EQ(duration_us(read_any("perfetto")), 6);
  EXPECT_EQ(duration_us(read_any("any name.json")), 7);
  EXPECT_EQ(duration_us(read_any(runs + "2025_01_01_00_00_00/h.trace.json.gz")), 2);
  EXPECT_EQ(duration_us(read_any(runs + "2025_01_01_00_00_00/h.xplane.pb")), 1);

  const fs::path first = directory() / (runs + "2025_01_01_00_00_00");
  EXPECT_EQ(trace_jsons(directory() / "log", "2025_01_01*"),
            std::vector{first / "h.trace.json.gz"});
  EXPECT_EQ(trace_jsons(first / "h.xplane.pb"), std::vector{first / "h.trace.json.gz"});
  EXPECT_TRUE(trace_jsons(directory() / "log").empty()) << "the newest run has JSON only";
}

TEST_F(Runs, OneUnfitHostDoesNotStopTheOthers) {
  put("run/a.xplane.pb", 1);
  touch("run/b.xplane.pb");
  const Trace trace = read("run");
  EXPECT_EQ(trace.hosts.size(), 1U);
  const auto found = std::find_if(trace.findings.begin(), trace.findings.end(),
                                  [](const Finding& f) { return f.code == "host-left-out"; });
  ASSERT_NE(found, trace.findings.end());
  EXPECT_EQ(found->where, "b");
  EXPECT_EQ(found->severity, Severity::error);
}

TEST_F(Runs, ProgressEndsWithAll) {
  put("a.xplane.pb", 1);
  std::uint64_t last = 0;
  std::uint64_t total = 1;
  read_capture(directory() / "a.xplane.pb", {"", [&](std::uint64_t done, std::uint64_t all) {
                                               EXPECT_GE(done, last);
                                               last = done;
                                               total = all;
                                             }});
  EXPECT_EQ(last, total);
}

}  // namespace
}  // namespace jaxtrace
