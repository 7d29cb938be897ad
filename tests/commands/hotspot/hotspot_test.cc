// `jaxtrace hotspot` as a process: exit codes, streams, choices.  "B" numbers are those of
// docs/hotspot.md.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

#include "support/att.h"

namespace jaxtrace {
namespace {

using synth::AttDir;

const std::vector<synth::AttRow> kRows = {{"; k_1", 0, "k_1()"},
                                          {"s_waitcnt vmcnt(0)", 1, "/a.py:3", 4, 400, 400, 8},
                                          {"s_endpgm", 2, "/a.py:4", 4, 16, 0, 0},
                                          {"; k_10", 2, "k_10()"},
                                          {"v_fma_f32 v0, v1, v2, v3", 3, "/a.py:9", 4, 40, 24, 0},
                                          {"s_endpgm", 4, "/a.py:9", 4, 16, 0, 0}};

ProgramResult hotspot(const AttDir& directory, const std::string& options) {
  return run_shell("jaxtrace hotspot " + options, directory.parent());
}

nlohmann::json json(const AttDir& directory, const std::string& options) {
  const ProgramResult result = hotspot(directory, options + " --format json");
  EXPECT_EQ(result.code, 0) << result.err;
  return nlohmann::json::parse(result.out);
}

TEST(Hotspot, JsonHasTheNumbersOfTheTables) {
  const AttDir directory;
  directory.code(kRows);
  const nlohmann::json report = json(directory, "ui_output_agent_7_dispatch_1");
  EXPECT_EQ(report["dispatch"], "ui_output_agent_7_dispatch_1");
  EXPECT_EQ(report["kernel"], "k_1()");
  EXPECT_EQ(report["latency_cycles"], 472);
  EXPECT_EQ(report["stall_cycles"], 424);
  EXPECT_EQ(report["idle_cycles"], 8);
  ASSERT_EQ(report["stalls"].size(), 2U);
  EXPECT_EQ(report["stalls"][0]["class"], "VMEM-wait");
  EXPECT_EQ(report["stalls"][0]["stall_cycles"], 400);
  EXPECT_DOUBLE_EQ(report["stalls"][0]["share_of_latency"].get<double>(), 400.0 / 472);
  EXPECT_DOUBLE_EQ(report["stalls"][0]["share_of_wave_time"].get<double>(), 400.0 / 480);
  EXPECT_EQ(report["stalls"][1]["class"], "VALU");
  EXPECT_EQ(report["lines"][0]["source"], "/a.py:3");
  EXPECT_EQ(report["instructions"][0]["line_number"], 1);
  EXPECT_EQ(report["kernels"].size(), 2U);
}

TEST(Hotspot, B24_B40_AKernelIsChosenExactlyAndAmbiguityListed) {
  const AttDir directory;
  directory.code(kRows);
  const ProgramResult ambiguous = hotspot(directory, ". --kernel k");
  EXPECT_EQ(ambiguous.code, 4);
  EXPECT_NE(ambiguous.err.find("k_1(); k_10()"), std::string::npos) << ambiguous.err;
  const ProgramResult unknown = hotspot(directory, ". --kernel x");
  EXPECT_EQ(unknown.code, 4);
  EXPECT_NE(unknown.err.find("its kernels are k_1()"), std::string::npos) << unknown.err;
  EXPECT_TRUE(unknown.out.empty());
  EXPECT_FALSE(std::filesystem::exists(directory.parent() / "hotspot"));

  const nlohmann::json report = json(directory, "ui_output_agent_7_dispatch_1 --kernel k_1");
  EXPECT_EQ(report["instructions"].size(), 1U);
  EXPECT_EQ(report["stall_cycles"], 400);
}

TEST(Hotspot, B16_B17_WithoutTimingTheAnswerIsWhatToRecord) {
  struct Case {
    std::string code;
    const char* words;
  };
  const std::string header = std::string("\"") + synth::kAttHeader + "\"";
  for (const Case& c : {Case{synth::code_json_raw("null", header), "kernel_include_regex"},
                        Case{synth::code_json_raw("[]", header), "kernel_include_regex"},
                        Case{synth::code_json({{"s_endpgm", 1}}), "att_target_cu"},
                        Case{R"({"code": [["s_nop 0", 9, 0, null, 2, 10, 0, 0]]})", "rocprofv2"}}) {
    const AttDir directory;
    directory.file("code.json", c.code);
    const ProgramResult result = hotspot(directory, ".");
    EXPECT_EQ(result.code, 4) << c.code;
    EXPECT_TRUE(result.out.empty());
    EXPECT_NE(result.err.find(c.words), std::string::npos) << result.err;
  }
}

TEST(Hotspot, B38_OptionsOutOfRangeAreUsageErrors) {
  const AttDir directory;
  directory.code(kRows);
  for (const char* options : {"", "--topk 0", "--topk -3", "--topk x", "--context -5", "--mode asn",
                              "--inline most", "--arch mi300", "--nothing"}) {
    const ProgramResult result = hotspot(directory, std::string(options) + (*options ? " ." : ""));
    EXPECT_EQ(result.code, 2) << options;
    EXPECT_TRUE(result.out.empty()) << options;
  }
  EXPECT_EQ(hotspot(directory, "nowhere").code, 3);
}

TEST(Hotspot, B5_TheGpuIsNeverGuessed) {
  const AttDir directory;
  directory.code(kRows);
  EXPECT_EQ(json(directory, ".")["arch"], "gfx9 (gfx90a, gfx942 or gfx950)");
  EXPECT_EQ(json(directory, ". --arch gfx950")["arch"], "gfx950");
}

TEST(Hotspot, B22_TheLocaleChangesNothing) {
  const AttDir directory;
  directory.code(kRows);
  const ProgramResult c = run_shell("LC_ALL=C jaxtrace hotspot .", directory.parent());
  const ProgramResult utf8 = run_shell("LC_ALL=C.UTF-8 jaxtrace hotspot .", directory.parent());
  EXPECT_EQ(c.code, 0);
  EXPECT_EQ(c.out, utf8.out);
}

TEST(Hotspot, B42_SeveralDispatchesAreOneRowEachAndNeverTheSameTwice) {
  const AttDir one(1);
  const AttDir two(2);
  one.code(kRows);
  two.code({kRows[0], kRows[1], kRows[2]});
  const std::string other = (two.parent() / ".").string();
  const nlohmann::json report = json(one, ". '" + other + "' . '" + two.path().string() + "/'");
  ASSERT_EQ(report["dispatches"].size(), 2U);
  for (const nlohmann::json& row : report["dispatches"])
    EXPECT_EQ(row["stall_share"].is_number(), true);
  const nlohmann::json merged = json(one, ". '" + other + "' --merge");
  EXPECT_EQ(merged["stall_cycles"], 424 + 400);
  EXPECT_EQ(merged["instructions"][0]["hits"], 8);
  const std::string page = hotspot(one, ". '" + other + "' --merge").out;
  EXPECT_NE(page.find("**k_1()** and 1 other kernel in 2 dispatches merged"), std::string::npos)
      << page;
}

TEST(Hotspot, SameNamesInDifferentFoldersAreToldApart) {
  const ScratchDir scratch;
  for (const char* folder : {"a", "b"}) {
    write_file(scratch.path() / folder / "ui_output_agent_7_dispatch_1" / "code.json",
               synth::code_json(kRows));
  }
  const ProgramResult result = run_shell("jaxtrace hotspot . --format json", scratch.path());
  const nlohmann::json report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["dispatches"][0]["dispatch"], "a/ui_output_agent_7_dispatch_1");
  EXPECT_EQ(report["dispatches"][1]["dispatch"], "b/ui_output_agent_7_dispatch_1");
}

TEST(Hotspot, VerificationThatFailsIsADoubt) {
  const AttDir directory;
  directory.code({kRows[0], kRows[1]});
  directory.file("se0_sm0_sl0_wv0.json", synth::wave_json(0, 500, {{8, 9, 400, 400, 1}}));
  const ProgramResult wrong = hotspot(directory, ". --verify --strict");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.out.find("contradict each other on 1 of 1"), std::string::npos) << wrong.out;
  directory.code({{"s_waitcnt vmcnt(0)", 1, "", 1, 400, 400, 8}});
  const ProgramResult right = hotspot(directory, ". --verify --strict");
  EXPECT_EQ(right.code, 0) << right.err;
  EXPECT_NE(right.out.find("agree on every instruction"), std::string::npos) << right.out;
}

