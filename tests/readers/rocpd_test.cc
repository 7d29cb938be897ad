// Databases of rocprofv3, whole and otherwise.
#include "readers/rocpd.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "jaxtrace/error.h"
#include "support/program.h"
#include "support/rocpd.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

class Rocpd : public testing::Test {
 protected:
  fs::path make(const std::string& sql) {
    run_sql(path_, sql);
    return path_;
  }

  std::string refusal() {
    try {
      read_rocpd(path_);
    } catch (const InputError& error) {
      EXPECT_EQ(error.code(), ExitCode::input_unfit);
      return error.what();
    }
    return "was read";
  }

  bool refused_with(std::string_view part) {
    const std::string what = refusal();
    EXPECT_NE(what.find(part), std::string::npos) << what;
    return what.find(part) != std::string::npos;
  }

  ScratchDir scratch_;
  fs::path path_ = scratch_.path() / "out results?#%.db";  // A URI would end at any of these.
};

bool has(const KernelTimes& times, std::string_view code) {
  return std::ranges::find(times.findings, code, &Finding::code) != times.findings.end();
}

TEST_F(Rocpd, ReadsTheTablesAndNotTheViews) {
  const KernelTimes times =
      read_rocpd(make(rocpd_sql({{1, 1000, 3000}, {2, 4000, 4500}, {1, 5000, 5000}})));
  ASSERT_EQ(times.dispatches.size(), 3U) << "the view has every row twice";
  EXPECT_EQ(times.kernels, (std::vector<std::string>{"gemm", "copy"}));
  EXPECT_EQ(times.dispatches[0].begin_ps, 0);
  EXPECT_EQ(times.dispatches[0].duration_ps, 2'000'000);
  EXPECT_EQ(times.dispatches[1].begin_ps, 3'000'000);
  EXPECT_EQ(times.dispatches[2].duration_ps, 0);
  EXPECT_EQ(times.devices[0].name, "Agent 4");
  EXPECT_EQ(times.devices[0].arch, "gfx942");
  EXPECT_EQ(times.devices[0].process, "pid 100");
  const LaunchShape& shape = times.shapes[times.dispatches[0].shape];
  EXPECT_EQ(shape.grid, 2048);
  EXPECT_EQ(shape.workgroup, 256);
  EXPECT_EQ(shape.vgprs, 128);
  EXPECT_EQ(shape.accum_vgprs, 8);
  EXPECT_EQ(shape.sgprs, 112);
  EXPECT_EQ(shape.lds_bytes, 4096);
  EXPECT_TRUE(times.findings.empty());
}

TEST_F(Rocpd, ReadsEveryProcess) {
  make(rocpd_sql({{1, 1000, 3000}}, "_0000_1111"));
  EXPECT_EQ(read_rocpd(make(rocpd_sql({{1, 1000, 3000}}, "_0000_2222"))).dispatches.size(), 2U);
}

TEST_F(Rocpd, KeepsWhatAJoinWouldDrop) {
  const KernelTimes times = read_rocpd(make(rocpd_sql({{9, 1000, 3000}, {1, 5000, 6000, 77}})));
  EXPECT_EQ(times.dispatches.size(), 2U);
  EXPECT_EQ(times.kernels[0], "kernel 9");
  EXPECT_TRUE(has(times, "kernel-without-name"));
}

TEST_F(Rocpd, CountsImpossibleTimes) {
  const KernelTimes times = read_rocpd(make(rocpd_sql({{1, 3000, 1000}, {1, 0, 0}, {1, 5, 6}})));
  EXPECT_EQ(times.dispatches.size(), 3U);
  EXPECT_TRUE(has(times, "dispatch-times"));
}

TEST_F(Rocpd, RefusesOtherSchemasByName) {
  make(rocpd_sql({{1, 1000, 3000}}, "_u", "4"));
  EXPECT_TRUE(refused_with("rocpd database of schema 4"));
}

TEST_F(Rocpd, RefusesOtherToolsByName) {
  make(
      "CREATE TABLE rocpd_op (id INTEGER); CREATE TABLE rocpd_metadata (tag TEXT, value TEXT);"
      "INSERT INTO rocpd_metadata VALUES ('schema_version', '2');");
  EXPECT_TRUE(refused_with("RPD database (schema 2)"));
  fs::remove(path_);
  make("CREATE TABLE A (BeginNs INTEGER); CREATE TABLE HIP (BeginNs INTEGER);");
  EXPECT_TRUE(refused_with("rocprof (version 1)"));
  fs::remove(path_);
  make("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER);");
  EXPECT_TRUE(refused_with("Nsight Systems"));
  fs::remove(path_);
  make("CREATE TABLE shopping (milk INTEGER);");
  EXPECT_TRUE(refused_with("its first table is shopping"));
}

