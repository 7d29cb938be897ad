// code.json in each form that writers gave it.  "B" numbers are those of docs/hotspot.md.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "jaxtrace/error.h"
#include "jaxtrace/thread_trace_reader.h"
#include "support/att.h"

namespace jaxtrace {
namespace {

using synth::AttDir;
using synth::codes;

const std::string kHeader = std::string("\"") + synth::kAttHeader + "\"";

/// The message of the InputError that reading throws; empty if it throws none.
std::string refusal(const AttDir& directory) {
  try {
    directory.read();
    return "";
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::input_unfit);
    return error.what();
  }
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string result(text.size() + 1024, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

TEST(AttCode, B1_Column9IsIdleAndNoPartOfLatency) {
  const AttDir directory;
  directory.code({{"; _Z1kPf", 0, "k(float*)"},
                  {"s_load_dword s0, s[0:1], 0x0", 1, "k.py:3", 8, 248, 216, 6004}});
  const ThreadTrace trace = directory.read();
  ASSERT_EQ(trace.instructions.size(), 1U);
  const Instruction& row = trace.instructions[0];
  EXPECT_EQ(row.text, "s_load_dword s0, s[0:1], 0x0");
  EXPECT_EQ(row.source, "k.py:3");
  EXPECT_EQ(row.line, 1);
  EXPECT_EQ(row.code_object, 2);
  EXPECT_EQ(row.address, 0x1000);
  EXPECT_EQ(row.hits, 8);
  EXPECT_EQ(row.latency_cycles - row.stall_cycles, 32);
  EXPECT_EQ(row.idle_cycles, 6004);
  EXPECT_EQ(trace.timing, Timing::measured);
  EXPECT_EQ(trace.agent, 7);
  EXPECT_EQ(trace.dispatch, 1);
  EXPECT_TRUE(trace.findings.empty());
}

TEST(AttCode, B23_AnInstructionMayHaveLineNumber0) {
  const AttDir directory;
  directory.code(
      {{"s_load_dword s0, s[0:1], 0x0", 0, "", 1, 904, 900, 0}, {"s_endpgm", 1, "", 1, 4, 0, 0}});
  const ThreadTrace trace = directory.read();
  ASSERT_EQ(trace.instructions.size(), 2U);
  EXPECT_EQ(trace.instructions[0].stall_cycles, 900);
  ASSERT_EQ(trace.kernels.size(), 1U);
  EXPECT_EQ(trace.kernels[0].symbol, "");
}

TEST(AttCode, B24_LabelsOfLaterKernelsAreNoInstructions) {
  const AttDir directory;
  directory.code({{"; k_1", 0},
                  {"s_endpgm", 1, "", 1, 4, 0, 0},
                  {"; k_10", 1, "k_10()"},
                  {"s_endpgm", 2, "", 1, 8, 4, 0}});
  const ThreadTrace trace = directory.read();
  ASSERT_EQ(trace.instructions.size(), 2U);
  ASSERT_EQ(trace.kernels.size(), 2U);
  EXPECT_EQ(trace.kernels[trace.instructions[0].kernel].symbol, "k_1");
  EXPECT_EQ(trace.kernels[trace.instructions[1].kernel].demangled, "k_10()");
}

TEST(AttCode, B17_NoRowsAreNoTiming) {
  for (const char* rows : {"null", "[]"}) {
    const AttDir directory;
    directory.file("code.json", synth::code_json_raw(rows, kHeader));
    EXPECT_EQ(directory.read().timing, Timing::none) << rows;
  }
}

TEST(AttCode, ADisassemblyThatNoWaveRanIsZeroHits) {
  const AttDir directory;
  directory.code({{"; k", 0}, {"s_endpgm", 1}});
  EXPECT_EQ(directory.read().timing, Timing::zero_hits);
}

TEST(AttCode, PcSamplingIsToldByItsColumns) {
  const AttDir directory;
  directory.file(
      "code.json",
      synth::code_json_raw(
          R"([["s_endpgm",0,1,"a.py:1",2,4096,0,0,0,0,3,2,[0,2,1]]])",
          R"(["ISA","_","LineNumber","Source","Codeobj","Vaddr","Hit","Latency","Stall","Idle","PC_Issued","PC_Stalled","Stall_Reasons"])"));
  EXPECT_EQ(directory.read().timing, Timing::pc_sampling);
}

TEST(AttCode, ThirteenColumnsWithCyclesAreAThreadTraceAllTheSame) {
  const AttDir directory;
  directory.file(
      "code.json",
      synth::code_json_raw(
          R"([["s_endpgm",0,1,"a.py:1",2,4096,5,40,20,8,3,2,[0,2,1]]])",
          R"(["ISA","_","LineNumber","Source","Codeobj","Vaddr","Hit","Latency","Stall","Idle","PC_Issued","PC_Stalled","Stall_Reasons"])"));
  const ThreadTrace trace = directory.read();
  EXPECT_EQ(trace.timing, Timing::measured);
  EXPECT_EQ(trace.instructions.at(0).stall_cycles, 20);
}

TEST(AttCode, ColumnsGoByTheirNames) {
  const AttDir directory;
  directory.file(
      "code.json",
      synth::code_json_raw(R"([["s_endpgm", 7, 40, 16, 5, 4096, "a.py:1", 2, 99]])",
                           R"("ISA, Idle, Latency, Stall, Hit, Vaddr, Source, LineNumber, New")"));
  const ThreadTrace trace = directory.read();
  ASSERT_EQ(trace.instructions.size(), 1U);
  const Instruction& row = trace.instructions[0];
  EXPECT_EQ(row.idle_cycles, 7);
  EXPECT_EQ(row.latency_cycles, 40);
  EXPECT_EQ(row.stall_cycles, 16);
  EXPECT_EQ(row.hits, 5);
  EXPECT_EQ(row.line, 2);
  EXPECT_EQ(row.source, "a.py:1");
}

TEST(AttCode, WithoutAHeaderTheUsualOrderIsTakenAndSaid) {
  const AttDir directory;
  directory.file("code.json",
                 synth::code_json_raw(R"([["s_endpgm",0,1,"a.py:1",2,4096,5,40,20,8]])", ""));
  const ThreadTrace trace = directory.read();
  EXPECT_EQ(trace.instructions.at(0).idle_cycles, 8);
  EXPECT_EQ(codes(trace.findings), std::vector<std::string>{"att-no-header"});
}

TEST(AttCode, AHeaderThatLacksAColumnIsRefusedWithItsName) {
  const AttDir directory;
  directory.file("code.json", synth::code_json_raw(R"([["s_endpgm", 1]])", R"("ISA, LineNumber")"));
  EXPECT_NE(refusal(directory).find("lacks the columns Vaddr, Hit, Latency, Stall, Idle"),
            std::string::npos)
      << refusal(directory);
}

TEST(AttCode, EightColumnsAreRefusedAsRocprofv2s) {
  const AttDir directory;
  directory.file("code.json", R"({"code": [["s_nop 0", 9, 0, null, 2, 10, 0, 0]], "top_n": []})");
  EXPECT_NE(refusal(directory).find("rocprofv2"), std::string::npos) << refusal(directory);
}

TEST(AttCode, B18_B19_RowsThatCannotBeAreCountedAndInNoTotal) {
  const AttDir directory;
  directory.file("code.json", synth::code_json_raw(R"([["s_nop 0",0,1,"",2,4096,1,8.0,4,0],
                                          ["s_nop 1",0,2,"",2,4100,1,8.5,4,0],
                                          ["s_nop 2",0,3,"",2,4104,1,"8",4,0],
                                          ["s_nop 3",0,4,"",2,4108,1,-8,4,0],
                                          ["s_nop 4",0,5,"",2,4112,1,8,12,0],
                                          ["s_nop 5",0,6,"",2,4116,1,null,4,0],
                                          ["s_nop 6",0,7],
                                          [7],
                                          "s_nop 8",
                                          ["s_endpgm",0,9,"",2,4120,1,4,0,0]])",
                                                   kHeader));
  const ThreadTrace trace = directory.read();
  ASSERT_EQ(trace.instructions.size(), 8U);
  EXPECT_EQ(trace.instructions[0].latency_cycles, 8);
  for (std::size_t i = 1; i < 7; ++i) {
    EXPECT_TRUE(trace.instructions[i].damaged) << i;
    EXPECT_EQ(trace.instructions[i].latency_cycles, 0) << i;
    EXPECT_EQ(trace.instructions[i].line, static_cast<std::int64_t>(i + 1)) << i;
  }
  EXPECT_FALSE(trace.instructions[7].damaged);
  const auto found = codes(trace.findings);
  EXPECT_EQ(std::ranges::count(found, "att-damaged-row"), 1);
  EXPECT_EQ(std::ranges::count(found, "att-row-without-text"), 2);
}

TEST(AttCode, CyclesAreExactBeyondADouble) {
  const AttDir directory;
  directory.code({{"s_endpgm", 1, "", 1, 9007199254740993, 9007199254740993, 0}});
  EXPECT_EQ(directory.read().instructions.at(0).stall_cycles, 9007199254740993);
}

TEST(AttCode, SumsCannotOverflow) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const AttDir directory;
  directory.code({{"s_nop 0", 1, "", 1, kMost, kMost, kMost}, {"s_endpgm", 2, "", 1, 4, 0, 0}});
  const ThreadTrace trace = directory.read();
  EXPECT_TRUE(trace.instructions[0].damaged);
  EXPECT_EQ(trace.instructions[1].latency_cycles, 4);
}

