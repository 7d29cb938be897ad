// What lies beside the instructions: sources, waves, occupancy, clock, resources; and where traces
// are.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "jaxtrace/error.h"
#include "jaxtrace/thread_trace_reader.h"
#include "support/att.h"

namespace jaxtrace {
namespace {

namespace fs = std::filesystem;
using synth::AttDir;
using synth::codes;

std::vector<std::string> source_paths(const ThreadTrace& trace) {
  std::vector<std::string> paths;
  for (const SourceFile& file : trace.sources) paths.push_back(file.path);
  return paths;
}

// ---- Sources

TEST(AttSources, AreThoseThatInstructionsNameChainsIncluded) {
  const AttDir directory;
  directory.code({{"s_nop 0", 1, "/k/./a.py:3 -> rel/b.py:2", 1, 8, 4, 0},
                  {"s_endpgm", 2, "/other.py:1", 1, 4, 0, 0}});
  directory.file(
      "snapshots.json",
      R"({"/": {"k": {".": {"a.py": "source_0_a.py"}}, "unused.py": "source_2_unused.py"},
                     "rel": {"b.py": "source_1_b.py"}})");
  directory.file("source_0_a.py",
                 "one\r\ntwo\r\nthr\xff"
                 "ee");
  directory.file("source_1_b.py", "x\n");
  directory.file("source_2_unused.py", "x\n");
  const ThreadTrace trace = directory.read();
  ASSERT_EQ(source_paths(trace), (std::vector<std::string>{"/k/./a.py", "rel/b.py"}));
  EXPECT_EQ(trace.sources[0].lines, (std::vector<std::string>{"one", "two",
                                                              "thr\xef\xbf\xbd"
                                                              "ee"}));
  EXPECT_TRUE(trace.findings.empty());
}

TEST(AttSources, B26_NothingOutsideTheDirectoryIsOpened) {
  const AttDir directory;
  write_file(directory.parent() / "secret", "secret\n");
  fs::create_symlink(directory.parent() / "secret", directory.path() / "source_2_link.py");
  directory.code({{"s_nop 0", 1, "/a.py:1", 1, 8, 4, 0},
                  {"s_nop 0", 2, "/b.py:1", 1, 8, 4, 0},
                  {"s_nop 0", 3, "/c.py:1", 1, 8, 4, 0},
                  {"s_endpgm", 4, "/d.py:1", 1, 4, 0, 0}});
  directory.file("snapshots.json", R"({"/": {"a.py": "../secret", "b.py": "/etc/hostname",
                                             "c.py": "source_2_link.py", "d.py": ".."}})");
  const ThreadTrace trace = directory.read();
  EXPECT_TRUE(trace.sources.empty());
  const auto found = codes(trace.findings);
  EXPECT_EQ(std::ranges::count(found, "att-source-refused"), 4);
}

TEST(AttSources, AMalformedIndexCostsOnlyTheSources) {
  const AttDir directory;
  directory.code({{"s_endpgm", 1, "/a.py:1", 1, 4, 2, 0}});
  directory.file("snapshots.json", R"({"/": {"a.py": )");
  const ThreadTrace trace = directory.read();
  EXPECT_EQ(trace.instructions.at(0).stall_cycles, 2);
  EXPECT_EQ(codes(trace.findings), std::vector<std::string>{"att-part-unreadable"});
}

// ---- Waves

TEST(AttWaves, AreHandedOutByNameWithTheirWaits) {
  const AttDir directory;
  directory.code({{"s_nop 0", 1, "", 1, 8, 4, 0}});
  directory.file("se10_sm0_sl0_wv0.json", synth::wave_json(100, 200, {}));
  directory.file("se2_sm3_sl1_wv0.json",
                 synth::wave_json(100, 200, {{104, 9, 4, 8, 1}, {100, 6, 0, 4, 2}},
                                  "[[1,[[2,0],[3,0]]],[5,[]]]"));
  directory.file("wave.json", "{}");
  const ThreadTrace trace = directory.read();
  EXPECT_EQ(trace.wave_files,
            (std::vector<std::string>{"se2_sm3_sl1_wv0.json", "se10_sm0_sl0_wv0.json"}));
  std::vector<Wave> waves;
  EXPECT_TRUE(read_waves(trace, [&](const Wave& wave) { waves.push_back(wave); }).empty());
  ASSERT_EQ(waves.size(), 2U);
  EXPECT_EQ(waves[0].engine, 2);
  EXPECT_EQ(waves[0].cu, 1);
  ASSERT_EQ(waves[0].steps.size(), 2U);
  EXPECT_EQ(waves[0].steps[0].line, 2);
  EXPECT_EQ(waves[0].steps[1].stall, 4);
  ASSERT_EQ(waves[0].waits.size(), 2U);
  EXPECT_EQ(waves[0].waits[0].waits_for, (std::vector<std::int64_t>{2, 3}));
  EXPECT_TRUE(waves[1].steps.empty());
}

