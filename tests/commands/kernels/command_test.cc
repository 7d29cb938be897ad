// The program on every kind of recording that holds kernel times.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "support/kernel_csv.h"
#include "support/program.h"
#include "support/rocpd.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;

class Kernels : public testing::Test {
 protected:
  void file(const std::string& name, const std::string& bytes) {
    fs::create_directories((scratch_.path() / name).parent_path());
    write_file(scratch_.path() / name, bytes);
  }

  void database(const std::string& name, const std::vector<RocpdDispatch>& dispatches) {
    run_sql(scratch_.path() / name, rocpd_sql(dispatches));
  }

  ProgramResult run(const std::string& arguments) {
    return run_shell("jaxtrace kernels " + arguments, scratch_.path());
  }

  nlohmann::json json(const std::string& arguments) {
    const ProgramResult result = run(arguments + " --format json");
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }

  ScratchDir scratch_;
};

bool says(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_F(Kernels, RanksByTimeAndSharesTheSumOfDurations) {
  file("out_kernel_trace.csv",
       kernel_csv({{"small", 1000, 2000}, {"big", 2000, 5000}, {"big", 7000, 9000}}));
  const auto report = json("out_kernel_trace.csv");
  EXPECT_EQ(report["calls"], 3);
  EXPECT_EQ(report["total_ps"], 6'000'000);
  const auto& first = report["kernels"][0];
  EXPECT_EQ(first["rank"], 1);
  EXPECT_EQ(first["kernel"], "big");
  EXPECT_EQ(first["calls"], 2);
  EXPECT_EQ(first["total_ps"], 5'000'000);
  EXPECT_EQ(first["mean_ps"], 2'500'000);
  EXPECT_EQ(first["min_ps"], 2'000'000);
  EXPECT_EQ(first["max_ps"], 3'000'000);
  EXPECT_NEAR(first["share"].get<double>(), 5.0 / 6, 1e-6);
  EXPECT_EQ(first["vgprs"], 64);
  EXPECT_FALSE(first.contains("accum_vgprs")) << "4294966272 is uninitialised memory";
  EXPECT_EQ(first["lds_bytes"], 512);
}

TEST_F(Kernels, BusyIsAUnionOfEachDevice) {
  file("out_kernel_trace.csv", kernel_csv({{"a", 1000, 5000},
                                           {"b", 2000, 3000},
                                           {"c", 4000, 6000},
                                           {"d", 8000, 9000},
                                           {"a", 1000, 2000, "5"}}));
  const auto devices = json("out_kernel_trace.csv")["devices"];
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0]["device"], "Agent 4");
  EXPECT_EQ(devices[0]["total_ps"], 8'000'000);
  EXPECT_EQ(devices[0]["busy_ps"], 6'000'000);
  EXPECT_EQ(devices[0]["span_ps"], 8'000'000);
  EXPECT_EQ(devices[1]["device"], "Agent 5");
}

TEST_F(Kernels, TheDatabaseIsBelievedAndTheRestCompared) {
  database("out_results.db", {{1, 1000, 3000}, {2, 4000, 4500}});
  file("out_kernel_trace.csv", kernel_csv({{"gemm", 1000, 3000}, {"copy", 4000, 4500}}));
  file("out_kernel_stats.csv", stats_csv({{"gemm", 1, 2000}, {"copy", 1, 500}}));
  const ProgramResult agree = run(".");
  EXPECT_TRUE(says(agree.out,
                   "2 calls of 2 kernels took **2.500 µs** on 1 GPU, from "
                   "out_results.db"))
      << agree.out;
  EXPECT_TRUE(says(agree.out, "in agreement: out_kernel_trace.csv, out_kernel_stats.csv"));
  EXPECT_EQ(agree.err, "");

  file("out_kernel_stats.csv", stats_csv({{"gemm", 2, 4000}, {"copy", 1, 500}}));
  const ProgramResult differ = run("out_results.db --strict");
  EXPECT_TRUE(says(differ.err,
                   "out_kernel_stats.csv: disagrees with out_results.db: 3 calls and "
                   "4.500 µs against 2 calls and 2.500 µs"))
      << differ.err;
  EXPECT_EQ(differ.code, 1);
}