TEST(AttCode, B20_AByteOrderMarkIsPassedOver) {
  const AttDir directory;
  directory.file("code.json", "\xef\xbb\xbf" + synth::code_json({{"s_endpgm", 1, "", 1, 4, 0, 0}}));
  EXPECT_EQ(directory.read().instructions.size(), 1U);
}

TEST(AttCode, B43_GzipGivesTheSame) {
  const AttDir directory;
  const std::string json = synth::code_json({{"; k", 0}, {"s_endpgm", 1, "", 1, 44, 40, 0}});
  directory.file("code.json.gz", gzip(json) + gzip(" "));
  const ThreadTrace trace = directory.read();
  EXPECT_EQ(trace.file, "code.json.gz");
  EXPECT_EQ(trace.instructions.at(0).stall_cycles, 40);
  EXPECT_TRUE(trace.findings.empty());
}

TEST(AttCode, GzipThatBreaksOffGivesWhatCameOut) {
  const AttDir directory;
  std::vector<synth::AttRow> rows;
  for (std::int64_t i = 1; i < 5000; ++i)
    rows.push_back({"s_nop " + std::to_string(i * i), i, "", 1, 8, 4, 0});
  const std::string packed = gzip(synth::code_json(rows));
  directory.file("code.json.gz", packed.substr(0, packed.size() / 2));
  const ThreadTrace trace = directory.read();
  EXPECT_GT(trace.instructions.size(), 100U);
  EXPECT_LT(trace.instructions.size(), 4900U);
  const auto found = codes(trace.findings);
  EXPECT_NE(std::ranges::find(found, "att-truncated"), found.end());
}