TEST(AttWaves, ListsMayBeNull) {
  const AttDir directory;
  directory.code({{"s_nop 0", 1, "", 1, 8, 4, 0}});
  directory.file(
      "se0_sm0_sl0_wv0.json",
      R"({"wave":{"begin":1,"end":9,"instructions":null,"timeline":null,"waitcnt":null}})");
  std::size_t waves = 0;
  EXPECT_TRUE(read_waves(directory.read(), [&](const Wave&) { ++waves; }).empty());
  EXPECT_EQ(waves, 1U);
}

TEST(AttWaves, ADamagedFileIsLeftOutWhole) {
  const AttDir directory;
  directory.code({{"s_nop 0", 1, "", 1, 8, 4, 0}});
  const std::string good = synth::wave_json(0, 9, {{0, 2, 0, 4, 1}});
  directory.file("se0_sm0_sl0_wv0.json", good.substr(0, good.size() / 2));
  directory.file("se0_sm0_sl0_wv1.json", synth::wave_json(0, 9, {{0, 2, 8, 4, 1}}));
  directory.file("se0_sm0_sl0_wv2.json", good);
  std::vector<std::string> read;
  const auto findings =
      read_waves(directory.read(), [&](const Wave& wave) { read.push_back(wave.file); });
  EXPECT_EQ(read, std::vector<std::string>{"se0_sm0_sl0_wv2.json"});
  ASSERT_EQ(codes(findings), std::vector<std::string>{"att-wave-unreadable"});
  EXPECT_NE(findings[0].message.find("1 more"), std::string::npos) << findings[0].message;
}

TEST(AttWaves, InstructionsThatTheDecoderCouldNotPlaceAreSaid) {
  const AttDir directory;
  directory.code({{"s_nop 0", 1, "", 1, 8, 4, 0}});
  directory.file(
      "se0_sm0_sl0_wv0.json",
      R"({"num_insts":9,"num_stitched":7,"wave":{"begin":1,"end":9,"instructions":[]}})");
  EXPECT_EQ(codes(read_waves(directory.read(), [](const Wave&) {})),
            std::vector<std::string>{"att-wave-unstitched"});
}

TEST(AttWaves, FilenamesSayHowManyThereWere) {
  const AttDir directory;
  directory.code({{"s_nop 0", 1, "", 1, 8, 4, 0}});
  directory.file("filenames.json", R"({"gfxip": 9, "wave_filenames": {"0": {"0":
      {"0": {"0": ["se0_sm0_sl0_wv0.json", 1, 9], "1": ["se0_sm0_sl0_wv1.json", 1, 9]}}}}})");
  directory.file("se0_sm0_sl0_wv1.json", synth::wave_json(0, 9, {}));
  const ThreadTrace trace = directory.read();
  EXPECT_EQ(trace.gfxip, "9");
  EXPECT_EQ(trace.waves_listed, 2U);
  EXPECT_EQ(trace.wave_files.size(), 1U);
  EXPECT_EQ(codes(trace.findings), std::vector<std::string>{"att-waves-missing"});
}

// ---- Occupancy and clock

TEST(AttOccupancy, EventsAreByTimeWithEndsFirst) {
  const AttDir directory;
  directory.code({{"s_nop 0", 1, "", 1, 8, 4, 0}});
  directory.file("occupancy.json", R"({"1": [[50, 0, 0, 0, 1, 4], [90, 0, 0, 0, 0, 4]],
      "0": [[90, 3, 2, 1, 1, 4], [90, 3, 2, 1, 0, 4], [40, 3, 2, 1, 1, 4], [1, 2]],
      "dispatches": {"4": "k"}, "version": "3.0.0"})");
  const ThreadTrace trace = directory.read();
  std::vector<std::tuple<std::int64_t, std::int64_t, bool>> events;
  for (const OccupancyEvent& event : trace.occupancy) {
    events.emplace_back(event.engine, event.time, event.starts);
  }
  EXPECT_EQ(events,
            (std::vector<std::tuple<std::int64_t, std::int64_t, bool>>{
                {0, 40, true}, {0, 90, false}, {0, 90, true}, {1, 50, true}, {1, 90, false}}));
  EXPECT_EQ(codes(trace.findings), std::vector<std::string>{"att-part-unreadable"});
}