TEST_F(Kernels, FallsBackFromADamagedDatabase) {
  file("out_results.db", std::string("SQLite format 3\0", 16) + std::string(200, 'x'));
  file("out_kernel_trace.csv", kernel_csv({{"gemm", 1000, 3000}}));
  const ProgramResult result = run("out_results.db");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(says(result.out, "from out_kernel_trace.csv"));
  EXPECT_TRUE(says(result.err, "a file of the run was left out: out_results.db: is cut"))
      << result.err;
}

TEST_F(Kernels, DifferentRunsAreAddedUp) {
  file("1_kernel_trace.csv", kernel_csv({{"gemm", 1000, 3000}}));
  file("2_kernel_trace.csv", kernel_csv({{"gemm", 1000, 2000}}));
  const auto report = json("1_kernel_trace.csv 2_kernel_trace.csv");
  EXPECT_EQ(report["calls"], 2);
  EXPECT_EQ(report["kernels"].size(), 1U);
  EXPECT_EQ(report["devices"][1]["file"], "2_kernel_trace.csv");
  EXPECT_EQ(json("1_kernel_trace.csv ./1_kernel_trace.csv")["calls"], 1) << "once";
}

TEST_F(Kernels, SkipsTheFirstLaunchesOfEachKernelOnEachDevice) {
  file("out_kernel_trace.csv",
       kernel_csv(
           {{"a", 9000, 9100}, {"a", 1000, 5000}, {"b", 6000, 7000}, {"a", 1000, 2000, "5"}}));
  const auto report = json("out_kernel_trace.csv --skip-first 1");
  EXPECT_EQ(report["calls"], 1) << "what began later stays, whatever the order of the rows";
  EXPECT_EQ(report["total_ps"], 100'000);
  EXPECT_EQ(run("out_kernel_trace.csv --skip-first 9").code, 4);
  file("sums_kernel_stats.csv", stats_csv({{"gemm", 2, 4000}}));
  const ProgramResult sums = run("sums_kernel_stats.csv --skip-first 1");
  EXPECT_EQ(sums.code, 4);
  EXPECT_TRUE(says(sums.err, "has only sums"));
}

TEST_F(Kernels, ReadsStatisticsAlone) {
  file("out_kernel_stats.csv", stats_csv({{"gemm", 3, 4000, 1000, 2000}, {"copy", 1, 500}}));
  const auto report = json("out_kernel_stats.csv");
  EXPECT_EQ(report["kernels"][0]["mean_ps"], 1'333'333);
  EXPECT_EQ(report["kernels"][0]["max_ps"], 2'000'000);
  EXPECT_FALSE(report.contains("devices"));
}

TEST_F(Kernels, ReadsResultsAsJson) {
  file("out_results.json", R"({"rocprofiler-sdk-tool": [{
    "buffer_records": {"kernel_dispatch": [
      {"size": 1, "start_timestamp": 1000, "end_timestamp": 4000, "thread_id": 7,
       "correlation_id": {"internal": 5, "external": 0},
       "dispatch_info": {"agent_id": {"handle": 99}, "kernel_id": 2, "private_segment_size": 0,
         "group_segment_size": 64, "workgroup_size": {"x": 64, "y": 2, "z": 1},
         "grid_size": {"x": 128, "y": 2, "z": 1}}}], "hip_api": [{"a": [1, {"b": "}"}]}]},
    "kernel_symbols": [{"kernel_id": 0}, {"kernel_id": 2, "kernel_name": "gemm.kd",
      "formatted_kernel_name": "gemm", "arch_vgpr_count": 16, "sgpr_count": 32}],
    "agents": [{"id": {"handle": 99}, "node_id": 4, "name": "gfx942", "product_name": "MI300X"}],
    "metadata": {"pid": 100}}]})");
  const auto report = json("out_results.json");
  EXPECT_EQ(report["kernels"][0]["kernel"], "gemm");
  EXPECT_EQ(report["kernels"][0]["total_ps"], 3'000'000);
  EXPECT_EQ(report["kernels"][0]["vgprs"], 16);
  EXPECT_EQ(report["kernels"][0]["workgroup"], 128);
  EXPECT_EQ(report["devices"][0]["device"], "Agent 4");
  EXPECT_EQ(report["devices"][0]["process"], "pid 100");
}

