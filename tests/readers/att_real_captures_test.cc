// Thread traces that others recorded, against totals read straight from their code.json.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "att/totals.h"
#include "att/verify.h"
#include "jaxtrace/error.h"
#include "jaxtrace/thread_trace_reader.h"
#include "support/capture.h"
#include "support/program.h"

namespace jaxtrace {
namespace {

class RealThreadTraces : public testing::Test {
 protected:
  void SetUp() override {
    if (real_captures().empty()) GTEST_SKIP() << "left out: JAXTRACE_CAPTURES is not set";
    goldens_ = nlohmann::json::parse(read_file(real_captures() / ".." / "goldens" / "att.json"));
  }

  nlohmann::json goldens_;
};

std::string mnemonic(const std::string& text) {
  return text.substr(0, text.find(' '));
}

TEST_F(RealThreadTraces, TotalsTopLinesAndTopInstructionsAreThoseOfTheFiles) {
  std::size_t compared = 0;
  for (const auto& [name, want] : goldens_.items()) {
    if (want.contains("error")) continue;
    SCOPED_TRACE(name);
    const ThreadTrace trace = read_thread_trace(real_captures() / "att" / name);
    const Totals totals = add_up(trace, Inline::all, 9, nullptr);
    EXPECT_EQ(trace.instructions.size(), want["instructions"].get<std::size_t>());
    EXPECT_EQ(totals.all.latency, want["latency"].get<std::int64_t>());
    EXPECT_EQ(totals.all.stall, want["stall"].get<std::int64_t>());
    EXPECT_EQ(totals.all.idle, want["idle"].get<std::int64_t>());
    for (std::size_t i = 0; i < want["top_lines"].size() && totals.all.stall > 0; ++i) {
      const auto& line = totals.lines.at(i);
      EXPECT_EQ(line.line.empty() ? "<unknown>" : line.line, want["top_lines"][i][0]) << i;
      EXPECT_EQ(line.cycles.stall, want["top_lines"][i][1].get<std::int64_t>()) << i;
    }
    for (std::size_t i = 0; i < want["top_instructions"].size() && totals.all.stall > 0; ++i) {
      const Instruction& row = trace.instructions[totals.stalled.at(i)];
      const auto& top = want["top_instructions"][i];
      EXPECT_EQ(row.line, top[0].get<std::int64_t>()) << i;
      EXPECT_EQ(row.text, top[1].get<std::string>()) << i;
      EXPECT_EQ(row.stall_cycles, top[2].get<std::int64_t>()) << i;
      EXPECT_EQ(row.hits, top[3].get<std::int64_t>()) << i;
    }
    std::map<std::string, std::int64_t> by_mnemonic;
    for (const Instruction& row : trace.instructions) {
      by_mnemonic[mnemonic(row.text)] += row.stall_cycles;
    }
    for (const auto& [word, stall] : want["stall_by_mnemonic"].items()) {
      EXPECT_EQ(by_mnemonic[word], stall.get<std::int64_t>()) << word;
    }
    ++compared;
  }
  EXPECT_EQ(compared, goldens_.size() - 1);  // But for rocprofv2's.
}

TEST_F(RealThreadTraces, NoWaveFileExceedsItsCodeJson) {
  std::uint64_t waves = 0;
  for (const auto& path : find_thread_traces({real_captures() / "att"})) {
    if (path.filename() == "legacy-rocprofv2") continue;
    const ThreadTrace trace = read_thread_trace(path);
    Verifier verifier;
    EXPECT_TRUE(read_waves(trace, [&](const Wave& wave) { verifier.add(wave); }).empty());
    const Verification result = verifier.finish(trace);
    EXPECT_TRUE(result.wrong.empty()) << path;
    waves += result.waves;
  }
  EXPECT_GT(waves, 10U);
}

TEST_F(RealThreadTraces, TheStatsCsvSaysTheSame) {
  const auto run = real_captures() / "att" / "hipkittens-mi350x-192x256";
  for (const char* name :
       {"ui_output_agent_26423_dispatch_1", "ui_output_agent_26423_dispatch_5"}) {
    const ThreadTrace json = read_thread_trace(run / name);
    const ThreadTrace csv = read_thread_trace(run / (std::string("stats_") + name + ".csv"));
    ASSERT_EQ(csv.instructions.size(), json.instructions.size());
    EXPECT_EQ(csv.name, json.name);
    for (std::size_t i = 0; i < csv.instructions.size(); ++i) {
      EXPECT_EQ(csv.instructions[i].text, json.instructions[i].text);
      EXPECT_EQ(csv.instructions[i].address, json.instructions[i].address);
      EXPECT_EQ(csv.instructions[i].latency_cycles, json.instructions[i].latency_cycles);
      EXPECT_EQ(csv.instructions[i].stall_cycles, json.instructions[i].stall_cycles);
      EXPECT_EQ(csv.instructions[i].idle_cycles, json.instructions[i].idle_cycles);
    }
  }
}

TEST_F(RealThreadTraces, OldAndSampledOnesAreToldApart) {
  const auto att = real_captures() / "att";
  EXPECT_EQ(read_thread_trace(att / "pc-sampling").timing, Timing::pc_sampling);
  EXPECT_EQ(read_thread_trace(att / "pc-sampling").sources.size(), 1U);
  EXPECT_THROW(read_thread_trace(att / "legacy-rocprofv2"), InputError);
}

TEST_F(RealThreadTraces, TheCsvsBesideADispatchAreItsOwn) {
  const ThreadTrace trace =
      read_thread_trace(real_captures() / "att" / "iree-wave" / "ui_output_agent_32617_dispatch_3");
  ASSERT_EQ(trace.resources.size(), 1U);
  EXPECT_TRUE(trace.resources[0].by_dispatch);
  EXPECT_EQ(trace.resources[0].arch, "gfx950");
  EXPECT_EQ(trace.resources[0].lds_bytes, 36864);
  EXPECT_EQ(trace.resources[0].compute_units, 256);
}

}  // namespace
}  // namespace jaxtrace
