// What holds in real thread traces: loops are those read straight from code.json, waits waited for
// what the trace decoder says, and no more waves were resident than the model allows.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "att/hidden.h"
#include "att/loops.h"
#include "att/occupancy.h"
#include "att/waits.h"
#include "jaxtrace/thread_trace_reader.h"
#include "support/capture.h"

namespace jaxtrace {
namespace {

using nlohmann::json;

std::string hex(std::int64_t address) {
  std::ostringstream text;
  text << "0x" << std::hex << address;
  return text.str();
}

class RealTraces : public testing::Test {
 protected:
  void SetUp() override {
    if (real_captures().empty()) GTEST_SKIP() << "left out: JAXTRACE_CAPTURES is not set";
    for (const auto& path : find_thread_traces({real_captures() / "att"})) {
      const auto name = path.lexically_relative(real_captures() / "att").generic_string();
      if (name == "legacy-rocprofv2" || name == "pc-sampling") continue;  // No timing
      names.push_back(name);
      traces.push_back(read_thread_trace(path));
    }
    ASSERT_GE(traces.size(), 10u);
  }

  std::vector<std::string> names;
  std::vector<ThreadTrace> traces;
};

TEST_F(RealTraces, loops_are_those_of_the_goldens) {
  std::ifstream file(real_captures() / "../goldens/att.json");
  const json goldens = json::parse(file);
  for (std::size_t k = 0; k < traces.size(); ++k) {
    if (!goldens.contains(names[k])) continue;
    SCOPED_TRACE(names[k]);
    const ThreadTrace& trace = traces[k];
    json found = json::array();
    for (const Loop& loop : find_loops(trace.instructions).loops) {
      for (const std::uint32_t branch : loop.branches) {
        const Instruction& head = trace.instructions[loop.head];
        const Instruction& from = trace.instructions[branch];
        found.push_back({{"head", hex(head.address)},
                         {"branch", hex(from.address)},
                         {"head_hit", head.hits},
                         {"branch_hit", from.hits}});
      }
    }
    json expected = goldens[names[k]]["loops"];
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(found, expected);
  }
}

TEST_F(RealTraces, waits_waited_for_what_the_decoder_lists) {
  std::uint64_t lists = 0;
  for (std::size_t k = 0; k < traces.size(); ++k) {
    SCOPED_TRACE(names[k]);
    WaitCollector collector(traces[k], detect_arch(traces[k], ""));
    std::int64_t stall = 0;
    read_waves(traces[k], [&](const Wave& wave) {
      collector.add(wave);
      for (const WaveStep& step : wave.steps) {
        for (const Instruction& i : traces[k].instructions) {
          if (i.line == step.line && i.text.starts_with("s_waitcnt")) stall += step.stall;
        }
      }
    });
    const WaitAnalysis waits = collector.finish();
    EXPECT_EQ(waits.lists_equal, waits.lists);
    lists += waits.lists;
    std::int64_t shared = 0;
    for (const WaitShare& share : waits.shares) shared += share.cycles;
    EXPECT_EQ(shared, stall) << "the shares are the whole";
  }
  EXPECT_GT(lists, 600u);
}

TEST_F(RealTraces, measured_occupancy_is_never_above_the_model) {
  int measured = 0;
  for (std::size_t k = 0; k < traces.size(); ++k) {
    SCOPED_TRACE(names[k]);
    const OccupancyReport report = occupancy_of(traces[k], "");
    for (const OccupancyReport::Variant& variant : report.variants) {
      EXPECT_FALSE(variant.refuted) << name_of(variant.model.arch);
    }
    if (report.measured) ++measured;
  }
  EXPECT_GE(measured, 9);
}

TEST_F(RealTraces, hidden_stall_is_a_part_of_the_stall) {
  for (std::size_t k = 0; k < traces.size(); ++k) {
    SCOPED_TRACE(names[k]);
    HiddenCollector collector(traces[k], detect_arch(traces[k], ""));
    read_waves(traces[k], [&](const Wave& wave) { collector.add(wave); });
    const HiddenStall found = collector.finish();
    for (std::size_t row = 0; row < found.stall_cycles.size(); ++row) {
      EXPECT_LE(found.hidden_cycles[row], found.stall_cycles[row]);
      EXPECT_LE(found.stall_cycles[row], traces[k].instructions[row].stall_cycles);
    }
  }
}

}  // namespace
}  // namespace jaxtrace
