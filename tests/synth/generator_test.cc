// The generator itself: what it writes is what it says it wrote, and looks like the captures of
// another writer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "proto/xplane.pb.h"
#include "support/mutate.h"
#include "support/recording.h"
#include "support/scale.h"
#include "support/simulate.h"
#include "support/small_program.h"
#include "support/thunks.h"
#include "support/write_xplane.h"

namespace jaxtrace::synth {
namespace {

pb::XSpace parse(const std::string& bytes) {
  pb::XSpace space;
  EXPECT_TRUE(space.ParseFromString(bytes));
  return space;
}

/// device, line, start, duration, name of every event on a stream.
using Row = std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::string>;

std::vector<Row> stream_events(const pb::XSpace& space) {
  std::vector<Row> rows;
  for (const auto& plane : space.planes()) {
    if (!plane.name().starts_with("/device:GPU")) continue;
    std::map<std::int64_t, std::string> names;
    for (const auto& entry : plane.event_metadata()) names[entry.key()] = entry.value().name();
    for (const auto& line : plane.lines()) {
      if (!line.name().starts_with("Stream #")) continue;
      for (const auto& event : line.events()) {
        rows.emplace_back(plane.name(), line.name(), line.timestamp_ns() * 1000 + event.offset_ps(),
                          event.duration_ps(), names[event.metadata_id()]);
      }
    }
  }
  std::ranges::sort(rows);
  return rows;
}

std::vector<Row> rows_of(const std::vector<TruthRow>& truth) {
  std::vector<Row> rows;
  for (const TruthRow& row : truth) {
    rows.emplace_back(row.device, row.line, row.start_ps, row.duration_ps, row.kernel);
  }
  std::ranges::sort(rows);
  return rows;
}

/// "kernel=op" of every event of a device, in order of start.
std::vector<std::string> sequence(const std::vector<TruthRow>& truth, const std::string& device) {
  std::vector<const TruthRow*> rows;
  for (const TruthRow& row : truth) {
    if (row.device == device) rows.push_back(&row);
  }
  std::ranges::stable_sort(rows, {}, &TruthRow::start_ps);
  std::vector<std::string> out;
  for (const TruthRow* row : rows) out.push_back(row->kernel + "=" + row->hlo_op);
  return out;
}

/// Two loops, shared kernels, a branch, asynchronous work, a library call.
std::vector<Node> everything() {
  return {graph({fusion("a"), fusion("a.1", "a"), copy("copy.3"), gemm("gemm.4")}),
          loop("while.5", 3, {graph({fusion("b"), fusion("b.1", "b")}), fusion("c")}),
          loop("while.6", std::nullopt, {fusion("d")}, {fusion("e")}),
          branch("conditional.7", {{fusion("f")}, {fusion("g"), fusion("g.1", "g")}}),
          async("all-gather-start.1", {collective("all-gather.1", "all-gather")}, {fusion("h")}),
          async("reduce-scatter-start", {collective("reduce-scatter.2", "reduce-scatter")}, {}),
          custom("custom-call.8", "my_ffi", {"first<int>", "Memset", "second<int>"})};
}

TEST(Generator, WritesTheSameBytesForTheSameSeed) {
  const std::vector<Program> programs = {small_program("jit_step", everything())};
  const SimulationOptions options{.devices = 2, .seed = 5};
  const std::string first = xspace_bytes(simulate(programs, options));
  EXPECT_EQ(first, xspace_bytes(simulate(programs, options)));
  EXPECT_NE(first, xspace_bytes(simulate(programs, {.devices = 2, .seed = 6})));
}

TEST(Generator, TruthHasTheEventsOfTheFile) {
  const std::vector<Program> programs = {small_program("jit_step", everything())};
  for (const Style style : {Style::cuda, Style::rocm, Style::roctracer}) {
    for (const bool graphs : {true, false}) {
      Recording recording =
          simulate(programs, {.style = style, .devices = 3, .steps = 3, .graphs = graphs});
      reorder_in_graphs(recording, 0.3, 1);
      drop_events(recording, 0.1, 1);
      wrong_correlations(recording, 1, 1);
      add_derived_lines(recording);
      const auto rows = rows_of(truth_of(recording));
      EXPECT_GT(rows.size(), 100u);
      EXPECT_EQ(rows, stream_events(parse(xspace_bytes(recording))));
      EXPECT_EQ(rows, stream_events(parse(xspace_bytes(recording, {.shuffle = 3}))));
    }
  }
}

TEST(Generator, RunsLoopsBranchesAndCustomCallsAsWritten) {
  const Program program = small_program("jit_step", everything());
  const Recording recording =
      simulate({program}, {.steps = 1, .graphs = true, .least_trips = 2, .most_trips = 2});
  std::map<std::string, int> runs;
  for (const TruthRow& row : truth_of(recording)) ++runs[row.hlo_op + "=" + row.kernel];
  EXPECT_EQ(runs["b.1=b"], 3) << "known trip count";
  EXPECT_EQ(runs["c=c"], 3);
  EXPECT_EQ(runs["d=d"], 2) << "unknown trip count: two by the options";
  EXPECT_EQ(runs["e=e"], 3) << "one more test than iterations";
  EXPECT_EQ(runs["while.6=MemcpyD2H"], 3) << "each test copies its predicate";
  EXPECT_EQ(runs["while.5=MemcpyD2H"], 0);
  EXPECT_EQ(runs["f=f"] + runs["g=g"], 1) << "one branch is taken";
  EXPECT_EQ(runs["g=g"], runs["g.1=g"]);
  EXPECT_EQ(runs["custom-call.8=first<int>"], 1);
  EXPECT_EQ(runs["custom-call.8=Memset"], 1);
}

TEST(Generator, GraphKernelsCarryTheLaunchesIds) {
  const Program program =
      small_program("jit_step", {fusion("x"), graph({fusion("a"), gemm("g"), fusion("a.1", "a")})});
  const Recording recording = simulate({program}, {.devices = 2, .steps = 2});
  std::map<std::uint64_t, std::string> calls;
  for (const HostLine& line : recording.host_lines) {
    for (const HostEvent& event : line.events) {
      if (event.correlation == 0) continue;
      EXPECT_TRUE(calls.emplace(event.correlation, recording.strings[event.name]).second);
    }
  }
  for (const Device& device : recording.devices) {
    std::uint64_t node = 0;
    for (const DeviceEvent& event : device.lines.at(0).events) {
      const std::string& call = calls.at(event.correlation);
      if (!event.in_graph) {
        EXPECT_EQ(call, "x");
        EXPECT_EQ(recording.strings[event.shown_op], "x");
        node = 0;
        continue;
      }
      EXPECT_EQ(call, "cuGraphLaunch (CudaGraph:" + std::to_string(event.graph_id) + ")");
      EXPECT_EQ(recording.strings[event.shown_op], "command_buffer_2");
      EXPECT_EQ(event.node_id >> 32, event.graph_id);
      EXPECT_EQ(event.node_id & 0xffffffff, ++node);
    }
  }
}

TEST(Generator, NamesKernelsAsTheFirstOfTheirKind) {
  const Program program =
      small_program("jit_step", {fusion("a.1"), fusion("a_1", "other"), fusion("a.7", "a.1"),
                                 loop("while.2", 1, {fusion("a.8", "a.1")})});
  EXPECT_EQ(program.thunks[0].kernel, "a_1");
  EXPECT_EQ(program.thunks[1].kernel, "a_1__1") << "its own name is taken";
  EXPECT_EQ(program.thunks[2].kernel, "a_1") << "the same body";
  EXPECT_EQ(program.thunks[3].sections[1].thunks[0].kernel, "a_8")
      << "the same body, but the array of a loop is aligned otherwise than a parameter";
}

TEST(Generator, ScaleCaptureIsOneGraphOverAndOver) {
  std::ostringstream file, truth;
  write_scale({.devices = 2, .kernels = 1000, .graph_slots = 40}, file, &truth);
  const auto rows = stream_events(parse(file.str()));
  EXPECT_EQ(rows.size(), 2000u);
  const std::string text = truth.str();
  EXPECT_EQ(std::ranges::count(text, '\n'), 2001);
}

/// The folder of goldens beside the captures, or empty.
std::filesystem::path goldens() {
  const char* captures = std::getenv("JAXTRACE_CAPTURES");
  if (captures == nullptr) return {};
  return std::filesystem::path(captures).parent_path() / "goldens";
}

/// Truth of a golden: device,start_ps,duration_ps,kernel,hlo_op,in_graph.
std::vector<TruthRow> golden_truth(const std::filesystem::path& file) {
  std::istringstream in(read_maybe_gzip(file));
  std::string line;
  std::getline(in, line);
  std::vector<TruthRow> rows;
  while (std::getline(in, line)) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        cells.emplace_back();
      } else if (c != '\r') {
        cells.back().push_back(c);
      }
    }
    rows.push_back({.device = cells.at(0),
                    .start_ps = std::stoll(cells.at(1)),
                    .kernel = cells.at(3),
                    .hlo_op = cells.at(4)});
  }
  return rows;
}

