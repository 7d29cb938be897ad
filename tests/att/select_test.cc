// Kernels by name, dispatches added up, wave files compared, recordings before and after.
#include "att/select.h"

#include <gtest/gtest.h>

#include "att/compare.h"
#include "att/verify.h"

namespace jaxtrace {
namespace {

Instruction instruction(std::string text, std::string source, std::int64_t line,
                        std::int64_t stall) {
  Instruction row;
  row.text = std::move(text);
  row.source = std::move(source);
  row.line = line;
  row.address = 0x1000 + 4 * line;
  row.hits = 2;
  row.latency_cycles = row.stall_cycles = stall;
  return row;
}

ThreadTrace trace_of(std::vector<Instruction> instructions) {
  ThreadTrace trace;
  trace.kernels = {{.symbol = "k", .demangled = ""}};
  trace.instructions = std::move(instructions);
  return trace;
}

TEST(SelectKernel, B40_ExactlyThenByBeginningThenByPart) {
  ThreadTrace trace;
  for (const char* name : {"k_1", "k_10", "my_k_2"}) {
    trace.kernels.push_back({.symbol = name, .demangled = ""});
  }
  const std::vector<ThreadTrace> traces = {trace};
  using Names = std::vector<std::string>;
  EXPECT_EQ(matching_kernels(traces, "k_1"), Names{"k_1"});
  EXPECT_EQ(matching_kernels(traces, "my"), Names{"my_k_2"});
  EXPECT_EQ(matching_kernels(traces, "k_2"), Names{"my_k_2"});
  EXPECT_EQ(matching_kernels(traces, "k_"), (Names{"k_1", "k_10"}));
  EXPECT_EQ(matching_kernels(traces, "x"), Names{});
}

TEST(Merge, B42_AddsWhatIsTheSameInstruction) {
  ThreadTrace one =
      trace_of({instruction("s_nop 0", "", 1, 1000), instruction("s_nop 1", "", 2, 4)});
  ThreadTrace other = one;
  for (Instruction& row : other.instructions) row.code_object = 9;  // Of another process.
  other.instructions[1].text = "s_nop 2";                           // Of another build.
  const std::vector<ThreadTrace> traces = {one, other};
  const ThreadTrace merged = merge(traces);
  ASSERT_EQ(merged.instructions.size(), 3U);
  EXPECT_EQ(merged.instructions[0].stall_cycles, 2000);
  EXPECT_EQ(merged.instructions[0].hits, 4);
  EXPECT_EQ(add_up(merged, Inline::innermost, 9, nullptr).all.stall, 2008);
}

// ---- Verification

Wave wave_of(std::vector<WaveStep> steps) {
  Wave wave;
  wave.begin = 100;
  wave.steps = std::move(steps);
  return wave;
}

Instruction counted(std::int64_t line, Cycles cycles) {
  Instruction row;
  row.line = line;
  row.hits = cycles.hits;
  row.latency_cycles = cycles.latency;
  row.stall_cycles = cycles.stall;
  row.idle_cycles = cycles.idle;
  return row;
}

TEST(Verify, RecomputesHitsLatencyStallAndIdle) {
  ThreadTrace trace = trace_of({counted(1, {2, 24, 16, 12}), counted(2, {2, 8, 0, 40})});
  trace.waves_listed = 2;
  Verifier verifier;
  verifier.add(wave_of({{.begin = 112, .stall = 16, .duration = 20, .line = 1},
                        {.begin = 132, .stall = 0, .duration = 4, .line = 2}}));
  verifier.add(wave_of({{.begin = 100, .stall = 0, .duration = 4, .line = 1},
                        {.begin = 144, .stall = 0, .duration = 4, .line = 2}}));
  EXPECT_TRUE(verifier.finish(trace).ok());
  EXPECT_TRUE(verifier.finish(trace).all_waves);

  trace.instructions[1].idle_cycles = 39;
  const Verification wrong = verifier.finish(trace);
  ASSERT_EQ(wrong.wrong.size(), 1U);
  EXPECT_EQ(wrong.wrong[0].line, 2);
  EXPECT_EQ(wrong.wrong[0].in_waves.idle, 40);

  // With a wave missing sums cannot be equal, but they still cannot be more than there is.
  trace.waves_listed = 3;
  EXPECT_FALSE(verifier.finish(trace).ok());
  trace.instructions[1].idle_cycles = 400;
  EXPECT_TRUE(verifier.finish(trace).ok());
}

// ---- Before and after

Comparison compared(const ThreadTrace& before, std::int64_t waves_before, const ThreadTrace& after,
                    std::int64_t waves_after) {
  const Totals totals_before = add_up(before, Inline::innermost, 9, nullptr);
  const Totals totals_after = add_up(after, Inline::innermost, 9, nullptr);
  return compare({.traces = {&before}, .totals = {&totals_before}, .waves = waves_before},
                 {.traces = {&after}, .totals = {&totals_after}, .waves = waves_after});
}

TEST(Compare, FindsLinesThatMovedByTheirText) {
  ThreadTrace before =
      trace_of({instruction("s_nop 0", "a.py:1", 1, 100), instruction("s_nop 0", "a.py:2", 2, 40)});
  ThreadTrace after =
      trace_of({instruction("s_nop 0", "a.py:2", 1, 60), instruction("s_nop 0", "a.py:3", 2, 40),
                instruction("s_nop 0", "a.py:1", 3, 5)});
  before.sources = {{.path = "a.py", .lines = {"load()", "store()"}}};
  after.sources = {{.path = "a.py", .lines = {"prefetch()", "  load()", "store()"}}};
  const Comparison comparison = compared(before, 2, after, 2);
  ASSERT_EQ(comparison.lines.size(), 3U);
  EXPECT_EQ(comparison.lines[0].name, "a.py:2");
  EXPECT_EQ(comparison.lines[0].was, "a.py:1");
  EXPECT_EQ(comparison.lines[0].before, 100);
  EXPECT_EQ(comparison.lines[0].after, 60);
  EXPECT_EQ(comparison.lines[1].name, "a.py:1");
  EXPECT_EQ(comparison.lines[1].before, std::nullopt);
  EXPECT_EQ(comparison.lines[2].name, "a.py:3");
  EXPECT_EQ(comparison.lines[2].was, "a.py:2");
}

TEST(Compare, SizesOfChangesAreForOneWave) {
  const ThreadTrace before = trace_of(
      {instruction("s_nop 0", "a.py:1", 1, 100), instruction("s_barrier", "a.py:2", 2, 100)});
  const ThreadTrace after = trace_of(
      {instruction("s_nop 0", "a.py:1", 1, 400), instruction("s_barrier", "a.py:2", 2, 200)});
  // Four times the waves: nothing changed on line 1, and line 2 stalls half as long.
  const Comparison comparison = compared(before, 1, after, 4);
  ASSERT_EQ(comparison.lines.size(), 2U);
  EXPECT_EQ(comparison.lines[0].name, "a.py:2");
  EXPECT_EQ(comparison.classes[0].name, "barrier");
}

}  // namespace
}  // namespace jaxtrace