TEST(AttClock, IsTheShaderClockPerSecond) {
  const AttDir directory;
  directory.code({{"s_nop 0", 1, "", 1, 8, 4, 0}});
  directory.file("realtime.json", R"({"SE0": [[1000, 100], [22000, 1100]],
                                      "metadata": {"frequency": 100000000}})");
  EXPECT_EQ(directory.read().clock_hz, 2.1e9);
}

// ---- kernel_trace.csv and agent_info.csv

constexpr const char* kTraceHeader =
    "Kind,Agent_Id,Dispatch_Id,Kernel_Name,LDS_Block_Size,Scratch_Size,VGPR_Count,Accum_VGPR_Count,"
    "SGPR_Count,Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z,Grid_Size_X,Grid_Size_Y,"
    "Grid_Size_Z\n";

AttDir& with_kernel(AttDir& directory) {
  directory.code({{"; _Z1kPf", 0, "void ns::k<3>(float*)"}, {"s_endpgm", 1, "", 1, 4, 2, 0}});
  return directory;
}

TEST(AttResources, B39_ARowIsTheDispatchsIfNameAndNumberAre) {
  AttDir directory(5);
  with_kernel(directory);
  write_file(directory.parent() / "9_kernel_trace.csv",
             std::string(kTraceHeader) +
                 "KERNEL_DISPATCH,Agent 2,5,other,0,0,8,0,16,64,1,1,64,1,1\n"
                 "KERNEL_DISPATCH,Agent 2,5,\"void "
                 "ns::k<3>(float*)\",12800,0,144,136,112,256,1,1,512,2,1\n"
                 "KERNEL_DISPATCH,Agent 2,6,\"void ns::k<3>(float*)\",0,0,8,0,16,64,1,1,64,1,1\n");
  write_file(directory.parent() / "9_agent_info.csv",
             "Node_Id,Logical_Node_Id,Agent_Type,Cu_Count,Name\n"
             "0,0,CPU,128,EPYC\n2,2,GPU,304,gfx942\n3,3,GPU,104,gfx90a\n");
  const ThreadTrace trace = directory.read();
  ASSERT_EQ(trace.resources.size(), 1U);
  const DispatchResources& row = trace.resources[0];
  EXPECT_TRUE(row.by_dispatch);
  EXPECT_EQ(row.vgprs, 144);
  EXPECT_EQ(row.accum_vgprs, 136);
  EXPECT_EQ(row.sgprs, 112);
  EXPECT_EQ(row.lds_bytes, 12800);
  EXPECT_EQ(row.workgroup_size, 256);
  EXPECT_EQ(row.grid_size, 1024);
  EXPECT_EQ(row.arch, "gfx942");
  EXPECT_EQ(row.compute_units, 304);
  EXPECT_TRUE(trace.findings.empty());
}

TEST(AttResources, B39_AnotherRunsDispatchesStandInByName) {
  AttDir directory(209);
  with_kernel(directory);
  directory.file("out_kernel_trace.csv", std::string(kTraceHeader) +
                                             "KERNEL_DISPATCH,4,1,k,0,0,8,0,16,64,1,1,64,1,1\n"
                                             "KERNEL_DISPATCH,4,2,k,0,0,8,0,16,64,1,1,128,1,1\n");
  const ThreadTrace trace = directory.read();
  ASSERT_EQ(trace.resources.size(), 1U);
  EXPECT_FALSE(trace.resources[0].by_dispatch);
  EXPECT_EQ(trace.resources[0].vgprs, 8);
  EXPECT_EQ(trace.resources[0].grid_size, std::nullopt);
  EXPECT_EQ(codes(trace.findings), std::vector<std::string>{"att-matched-by-name"});
}

TEST(AttResources, B39_VariantsOfOneNameAreAllKept) {
  AttDir directory(209);
  with_kernel(directory);
  directory.file("out_kernel_trace.csv", std::string(kTraceHeader) +
                                             "KERNEL_DISPATCH,4,1,k,0,0,8,0,16,64,1,1,64,1,1\n"
                                             "KERNEL_DISPATCH,4,2,k,0,0,4,0,16,64,1,1,64,1,1\n");
  const ThreadTrace trace = directory.read();
  EXPECT_EQ(trace.resources.size(), 2U);
  ASSERT_EQ(codes(trace.findings), std::vector<std::string>{"att-resources-differ"});
  EXPECT_EQ(trace.findings[0].severity, Severity::error);
}