TEST(Generator, AgreesWithCapturesOfAnotherWriter) {
  if (goldens().empty()) GTEST_SKIP() << "JAXTRACE_CAPTURES is not set";
  // Only a program without library calls and without data-dependent control is the same under any
  // seed: their kernel names and lengths are made up by either writer.
  const Program program = load_program(goldens() / "xla-gpu" / "gpt-h100");
  const auto truth = golden_truth(goldens() / "graph-captures" / "gpt-h100" / "truth.csv.gz");
  const Recording recording = simulate({program}, {.steps = 4});
  EXPECT_EQ(sequence(truth_of(recording), "/device:GPU:0"), sequence(truth, "/device:GPU:0"));
}

TEST(Generator, LaysPlanesOutAsAnotherWriter) {
  if (goldens().empty()) GTEST_SKIP() << "JAXTRACE_CAPTURES is not set";
  struct Case {
    const char* name;
    Style style;
    int devices;
  };
  for (const Case& one : {Case{"gpt-h100", Style::cuda, 1}, Case{"gpt_scan-mi300x", Style::rocm, 4},
                          Case{"mlp_fsdp-h100", Style::cuda, 8}}) {
    SCOPED_TRACE(one.name);
    const pb::XSpace theirs =
        parse(read_maybe_gzip(goldens() / "graph-captures" / one.name / "host0.xplane.pb.gz"));
    const Program program = load_program(goldens() / "xla-gpu" / one.name);
    const pb::XSpace ours = parse(xspace_bytes(
        simulate({program}, {.style = one.style, .devices = one.devices, .steps = 4})));
    ASSERT_EQ(ours.planes_size(), theirs.planes_size());
    for (int i = 0; i < ours.planes_size(); ++i) {
      EXPECT_EQ(ours.planes(i).name(), theirs.planes(i).name());
      EXPECT_EQ(ours.planes(i).id(), theirs.planes(i).id());
      std::set<std::string> our_lines, their_lines;
      for (const auto& line : ours.planes(i).lines()) our_lines.insert(line.name());
      for (const auto& line : theirs.planes(i).lines()) their_lines.insert(line.name());
      if (ours.planes(i).name().starts_with("/device")) continue;  // streams are each writer's own
      EXPECT_EQ(our_lines, their_lines);
    }
  }
}

}  // namespace
}  // namespace jaxtrace::synth