TEST_F(Rocpd, RefusesWhatWasNotFinished) {
  make("CREATE TABLE x (y INTEGER); DROP TABLE x;");
  EXPECT_TRUE(refused_with("without tables"));
  fs::remove(path_);
  make(rocpd_sql({}));
  EXPECT_TRUE(refused_with("holds no kernel dispatch"));
}

TEST_F(Rocpd, RefusesAFileThatWasCut) {
  std::vector<RocpdDispatch> many(5000);
  make(rocpd_sql(many));
  const std::string bytes = read_file(path_);
  for (const std::size_t size : {std::size_t{50}, std::size_t{5000}, bytes.size() - 4096}) {
    write_file(path_, bytes.substr(0, size));
    EXPECT_TRUE(refused_with("is cut"));
  }
}

TEST_F(Rocpd, SurvivesDamageAnywhere) {
  make(rocpd_sql(std::vector<RocpdDispatch>(3000)));
  const std::string bytes = read_file(path_);
  std::size_t read = 0;
  for (std::size_t at = 100; at < bytes.size(); at += 2999) {
    std::string damaged = bytes;
    damaged.replace(at, std::min<std::size_t>(300, bytes.size() - at),
                    std::min<std::size_t>(300, bytes.size() - at), '\xff');
    write_file(path_, damaged);
    try {
      const KernelTimes times = read_rocpd(path_);
      EXPECT_LE(times.dispatches.size(), 4000U);
      ++read;
    } catch (const InputError&) {
      // A page that everything hangs on.
    }
  }
  EXPECT_GT(read, 0U) << "damage in one page leaves the others";
}

TEST_F(Rocpd, ReadsTheLogThatAKilledWriterLeft) {
  make(rocpd_sql({{1, 1000, 3000}}));
  const fs::path left = scratch_.path() / "left_results.db";
  with_open_database(path_, [&](const auto& run) {
    run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;"
        "INSERT INTO rocpd_kernel_dispatch_0000_1111 (pid, agent_id, kernel_id, \"start\", "
        "\"end\") "
        "VALUES (100, 1, 2, 7000, 9000);");
    fs::copy_file(path_, left);  // As the disk is when the writer is killed here.
    fs::copy_file(path_.string() + "-wal", left.string() + "-wal");
  });
  const std::string before = read_file(left) + read_file(left.string() + "-wal");
  const KernelTimes times = read_rocpd(left);
  EXPECT_EQ(times.dispatches.size(), 2U);
  EXPECT_TRUE(has(times, "database-log"));
  EXPECT_EQ(read_file(left) + read_file(left.string() + "-wal"), before) << "it was only read";
  EXPECT_FALSE(fs::exists(left.string() + "-shm"));
}

TEST_F(Rocpd, RefusesAFileThatIsBeingWritten) {
  make(rocpd_sql({{1, 1000, 3000}}));
  int ready[2], done[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t writer = ::fork();  // Locks are between processes.
  if (writer == 0) {
    with_open_database(path_, [&](const auto& run) {
      run("BEGIN EXCLUSIVE;");
      char byte = 0;
      if (::write(ready[1], &byte, 1) != 1 || ::read(done[0], &byte, 1) < 0) ::_exit(1);
    });
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_TRUE(refused_with("is being written by process " + std::to_string(writer)));
  EXPECT_EQ(::write(done[1], &byte, 1), 1);
  int status = 0;
  ::waitpid(writer, &status, 0);
  EXPECT_EQ(refusal(), "was read") << "once the writer is gone";
}

TEST(RocpdRealCaptures, ReadOrRefusedByName) {
  const char* const captures = std::getenv("JAXTRACE_CAPTURES");
  if (captures == nullptr) GTEST_SKIP() << "JAXTRACE_CAPTURES is not set";
  const fs::path directory = fs::path(captures) / "rocpd";
  const KernelTimes times = read_rocpd(directory / "gfx1250/146104_results.db");
  EXPECT_EQ(times.dispatches.size(), 5U);
  EXPECT_EQ(times.kernels.size(), 3U);
  EXPECT_EQ(times.devices[0].arch, "gfx1250");
  EXPECT_EQ(times.dispatches[0].duration_ps, 26'450'000);
  EXPECT_THROW(read_rocpd(directory / "rpd-schema2/extend.rpd"), InputError);
}

}  // namespace
}  // namespace jaxtrace
