// The program on counter files: the scenarios that specify it, by number.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "counters/scenario.h"
#include "jaxtrace/error.h"

namespace jaxtrace {
namespace {

ProgramResult pmc(const std::map<std::string, std::string>& files, const std::string& arguments) {
  const ScratchDir scratch;
  for (const auto& [name, bytes] : files) {
    std::filesystem::create_directories((scratch.path() / name).parent_path());
    write_file(scratch.path() / name, bytes);
  }
  return run_shell("jaxtrace pmc-l2 " + arguments, scratch.path());
}

bool says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string worked_example() {
  return counter_csv(example_reads() + twice("TCC_BUBBLE_sum", "69793750"));
}

TEST(PmcCommand, S43_TheWorkedExampleComesOut) {
  const ProgramResult result =
      pmc({{"hits/a_counter_collection.csv", counter_csv(example_hits())},
           {"ea/a_counter_collection.csv",
            counter_csv(with(example_reads(), &CounterRow::process, std::int64_t{101}))},
           {"ea/a_agent_info.csv", agent_csv(4, "gfx942", "AMD Instinct MI300X")}},
          "hits ea --kernel pa --ideal-gb 8.59 --ea-channels 2");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(says(result.out, "L2 hit rate **1.7 %**")) << result.out;
  EXPECT_TRUE(says(result.out, "32 bytes **0.0 %**"));
  EXPECT_TRUE(says(result.out, "over-fetch 1.04×"));
  EXPECT_TRUE(says(result.out, "2.850 TB/s"));
  EXPECT_TRUE(says(result.out, "53.8 % of the peak of 5.300 TB/s"));
  EXPECT_TRUE(says(result.out, "Over-fetch **0.52× to 1.04×**: no verdict from a range"));
}

TEST(PmcCommand, S43_WithTheCounterOf128BytesItIsSettled) {
  const ProgramResult result =
      pmc({{"hits/a_counter_collection.csv", counter_csv(example_hits())},
           {"ea/a_counter_collection.csv", worked_example()}},
          "hits ea --kernel pa --ideal-gb 8.59 --arch gfx942 --peak-tbs 5.3");
  EXPECT_TRUE(says(result.out, "Over-fetch **1.04×**: it reads what it needs")) << result.out;
  EXPECT_TRUE(says(result.out, "53.8 % of the peak of 5.300 TB/s: memory is well used"));
}

TEST(PmcCommand, S44_S46_AgentsAndKernelsApart) {
  const ProgramResult result =
      pmc({{"a_counter_collection.csv",
            counter_csv(example_reads() + twice("TCC_BUBBLE_sum", "69793750") +
                        with(example_reads() + twice("TCC_BUBBLE_sum", "69793750"),
                             &CounterRow::agent, std::string("5")) +
                        with(example_hits(), &CounterRow::kernel, std::string("other")))}},
          "a_counter_collection.csv --ideal-gb 8.59 --arch gfx942 --format json");
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json["l2"].size(), 3U);
  EXPECT_EQ(json["l2"][0]["agent"], "Agent 4");
  EXPECT_EQ(json["l2"][1]["agent"], "Agent 5");
  EXPECT_NEAR(json["l2"][1]["over_fetch_low"].get<double>(), 1.04, 0.001);
  EXPECT_TRUE(json["l2"][2]["over_fetch_low"].is_null());
}

TEST(PmcCommand, S45_TheSameFileTwice) {
  const std::string name = "a_counter_collection.csv";
  const ProgramResult once = pmc({{name, worked_example()}}, name);
  const ProgramResult twice_given = pmc({{name, worked_example()}}, name + " ./" + name);
  EXPECT_EQ(once.out, twice_given.out);
  EXPECT_TRUE(says(twice_given.err, "was given twice"));
}

TEST(PmcCommand, S47_SizesAndMemoryOfGfx950) {
  const CountedFiles read(
      {{"a_counter_collection.csv", counter_csv({{1, "TCC_EA0_RDREQ_32B_sum", "0"},
                                                 {1, "TCC_EA0_RDREQ_64B_sum", "100000"},
                                                 {1, "TCC_EA0_RDREQ_128B_sum", "900000"},
                                                 {1, "TCC_EA0_RDREQ_DRAM_32B_sum", "3800000"}})}},
      with_arch("gfx950"));
  EXPECT_EQ(read.row().read->bytes.low, 121'600'000);
  EXPECT_EQ(read.row().dram->bytes.low, 121'600'000);
}

TEST(PmcCommand, S48_ThreeSizesOfGfx942) {
  L2Options options = with_arch("gfx942");
  options.ea_channels = 2;
  const CountedFiles read(
      {{"a_counter_collection.csv", counter_csv({{1, "TCC_BUBBLE_sum", "600000"},
                                                 {1, "TCC_EA0_RDREQ_32B_sum", "100000"},
                                                 {1, "TCC_EA0_RDREQ_sum", "1000000"}})}},
      options);
  EXPECT_EQ(read.row().read->bytes.low, 99'200'000);
  EXPECT_EQ(read.row().legacy_bytes, 121'600'000);
}

TEST(PmcCommand, S49_Gfx90aHasTwoSizes) {
  const CountedFiles read(
      {{"a_counter_collection.csv",
        counter_csv({{1, "TCC_EA_RDREQ_sum", "1000000"}, {1, "TCC_EA_RDREQ_32B_sum", "100000"}})}},
      {});
  EXPECT_EQ(read.row().read->bytes.low, 60'800'000);
}

TEST(PmcCommand, S50_S51_WhatIsMissingIsNamed) {
  const ProgramResult result =
      pmc({{"a_counter_collection.csv",
            counter_csv(
                {{1, "TCC_HIT_sum", "5"}, {1, "TCC_EA0_RDREQ_sum", "9"}, {2, "FETCH_SIZE", "1"}})}},
          "a_counter_collection.csv --arch gfx942");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(says(result.out, "L2 hit rate: not known; it needs TCC_MISS_sum")) << result.out;
  EXPECT_TRUE(says(result.out, "not known; needs TCC_EA0_RDREQ_32B_sum and TCC_BUBBLE_sum"));
  EXPECT_TRUE(says(result.out, "rocprofv3 --pmc TCC_HIT_sum TCC_MISS_sum -f csv"));
}

TEST(PmcCommand, S52_NothingToSayIsExitCode4) {
  const ProgramResult result =
      pmc({{"a_counter_collection.csv",
            counter_csv({{1, "TCC_HIT_sum", "0"}, {1, "TCC_MISS_sum", "0"}})}},
          "a_counter_collection.csv");
  EXPECT_EQ(result.code, 4);
  EXPECT_EQ(result.out, "");
}

TEST(PmcCommand, S55_AWideFileWithInstances) {
  const ProgramResult result =
      pmc({{"pmc_perf.csv",
            "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,TCC_HIT[0],TCC_HIT[1],TCC_MISS[0],"
            "TCC_MISS[1],Start_Timestamp,End_Timestamp\n0,k,2,64,4,6,40,50,1000,2000\n"}},
          "pmc_perf.csv");
  EXPECT_TRUE(says(result.out, "L2 hit rate **10.0 %** (10 of 100 accesses)")) << result.out;
}

TEST(PmcCommand, S56_P16_ImpossibleFlagsAreUsageErrors) {
  for (const char* flag :
       {"--ea-channels 0", "--ea-channels -2", "--ideal-gb -1", "--ideal-gb nan", "--ideal-gb 0",
        "--ideal-gb 1e-300", "--peak-tbs inf", "--peak-tbs 5.3x", "--arch 942"}) {
    EXPECT_EQ(pmc({{"a.csv", worked_example()}}, std::string("a.csv ") + flag).code, 2) << flag;
  }
}

TEST(PmcCommand, S57_P17_FilesThatAreNone) {
  EXPECT_EQ(pmc({}, "missing.csv").code, 3);
  EXPECT_EQ(pmc({{"a.csv", ""}}, "a.csv").code, 4);
  const ProgramResult header = pmc({{"a.csv", counter_csv({})}}, "a.csv");
  EXPECT_EQ(header.code, 4);
  EXPECT_TRUE(says(header.err, "holds no row of a counter")) << header.err;
  const ProgramResult other = pmc({{"a.csv", "x,y\n1,2\n"}}, "a.csv");
  EXPECT_EQ(other.code, 4);
  EXPECT_TRUE(says(other.err, "has the columns x, y")) << other.err;
  EXPECT_EQ(pmc({{"a.csv", worked_example()}}, "a.csv --kernel nothing").code, 4);
  for (const std::string& bytes : {std::string("{}"), std::string("a\0b", 3)}) {
    const ProgramResult none = pmc({{"a.csv", bytes}}, "a.csv");
    EXPECT_EQ(none.code, 4);
    EXPECT_TRUE(says(none.err, "rocprofv3 -f csv writes one")) << none.err;
  }
}

TEST(PmcCommand, S59_TwoProcessesInOneFile) {
  const CountedFiles read({{"a_counter_collection.csv",
                            counter_csv(example_hits() + with(example_hits(), &CounterRow::process,
                                                              std::int64_t{101}))}},
                          {});
  EXPECT_EQ(read.row().dispatches, 4U);
}

TEST(PmcCommand, S60_TooLittleIsSuspicious) {
  const CountedFiles read(
      {{"a_counter_collection.csv", counter_csv(example_reads() + twice("TCC_BUBBLE_sum", "0"))}},
      with_ideal(8.59, "gfx942"));
  EXPECT_EQ(fetch(read.row(), read.options()), Fetch::too_little);
  EXPECT_FALSE(useful_bandwidth(read.row(), read.options())) << "not moved, so not used";
}

TEST(PmcCommand, MoreThanThePeakIsAFinding) {
  L2Options options = with_arch("gfx942");
  options.peak = 1e12;
  const CountedFiles read({{"a_counter_collection.csv", worked_example()}}, options);
  ASSERT_NE(read.finding("over-peak"), nullptr);
  EXPECT_TRUE(says(read.finding("over-peak")->message, "more than the 1.000 TB/s of the memory"));
}

TEST(PmcCommand, LongNamesShowThatTheyAreCut) {
  const std::string name = "begin_" + std::string(80, 'x') + "_end";
  const ProgramResult result =
      pmc({{"a.csv", counter_csv(with(example_hits(), &CounterRow::kernel, name))}},
          "a.csv --kernel nothing");
  EXPECT_TRUE(says(result.err, "are begin_xxx")) << result.err;
  EXPECT_TRUE(says(result.err, "xxx…")) << result.err;
}

TEST(PmcCommand, RelaunchesThatDifferAreANote) {
  std::vector<CounterRow> rows;
  for (std::int64_t i = 1; i <= 6; ++i) {
    rows.push_back(
        {i, "TCC_HIT_sum", "5", "k", "4", 1, 64, i * 10'000'000, i < 4 ? 20'000 : 900'000});
  }
  const CountedFiles read({{"a_counter_collection.csv", counter_csv(rows)}}, {});
  ASSERT_NE(read.finding("relaunches-differ"), nullptr);
  EXPECT_TRUE(says(read.finding("relaunches-differ")->message, "from 20.0 to 900.0 µs"));
}

TEST(PmcCommand, WritesEveryKernelAndColumn) {
  const ScratchDir scratch;
  write_file(scratch.path() / "a.csv", worked_example());
  const ProgramResult result = run_shell("jaxtrace pmc-l2 a.csv --out tables", scratch.path());
  EXPECT_EQ(result.code, 0) << result.err;
  const std::string table = read_file(scratch.path() / "tables/l2.csv");
  EXPECT_TRUE(table.starts_with("kernel,agent,arch,dispatches,time_ps,hits,accesses,hit_rate,"));
  EXPECT_EQ(read_file(scratch.path() / "tables/summary.txt"), result.out);
}

/// vecCopy reads 1,048,576 doubles once: 8,388,608 bytes.
TEST(PmcRealCaptures, VectorCopiesReadWhatTheyCopy) {
  const char* const captures = std::getenv("JAXTRACE_CAPTURES");
  if (captures == nullptr) GTEST_SKIP() << "JAXTRACE_CAPTURES is not set";
  const std::filesystem::path directory =
      std::filesystem::path(captures) / "rocprofv3-csv/wide-pmc_perf";
  L2Options options;
  options.ideal_bytes = 8'388'608;
  const auto first_dispatch = [&](const char* name) {
    const std::vector<std::filesystem::path> files = {directory / name};
    CounterData data = read_counters(files);
    data.dispatches.resize(1);
    L2Row row = analyse_l2(data, options).rows.at(0);
    EXPECT_EQ(fetch(row, options), Fetch::clean);
    EXPECT_NEAR(over_fetch(row, options)->first, 1.0, 0.005);
    EXPECT_FALSE(row.hits->basis.joined) << "hits and misses are of one pass";
    return row.read->bytes.low;
  };
  EXPECT_EQ(first_dispatch("vcopy_MI200_pmc_perf.csv"), 8'389'312);
  EXPECT_EQ(first_dispatch("vcopy_MI300X_A1_pmc_perf.csv"), 8'403'904);
}

TEST(PmcRealCaptures, EveryCounterFileIsReadOrRefusedWithAReason) {
  const char* const captures = std::getenv("JAXTRACE_CAPTURES");
  if (captures == nullptr) GTEST_SKIP() << "JAXTRACE_CAPTURES is not set";
  std::size_t read = 0, refused = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::filesystem::path(captures) / "rocprofv3-csv")) {
    if (entry.path().extension() != ".csv") continue;
    const std::vector<std::filesystem::path> files = {entry.path()};
    try {
      EXPECT_FALSE(analyse_l2(read_counters(files), {}).rows.empty()) << entry.path();
      ++read;
    } catch (const InputError& error) {
      EXPECT_EQ(error.code(), ExitCode::input_unfit) << error.what();
      ++refused;
    }
  }
  EXPECT_EQ(read, 6U);
  EXPECT_GT(refused, 20U);
}

}  // namespace
}  // namespace jaxtrace