TEST_F(Kernels, UsesWhatIsThereOfCutJson) {
  file("out_results.json",
       R"({"rocprofiler-sdk-tool": [{"kernel_symbols": [{"kernel_id": 2, "kernel_name": "gemm"}],
       "buffer_records": {"kernel_dispatch": [{"start_timestamp": 1000, "end_timestamp": 4000,
       "dispatch_info": {"kernel_id": 2}}, {"start_time)");
  const ProgramResult result = run("out_results.json");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(says(result.err, "is no JSON at byte"));
}

TEST_F(Kernels, TimesOfCounterRunsSayWhatTheyAre) {
  file("out_counter_collection.csv",
       "Dispatch_Id,Agent_Id,Process_Id,Kernel_Name,Counter_Name,Counter_Value,Start_Timestamp,"
       "End_Timestamp\n1,4,9,gemm,A,1,1000,2000\n1,4,9,gemm,B,1,1000,2000\n"
       "2,4,9,gemm,A,1,3000,4000\n2,4,9,gemm,B,1,3000,4000\n");
  const ProgramResult result = run("out_counter_collection.csv");
  EXPECT_TRUE(says(result.out, "2 calls of 1 kernel took **2.000 µs**")) << result.out;
  EXPECT_TRUE(says(result.out, "while counters were collected"));
}

TEST_F(Kernels, ImpossibleTimesAreCountedAndInNoSum) {
  file("out_kernel_trace.csv",
       kernel_csv({{"a", 1000, 2000}, {"a", 5000, 4000}, {"a", 0, 0}, {"b", 3000, 3000}}));
  const ProgramResult result = run("out_kernel_trace.csv --strict --format json");
  EXPECT_EQ(result.code, 1);
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["kernels"][0]["calls"], 3);
  EXPECT_EQ(report["kernels"][0]["untimed_calls"], 2);
  EXPECT_EQ(report["kernels"][0]["total_ps"], 1'000'000);
  EXPECT_EQ(report["kernels"][1]["total_ps"], 0) << "a zero-length kernel is one";
}

TEST_F(Kernels, ShowsWhatGraphLaunchesRan) {
  file("out_kernel_trace.csv", kernel_csv({{"a", 10000, 11000, "4", 7},
                                           {"b", 12000, 14000, "4", 7},
                                           {"c", 20000, 21000, "4", 8}}));
  file("out_hip_api_trace.csv",
       "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp\n"
       "HIP,hipGraphLaunch,1,1,7,9000,9500\nHIP,hipLaunchKernel,1,1,8,9600,9700\n"
       "HIP,hipGraphLaunch,1,1,9,9800,9900\n");
  const ProgramResult result = run("out_kernel_trace.csv");
  EXPECT_TRUE(says(result.out,
                   "2 graph launches ran 2 kernels, 75.0 % of the kernels' durations; "
                   "1 of them has no kernel"))
      << result.out;
  const auto graphs = json("out_kernel_trace.csv")["graphs"];
  EXPECT_EQ(graphs[0]["kernels"], 2);
  EXPECT_EQ(graphs[0]["total_ps"], 3'000'000);
  EXPECT_EQ(graphs[0]["span_ps"], 4'000'000);
  EXPECT_EQ(graphs[0]["host_ps"], 500'000);
  EXPECT_TRUE(graphs[1]["total_ps"].is_null());
}

TEST_F(Kernels, RelaunchesThatDifferAreANote) {
  std::vector<CsvKernel> rows;
  for (std::int64_t i = 1; i <= 6; ++i) {
    rows.push_back({"k", i * 1'000'000, i * 1'000'000 + (i < 4 ? 20'000 : 90'000)});
  }
  file("out_kernel_trace.csv", kernel_csv(rows));
  EXPECT_TRUE(says(run("out_kernel_trace.csv").err, "from 20.00 µs to 90.00 µs"));
}

TEST_F(Kernels, PrintsTheInputOfAThreadTrace) {
  file("out_kernel_stats.csv", stats_csv({{"void ns::gemm<float, 3>(float*, int)", 9, 4000},
                                          {"void ns::gemm<half, 3>(half*, int)", 2, 500},
                                          {"softmax", 1, 100}}));
  const ProgramResult result = run("out_kernel_stats.csv --att-yaml 'gemm<float' --out trace");
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* line :
       {"kernel_include_regex: 'gemm'", "kernel_iteration_range: \"[1, [3-4]]\"",
        "output_file: out", "output_directory: kernel_trace_output", "output_format: [csv]",
        "truncate_kernels: true", "sys_trace: true", "advanced_thread_trace: true",
        "att_target_cu: 1", "att_shader_engine_mask: \"0xf\"", "att_simd_select: \"0xf\"",
        "att_buffer_size: \"0x6000000\"", "\"0xC000000\" if it was cut"}) {
    EXPECT_TRUE(says(result.out, line)) << line;
  }
  EXPECT_TRUE(says(result.out, "finds 1 other kernel too"));
  const std::string yaml = read_file(scratch_.path() / "trace/input.yaml");
  EXPECT_TRUE(yaml.starts_with("jobs:\n  - kernel_include_regex: 'gemm'\n")) << yaml;

  EXPECT_TRUE(says(run("out_kernel_stats.csv --att-yaml gemm").err, "2 kernels hold \"gemm\""));
  EXPECT_TRUE(says(run("out_kernel_stats.csv --att-yaml softmax").out, "It was launched once"));
  EXPECT_EQ(run("out_kernel_stats.csv --att-yaml nothing").code, 4);
}

TEST_F(Kernels, NoCopyOfTheRuntimeIsProposedForATrace) {
  file("out_kernel_trace.csv",
       kernel_csv({{"__amd_rocclr_copyBuffer", 1000, 5000}, {"gemm", 5000, 6000}}));
  const std::string page = run("out_kernel_trace.csv").out;
  EXPECT_TRUE(says(page, "To trace number 2")) << page;
  EXPECT_TRUE(says(page, "for rocprofv3: gemm;")) << page;
  file("only_kernel_trace.csv", kernel_csv({{"__amd_rocclr_copyBuffer", 1000, 5000}}));
  EXPECT_TRUE(says(run("only_kernel_trace.csv").out, "To trace the first"));
}

TEST_F(Kernels, HalvedRegistersOfGfx950AreSaid) {
  file(
      "out_kernel_trace.csv",
      "\"Kind\",\"Agent_Id\",\"Dispatch_Id\",\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\","
      "\"VGPR_Count\",\"Accum_VGPR_Count\"\n\"KERNEL_DISPATCH\",4,1,\"gemm\",1000,2000,16,0\n");
  for (const char* arch : {"gfx942", "gfx950"}) {
    file("out_agent_info.csv",
         std::string("\"Node_Id\",\"Agent_Type\",\"Name\",\"Product_Name\"\n4,\"GPU\",\"") + arch +
             "\",\"AMD\"\n");
    const std::string page = run("out_kernel_trace.csv").out;
    EXPECT_EQ(says(page, "write half of the vector registers"), std::string(arch) == "gfx950")
        << page;
  }
}

TEST_F(Kernels, ACaptureGivenTwiceCountsOnce) {
  const std::string demo = std::string("'") + JAXTRACE_SOURCE_DIR + "/testdata/demo";
  const auto once = json(demo + "'");
  const auto twice = json(demo + "' " + demo + "/'");
  EXPECT_EQ(once["calls"], twice["calls"]);
  EXPECT_EQ(once["total_ps"], twice["total_ps"]);
  EXPECT_TRUE(says(run(demo + "' " + demo + "'").err, "was given twice and is read once"));
}

TEST_F(Kernels, TopIsANumberFromNothingOn) {
  file("out_kernel_trace.csv", kernel_csv({{"a", 1000, 2000}, {"b", 2000, 3000}}));
  EXPECT_EQ(run("out_kernel_trace.csv --top 0").code, 0);
  EXPECT_EQ(run("out_kernel_trace.csv --top -1").code, 2);
  EXPECT_EQ(run("out_kernel_trace.csv --top 99999999999999999999").code, 2);
}

TEST_F(Kernels, LongNamesInSentencesShowThatTheyAreCut) {
  const std::string name = "begin_" + std::string(80, 'x') + "_end";
  file("out_kernel_trace.csv", kernel_csv({{name, 1000, 2000}}));
  const ProgramResult result = run("out_kernel_trace.csv --att-yaml nothing");
  EXPECT_TRUE(says(result.err, "are begin_xxx")) << result.err;
  EXPECT_TRUE(says(result.err, "xxx…")) << result.err;
}

TEST_F(Kernels, WrongInputsGetASentence) {
  EXPECT_EQ(run("missing.csv").code, 3);
  EXPECT_EQ(run("missing_results.db").code, 3);
  file("hip_api_stats.csv", stats_csv({{"hipMalloc", 1, 5}}));
  EXPECT_TRUE(says(run("hip_api_stats.csv").err, "statistics of other things than kernels"));
  file("out_kernel_trace.csv", kernel_csv({}));
  const ProgramResult empty = run("out_kernel_trace.csv");
  EXPECT_EQ(empty.code, 4);
  EXPECT_TRUE(says(empty.err, "a header and no kernel")) << empty.err;
  fs::create_directory(scratch_.path() / "nothing");
  EXPECT_EQ(run("nothing").code, 4);
}

TEST_F(Kernels, HostileNamesStayInTheirCells) {
  const std::string name = "f<\"a\", |b|>(\n=1+1, \xff)";
  file("out_kernel_trace.csv", kernel_csv({{name, 1000, 2000}, {std::string(10'000, 'x'), 1, 2}}));
  const ProgramResult result = run("out_kernel_trace.csv --out tables");
  EXPECT_EQ(result.code, 0) << result.err;
  const std::string table = read_file(scratch_.path() / "tables/kernels.csv");
  EXPECT_TRUE(says(table, "1,\"f<\"\"a\"\", |b|>(\n=1+1, \xff)\",1,1000000,")) << table;
  EXPECT_EQ(json("out_kernel_trace.csv")["kernels"].size(), 2U);
}

TEST(KernelsRealCaptures, EveryFileIsReadOrRefusedWithAReason) {
  const char* const captures = std::getenv("JAXTRACE_CAPTURES");
  if (captures == nullptr) GTEST_SKIP() << "JAXTRACE_CAPTURES is not set";
  const ScratchDir scratch;
  std::size_t read = 0;
  for (const char* folder : {"rocprofv3-csv", "rocpd", "att"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(captures) / folder)) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_regular_file() ||
          !(name.ends_with(".csv") || name.ends_with(".db") || name.ends_with(".rpd"))) {
        continue;
      }
      const ProgramResult result =
          run_shell("jaxtrace kernels '" + entry.path().string() + "'", scratch.path());
      EXPECT_TRUE(result.code == 0 || result.code == 4) << result.err;
      EXPECT_EQ(result.out.empty(), result.code == 4) << name;
      read += result.code == 0 ? 1 : 0;
    }
  }
  EXPECT_GE(read, 18U);
}

TEST(KernelsRealCaptures, TheStatisticsOfAToolAgreeWithItsTrace) {
  const char* const captures = std::getenv("JAXTRACE_CAPTURES");
  if (captures == nullptr) GTEST_SKIP() << "JAXTRACE_CAPTURES is not set";
  const ScratchDir scratch;
  const ProgramResult result =
      run_shell("jaxtrace kernels '" + std::string(captures) + "/att/iree-wave'", scratch.path());
  EXPECT_TRUE(says(result.out, "1,040 calls of 33 kernels took **4.928 ms**"));
  EXPECT_TRUE(says(result.out, "in agreement: 3785403_kernel_stats.csv"));
}

}  // namespace
}  // namespace jaxtrace