TEST(Hotspot, ATraceThatWasCutOffSaysSo) {
  const AttDir directory;
  directory.code({{"s_nop 0", 1, "/a.py:1", 8, 40, 8, 0}, {"s_endpgm", 2, "/a.py:1", 5, 20, 0, 0}});
  directory.file("filenames.json", R"({"gfxip": 9, "wave_filenames": {"0": {"0": {"0":
      {"0": ["a", 1, 2], "1": ["a", 1, 2], "2": ["a", 1, 2], "3": ["a", 1, 2],
       "4": ["a", 1, 2], "5": ["a", 1, 2], "6": ["a", 1, 2], "7": ["a", 1, 2]}}}}})");
  const ProgramResult result = hotspot(directory, ".");
  EXPECT_NE(result.out.find("3 of 8 waves traced do not reach the end"), std::string::npos);
  EXPECT_NE(result.out.find("att_buffer_size"), std::string::npos);
}

TEST(Hotspot, WithoutSourceLinesTheReportSaysHowToGetThem) {
  const AttDir directory;
  directory.code({{"s_nop 0", 1, "", 8, 40, 8, 0}});
  const ProgramResult result = hotspot(directory, ".");
  EXPECT_NE(result.out.find("FLYDSL_DEBUG_ENABLE_DEBUG_INFO=1"), std::string::npos);
}

}  // namespace
}  // namespace jaxtrace