TEST(AttResources, B7_ImpossibleAccumulatorsAreUnknown) {
  AttDir directory;
  with_kernel(directory);
  directory.file("kernel_trace.csv",
                 std::string(kTraceHeader) +
                     "KERNEL_DISPATCH,4,1,_Z1kPf.kd,0,0,8,4294966272,16,64,1,1,64,1,1\n");
  const ThreadTrace trace = directory.read();
  ASSERT_EQ(trace.resources.size(), 1U);
  EXPECT_EQ(trace.resources[0].vgprs, 8);
  EXPECT_EQ(trace.resources[0].accum_vgprs, std::nullopt);
  EXPECT_EQ(codes(trace.findings), std::vector<std::string>{"att-impossible-registers"});
}

TEST(AttResources, B41_OldFilesLackColumnsAndTheFirstByNameIsFirst) {
  AttDir directory;
  with_kernel(directory);
  directory.file("b_kernel_trace.csv",
                 "Dispatch_Id,Kernel_Name,Group_Segment_Size\n1,_Z1kPf,512\n");
  directory.file("a_kernel_trace.csv",
                 "Dispatch_Id,Kernel_Name,Group_Segment_Size\n1,_Z1kPf,1024\n");
  const ThreadTrace trace = directory.read();
  ASSERT_EQ(trace.resources.size(), 2U);
  EXPECT_EQ(trace.resources[0].lds_bytes, 1024);
  EXPECT_EQ(trace.resources[0].vgprs, std::nullopt);
  EXPECT_EQ(trace.resources[0].workgroup_size, std::nullopt);
}

TEST(AttResources, AgentsAloneNameTheGpuIfTheyAgree) {
  AttDir directory;
  with_kernel(directory);
  write_file(directory.parent() / "agent_info.csv",
             "Node_Id,Agent_Type,Cu_Count,Name\n1,GPU,256,gfx950\n2,GPU,256,gfx950\n");
  ThreadTrace trace = directory.read();
  ASSERT_EQ(trace.resources.size(), 1U);
  EXPECT_EQ(trace.resources[0].arch, "gfx950");
  EXPECT_EQ(trace.resources[0].vgprs, std::nullopt);
  write_file(directory.parent() / "agent_info.csv",
             "Node_Id,Agent_Type,Cu_Count,Name\n1,GPU,256,gfx950\n2,GPU,304,gfx942\n");
  EXPECT_TRUE(directory.read().resources.empty());
}

// ---- Finding traces

TEST(FindThreadTraces, B42_B43_AParentGivesAllEachOnceAndSorted) {
  const ScratchDir scratch;
  const fs::path top = scratch.path() / "run é";
  for (const char* name : {"ui_output_agent_7_dispatch_2", "ui_output_agent_7_dispatch_1"}) {
    write_file(top / "a" / name / "code.json", "{}");
  }
  write_file(top / "b" / "renamed" / "code.json.gz", "");
  write_file(top / "stats_ui_output_agent_7_dispatch_9.csv", "");
  fs::create_directory_symlink(top / "a", scratch.path() / "link");
  const auto found =
      find_thread_traces({top, top / "a" / "ui_output_agent_7_dispatch_1" / "",
                          scratch.path() / "link", top / "b" / "renamed" / "code.json.gz"});
  std::vector<std::string> names;
  for (const fs::path& path : found) names.push_back(path.filename().string());
  EXPECT_EQ(names, (std::vector<std::string>{"ui_output_agent_7_dispatch_1",
                                             "ui_output_agent_7_dispatch_2", "renamed",
                                             "stats_ui_output_agent_7_dispatch_9.csv"}));
}

TEST(FindThreadTraces, B37_ATrailingSlashChangesNothing) {
  AttDir directory(3);
  with_kernel(directory);
  const auto found = find_thread_traces({directory.path() / ""});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(read_thread_trace(found[0]).name, "ui_output_agent_7_dispatch_3");
}

TEST(FindThreadTraces, SaysWhatIsMissing) {
  const ScratchDir scratch;
  write_file(scratch.path() / "host.xplane.pb", "x");
  const auto refusal = [](const fs::path& path) {
    try {
      find_thread_traces({path});
    } catch (const InputError& error) {
      return std::pair(error.code(), std::string(error.what()));
    }
    return std::pair(ExitCode::ok, std::string());
  };
  EXPECT_EQ(refusal(scratch.path() / "none").first, ExitCode::input_missing);
  EXPECT_EQ(refusal(scratch.path()).first, ExitCode::input_unfit);
  EXPECT_NE(refusal(scratch.path()).second.find("kernel_include_regex"), std::string::npos);
  EXPECT_NE(refusal(scratch.path() / "host.xplane.pb").second.find("JAX profiler"),
            std::string::npos);
}

}  // namespace
}  // namespace jaxtrace
