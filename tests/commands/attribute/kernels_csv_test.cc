#include "commands/attribute/kernels_csv.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "commands/attribute/made_up.h"

namespace jaxtrace::test {
namespace {

std::string csv_of(const MadeUp& made, bool stacks = false) {
  std::ostringstream out;
  write_kernels_csv(made.trace(), made.attribution(), made.ops(), made.counted(), stacks, out);
  return out.str();
}

constexpr std::string_view kHeader =
    "host,device,stream,start_ps,duration_ps,kernel,kind,correlation_id,graph,program_id,module,"
    "execution,instruction,opcode,match,rule,confidence,op_name,phase,file,line,function,"
    "user_frame";

TEST(KernelsCsv, HasOneRowAnEvent) {
  MadeUp made;
  const auto program = made.program(
      "jit_f", 17, program_of({{"dot.1", "fusion", "jit(f)/jvp()/dot_general", "/w/a.py", 77}}));
  made.lane(0, 0, 7);
  made.event({.begin = 1633193266000,
              .duration = 0,
              .kernel = "gemm",
              .label = label_of(program, 0, Match::order, Rule::graph_order, 980),
              .execution = 3,
              .correlation = 477,
              .hlo_op = "command_buffer_6",
              .in_graph = true});
  made.event(
      {.begin = 1633193266001, .duration = -5, .kernel = "fill", .label = no_label(Rule::damaged)});
  made.finish();
  EXPECT_EQ(csv_of(made),
            std::string(kHeader) +
                "\n"
                "host0,GPU:0,7,1633193266000,0,gemm,kernel,477,command_buffer_6,17,jit_f,3,dot.1,"
                "fusion,order,graph-order,0.980,jit(f)/jvp()/dot_general,fwd,/w/a.py,77,f,yes\n"
                "host0,GPU:0,7,1633193266001,-5,fill,kernel,,,,,,,,none,damaged,0.000,,,,,,none\n");
}

TEST(KernelsCsv, QuotesWhatNeedsIt) {
  MadeUp made;
  const auto program = made.program(
      "jit_f", 1,
      program_of({{"x", "fusion", "jit(f)/bsd,de->bse/dot", "C:\\a, \"b\".py", 1, "f\ng"}}));
  made.lane(0, 0, 1);
  made.event({.duration = 1,
              .kernel = "void k<int, 4>(\"q\")",
              .label = label_of(program, 0, Match::exact, Rule::tracer)});
  made.finish();
  const std::string csv = csv_of(made);
  EXPECT_NE(csv.find("\"void k<int, 4>(\"\"q\"\")\""), std::string::npos) << csv;
  EXPECT_NE(csv.find("\"C:\\a, \"\"b\"\".py\",1,\"f\ng\""), std::string::npos) << csv;
  EXPECT_NE(csv.find("\"jit(f)/bsd,de->bse/dot\""), std::string::npos) << csv;
}

TEST(KernelsCsv, NamesTheGraphByWhatTheTracerWrote) {
  MadeUp made;
  const auto program = made.program("jit_f", 1, program_of({{"dot.1"}}));
  const Label by_order = label_of(program, 0, Match::order, Rule::graph_order);
  const Label by_tracer = label_of(program, 0, Match::exact, Rule::tracer);
  made.lane(0, 0, 1);
  made.event({.begin = 0, .label = by_order, .hlo_op = "call.2", .in_graph = true});
  made.event({.begin = 1, .label = by_tracer, .hlo_op = "dot.1", .in_graph = true, .graph_id = 42});
  made.event({.begin = 2, .label = by_order, .in_graph = true, .graph_id = 43});
  made.event({.begin = 3, .label = by_order, .in_graph = true});
  made.event({.begin = 4, .label = by_tracer, .hlo_op = "dot.1"});
  made.finish();
  std::istringstream rows(csv_of(made));
  std::vector<std::string> graphs;
  for (std::string row; std::getline(rows, row);) {
    std::istringstream cells(row);
    std::string cell;
    for (int i = 0; i < 9; ++i) std::getline(cells, cell, ',');
    graphs.push_back(cell);
  }
  EXPECT_EQ(graphs, (std::vector<std::string>{"graph", "call.2", "42", "43", "graph", ""}));
}

TEST(KernelsCsv, AddsStacksWhenAsked) {
  hlo::Program program = program_of({{"x", "add", "jit(f)/add", "/w/a.py", 1}});
  program.frames.push_back({"/w/main.py", "main", 9, 0});
  program.frames[0].parent = 2;
  MadeUp made;
  const auto row = made.program("jit_f", 1, std::move(program));
  made.lane(0, 0, 1);
  made.event({.label = label_of(row, 0, Match::exact, Rule::tracer)});
  made.finish();
  const std::string csv = csv_of(made, true);
  EXPECT_TRUE(csv.starts_with(std::string(kHeader) + ",stack\n"));
  EXPECT_TRUE(csv.ends_with(",yes,/w/a.py:1 (f) < /w/main.py:9 (main)\n")) << csv;
}

TEST(KernelsCsv, OrdersByDeviceStartAndStream) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    MadeUp made;
    std::vector<std::tuple<int, std::int64_t, int, std::size_t>> expected;
    for (int device = 0; device < 2; ++device) {
      for (int stream = 1; stream < 6; ++stream) {
        made.lane(0, device, stream);
        std::int64_t begin = 0;
        for (std::size_t i = 0, events = random() % 40; i < events; ++i) {
          begin += static_cast<std::int64_t>(random() % 3);
          made.event({.begin = begin,
                      .kernel = std::to_string(100 + i),
                      .label = no_label(Rule::no_program)});
          expected.emplace_back(device, begin, stream, i);
        }
      }
    }
    made.finish();
    std::ranges::sort(expected);
    std::string text = std::string(kHeader) + '\n';
    for (const auto& [device, begin, stream, i] : expected) {
      text += "host0,GPU:" + std::to_string(device) + ',' + std::to_string(stream) + ',' +
              std::to_string(begin) + ",0," + std::to_string(100 + i) +
              ",kernel,,,,,,,,none,no-program,0.000,,,,,,none\n";
    }
    ASSERT_TRUE(csv_of(made) == text) << "seed " << seed;  // Too long to print.
  }
}

TEST(StreamName, IsTheNumberIfThereIsOne) {
  EXPECT_EQ(stream_name("Stream #16(MemcpyD2D,Compute)"), "16");
  EXPECT_EQ(stream_name("Stream #7"), "7");
  EXPECT_EQ(stream_name("Stream #"), "Stream #");
  EXPECT_EQ(stream_name("queue a"), "queue a");
}

}  // namespace
}  // namespace jaxtrace::test