TEST(AttCode, WhatStandsBeforeACutIsReadAndTheCutSaid) {
  const std::string json = synth::code_json(
      {{"; k", 0}, {"s_nop 0", 1, "", 1, 8, 4, 0}, {"s_endpgm", 2, "", 1, 4, 0, 0}});
  const AttDir directory;
  const std::size_t cut = json.find("s_endpgm") + 3;
  directory.file("code.json", json.substr(0, cut));
  const ThreadTrace trace = directory.read();
  ASSERT_EQ(trace.instructions.size(), 1U);
  ASSERT_EQ(codes(trace.findings), std::vector<std::string>{"att-truncated"});
  EXPECT_NE(trace.findings[0].message.find("byte " + std::to_string(cut)), std::string::npos)
      << trace.findings[0].message;
}

TEST(AttCode, EveryCutIsReadOrRefused) {
  const std::string json = synth::code_json(
      {{"; k", 0}, {"s_nop 0", 1, "a.py:1", 1, 8, 4, 0}, {"s_endpgm", 2, "", 1, 4, 0, 0}});
  const AttDir directory;
  for (std::size_t length = 0; length < json.size(); ++length) {
    directory.file("code.json", json.substr(0, length));
    try {
      EXPECT_FALSE(directory.read().findings.empty()) << length;
    } catch (const InputError& error) {
      EXPECT_EQ(error.code(), ExitCode::input_unfit) << length;
    }
  }
}

TEST(AttCode, OtherJsonIsRefused) {
  for (const char* bytes : {"", "[1, 2]", "{\"traceEvents\": []}", "not JSON"}) {
    const AttDir directory;
    directory.file("code.json", bytes);
    EXPECT_FALSE(refusal(directory).empty()) << bytes;
  }
}

TEST(AttCode, RowsOutOfOrderAreSortedByLine) {
  const AttDir directory;
  directory.code({{"s_endpgm", 9, "", 1, 4, 0, 0}, {"s_nop 0", 3, "", 1, 8, 4, 0}});
  const ThreadTrace trace = directory.read();
  EXPECT_EQ(trace.instructions.at(0).line, 3);
  EXPECT_EQ(trace.instructions.at(1).line, 9);
}

TEST(AttStats, StandInForAMissingCodeJson) {
  const AttDir directory;
  directory.file("filenames.json", R"({"gfxip": 9})");
  write_file(directory.parent() / "stats_ui_output_agent_7_dispatch_1.csv",
             "\"CodeObj\",\"Vaddr\",\"Instruction\",\"Hitcount\",\"Latency\",\"Stall\",\"Idle\","
             "\"Source\"\n"
             "2,4096,\"; k\",0,0,0,0,\"k(float*, int)\"\n"
             "2,4096,\"v_add_u32 v0, v1, v2\",8,48,16,4,\"a.py:3\"\n"
             "2,4100,\"s_endpgm\",8,32,0,0,\"\"\n");
  const ThreadTrace trace = directory.read();
  ASSERT_EQ(trace.instructions.size(), 2U);
  EXPECT_EQ(trace.instructions[0].text, "v_add_u32 v0, v1, v2");
  EXPECT_EQ(trace.instructions[0].idle_cycles, 4);
  EXPECT_EQ(trace.instructions[0].source, "a.py:3");
  EXPECT_EQ(trace.kernels.at(0).demangled, "k(float*, int)");
  EXPECT_EQ(codes(trace.findings), std::vector<std::string>{"att-from-stats"});
}

TEST(AttStats, WithoutEitherTheAnswerSaysWhatIsMissing) {
  const AttDir directory;
  EXPECT_NE(refusal(directory).find("no code.json"), std::string::npos);
}

}  // namespace
}  // namespace jaxtrace
