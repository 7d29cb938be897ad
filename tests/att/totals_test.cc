// Sums are conserved, however they are cut.
#include "att/totals.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

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
  row.latency_cycles = stall + 8;
  row.stall_cycles = stall;
  row.idle_cycles = 3;
  return row;
}

ThreadTrace small_trace() {
  ThreadTrace trace;
  trace.kernels = {{.symbol = "k", .demangled = "k()"}};
  trace.instructions = {
      instruction("s_waitcnt vmcnt(0) lgkmcnt(0)", "a.py:3 -> b.py:2", 1, 1000),
      instruction("s_waitcnt vmcnt(0) lgkmcnt(0)", "a.py:3 -> b.py:9", 2, 100),
      instruction("v_add_u32 v0, v1, v2", "a.py:4", 3, 100),
      instruction("s_barrier", "", 4, 50),
      instruction("s_endpgm", "", 5, 0),
  };
  return trace;
}

std::int64_t stall_of(const Totals& totals, StallClass stall_class) {
  for (const ClassTotal& total : totals.classes) {
    if (total.stall_class == stall_class) return total.cycles.stall;
  }
  return 0;
}

TEST(Totals, EveryTableAddsUpToTheSame) {
  const Totals totals = add_up(small_trace(), Inline::innermost, 9, nullptr);
  EXPECT_EQ(totals.all.stall, 1250);
  EXPECT_EQ(totals.all.latency, 1290);
  EXPECT_EQ(totals.all.issue(), 40);
  EXPECT_EQ(totals.all.of_waves(), 1305);
  std::int64_t by_class = 0, by_line = 0, by_line_and_class = 0;
  for (const ClassTotal& total : totals.classes) by_class += total.cycles.stall;
  for (const LineTotal& line : totals.lines) {
    by_line += line.cycles.stall;
    by_line_and_class = std::accumulate(line.stall.begin(), line.stall.end(), by_line_and_class);
  }
  EXPECT_EQ(by_class, 1250);
  EXPECT_EQ(by_line, 1250);
  EXPECT_EQ(by_line_and_class, 1250);
  EXPECT_EQ(totals.kernels.at(0).cycles.stall, 1250);
}

TEST(Totals, B25_AChainCountsForTheLineAskedFor) {
  const auto lines = [](Inline which) {
    std::vector<std::string> names;
    for (const LineTotal& line : add_up(small_trace(), which, 9, nullptr).lines) {
      names.push_back(line.line);
    }
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(lines(Inline::innermost), (Names{"a.py:3", "a.py:4", ""}));
  EXPECT_EQ(lines(Inline::outermost), (Names{"b.py:2", "b.py:9", "a.py:4", ""}));
  EXPECT_EQ(lines(Inline::all), (Names{"a.py:3 -> b.py:2", "a.py:3 -> b.py:9", "a.py:4", ""}));
}

TEST(Totals, EqualStallsGoByTheLowerLine) {
  const Totals totals = add_up(small_trace(), Inline::innermost, 9, nullptr);
  EXPECT_EQ(totals.stalled, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(Totals, B27_MixedWaitsAreDividedAsTheWavesSay) {
  WaitAnalysis waits;
  waits.dynamic = true;
  // Of the first wait two thirds were for vector memory; of the second a tenth could not be told.
  waits.shares = {{.wait = 0, .counter = WaitCounter::vm, .cycles = 20},
                  {.wait = 0, .counter = WaitCounter::lgkm, .cycles = 10},
                  {.wait = 1, .counter = WaitCounter::lgkm, .cycles = 9},
                  {.wait = 1, .counter = std::nullopt, .cycles = 1}};
  const Totals totals = add_up(small_trace(), Inline::innermost, 9, &waits);
  EXPECT_EQ(stall_of(totals, StallClass::vmem_wait), 666);
  EXPECT_EQ(stall_of(totals, StallClass::lds_smem_wait), 333 + 90);
  EXPECT_EQ(stall_of(totals, StallClass::mixed_wait), 1 + 10);
  EXPECT_EQ(totals.divided_cycles, 666 + 333 + 90);
  EXPECT_EQ(totals.lines.at(0).dominant(), StallClass::vmem_wait);
  EXPECT_EQ(totals.all.stall, 1250);
}

TEST(Totals, SumsStayAtTheEndOfTheirRange) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  Cycles cycles{1, kMost, kMost, 5};
  cycles.add({1, 10, 5, kMost});
  EXPECT_EQ(cycles.latency, kMost);
  EXPECT_EQ(cycles.of_waves(), kMost);
  EXPECT_EQ(cycles.issue(), 0);
}

TEST(SourceLines, EndInANumberAfterTheLastColon) {
  EXPECT_EQ(parse_line("/a/x:y.py:12").path, "/a/x:y.py");
  EXPECT_EQ(parse_line("/a/x:y.py:12").number, 12);
  EXPECT_EQ(parse_line("C:\\k.py").path, "C:\\k.py");
  EXPECT_EQ(parse_line("k.py:0").number, std::nullopt);
  EXPECT_EQ(parse_line("").number, std::nullopt);
}

TEST(Divide, NeverGivesOutMoreThanThereIs) {
  EXPECT_EQ(divide(100, {1, 1, 1}), (std::vector<std::int64_t>{33, 33, 33}));
  EXPECT_EQ(divide(100, {0, 0}), (std::vector<std::int64_t>{0, 0}));
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(divide(kMost, {kMost, 0}), (std::vector<std::int64_t>{kMost, 0}));
}

}  // namespace
}  // namespace jaxtrace
