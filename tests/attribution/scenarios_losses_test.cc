// Captures that lack something: ends cut off, records lost, HLO absent, bytes damaged.
#include <chrono>

#include "attribution/scenario.h"
#include "jaxtrace/error.h"
#include "proto/xplane.pb.h"
#include "support/capture.h"
#include "support/mask.h"
#include "support/program.h"
#include "support/scale.h"

namespace jaxtrace::synth {
namespace {

Program layers() {
  return small_program(
      "jit_step",
      {fusion("a"), graph({fusion("b", "x"), gemm("gemm.1"), fusion("b.1", "x"), fusion("own")}),
       loop("while.3", 4, {graph({fusion("c", "y"), fusion("c.1", "y"), fusion("c.2", "z")})}),
       fusion("d", "x"), fusion("d.1", "x")});
}

/// Where the last step's first graph begins: by then only its host calls have run ahead.
std::int64_t last_graph(const Recording& recording) {
  const auto& events = recording.devices[0].lines[0].events;
  const auto first = std::ranges::find_if(events, [&](const DeviceEvent& event) {
    return event.in_graph && event.step == events.back().step;
  });
  return first->start_ps;
}

TEST(AttributeLosses, ACaptureMayBeginAndEndInTheMiddleOfAStep) {  // Scenario 23
  for (const bool nodes : {true, false}) {
    for (const bool masked : {true, false}) {
      for (const bool early : {true, false}) {
        SCOPED_TRACE(testing::Message() << nodes << masked << early);
        Recording recording = simulate({layers()}, {.steps = 6, .node_ids = nodes});
        const auto& events = recording.devices[0].lines[0].events;
        const std::int64_t end = early ? last_graph(recording) : events[events.size() - 8].start_ps;
        cut(recording, events[9].start_ps, end);
        if (masked) {
          each_event(recording, [](DeviceEvent& event) {
            if (!event.in_graph) event.shown_op = StringId::empty;
          });
        }
        expect_all_right(judged(recording));
      }
    }
  }
}

TEST(AttributeLosses, WorkBeforeTheFirstAndAfterTheLastRunIsOfOtherRuns) {  // Scenario 23
  const Program program = small_program(
      "jit_step", {fusion("a", "x"), fusion("b", "y"), fusion("c", "x"), fusion("d", "z")});
  Recording recording = simulate({program}, {.steps = 4});
  strip_hlo_op(recording);
  auto& events = recording.devices[0].lines[0].events;
  events.erase(events.begin(), events.begin() + 2);  // Begins with c of the first step
  events.resize(events.size() - 2);                  // and ends with b of the last.
  for (HostLine& line : recording.host_lines) {
    std::vector<HostEvent*> runs;
    for (HostEvent& event : line.events) {
      if (recording.strings[event.name].ends_with("GPU module")) runs.push_back(&event);
    }
    if (runs.empty()) continue;
    // The session began and ended within the first and the last run: neither was recorded.
    runs.front()->name = runs.back()->name = recording.strings.intern("something else");
  }
  const Judged result = judged(recording);
  expect_all_right(result);
  EXPECT_EQ(result.answers.front().execution, 0u);
  EXPECT_EQ(result.answers.back().execution, 3u);
}

TEST(AttributeLosses, WithoutHloOnlyTheTracersWordsRemain) {  // Scenario 30
  Recording recording = simulate({layers()}, {.steps = 2});
  strip_hlo_protos(recording);
  const Judged result = judged(recording);
  EXPECT_EQ(result.verdict.exact_wrong, 0);
  for (const Answer& answer : result.answers) {
    EXPECT_EQ(answer.rule, answer.in_graph ? Rule::no_hlo : Rule::tracer_text);
    EXPECT_EQ(answer.op.empty(), answer.in_graph);
  }
  const ScratchDir scratch;
  write_file(scratch.path() / "host.xplane.pb", xspace_bytes(recording));
  const ProgramResult run = run_shell("jaxtrace attribute host.xplane.pb --quiet", scratch.path());
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("jit_step"), std::string::npos) << run.out;
}

TEST(AttributeLosses, OneOfTwoProgramsWithoutHlo) {  // Scenario 30
  Recording recording =
      simulate({layers(), small_program("jit_other", {graph({fusion("b", "x"), fusion("c", "x")})},
                                        {.program_id = 19})},
               {.steps = 2});
  recording.programs[1].hlo.clear();
  const Judged result = judged(recording);
  for (const Answer& answer : result.answers) {
    if (answer.program_id == 19) {
      EXPECT_EQ(answer.rule, Rule::no_hlo);
    } else {
      EXPECT_FALSE(answer.op.empty());
    }
  }
}

TEST(AttributeLosses, WithoutAScheduleConfidenceIsCapped) {  // Scenario 31
  Recording recording = simulate({layers()}, {.steps = 2});
  strip_schedules(recording);
  const Judged result = judged(recording);
  EXPECT_EQ(result.verdict.exact_wrong, 0);
  EXPECT_GE(result.verdict.share(), 0.9) << result.verdict;
  for (const Answer& answer : result.answers) {
    if (answer.match == Match::exact) continue;
    EXPECT_LE(answer.confidence, 600) << answer.op;
  }
}

TEST(AttributeLosses, CorruptTimingIsInNoTotalAndBreaksNothing) {  // Scenario 42
  Recording recording = simulate({layers()}, {.steps = 3});
  auto& events = recording.devices[0].lines[0].events;
  for (const std::size_t i : {4U, 20U, 33U}) {
    events[i].duration_ps = -5'000;
    events[i].op = StringId::empty;
  }
  events[12].duration_ps = 3 * 3'600'000'000'000'000;  // Three hours in a session of a second.
  events[12].op = StringId::empty;
  const Judged result = judged(recording);
  EXPECT_EQ(std::ranges::count(result.answers, Rule::damaged, &Answer::rule), 4);
  expect_all_right(result);
}

TEST(AttributeLosses, ZeroLengthKernelsAreKernels) {
  Recording recording = simulate({layers()}, {.steps = 3, .node_ids = false});
  each_event(recording, [](DeviceEvent& event) {
    if (event.start_ps % 3'000 == 0) event.duration_ps = 0;
  });
  expect_all_right(judged(recording));
}

TEST(AttributeLosses, DamagedHloIsSaidAndSurvived) {  // Scenario 42
  for (const char* bytes : {"\x0a", "not a proto at all", "\xff\xff\xff\xff"}) {
    Recording recording = simulate({layers()}, {.steps = 1});
    recording.programs[0].hlo = bytes;
    const Judged result = judged(recording);
    EXPECT_EQ(result.verdict.exact_wrong, 0);
    EXPECT_EQ(result.answers.size(), result.truth.size());
    ASSERT_EQ(result.attribution.findings.size(), 1u);
    EXPECT_EQ(result.attribution.findings[0].code, "unreadable-hlo");
  }
}

TEST(AttributeLosses, ATruncatedFileIsAttributedAsFarAsItGoes) {  // Scenario 42
  const std::string bytes = xspace_bytes(simulate({layers()}, {.devices = 3, .steps = 4}));
  int read = 0;
  for (std::size_t length = bytes.size() / 40; length < bytes.size(); length += bytes.size() / 23) {
    try {
      const Judged result = judged(bytes.substr(0, length), {});
      EXPECT_EQ(result.attribution.label.size(), result.trace.device_events);
      ++read;
    } catch (const InputError&) {  // Nothing of use was left: said in a sentence.
    }
  }
  EXPECT_GT(read, 5);
}

TEST(AttributeLosses, NoDevicesIsAnAnswerToo) {  // Scenario 42
  Recording recording = simulate({layers()}, {.steps = 1});
  for (Device& device : recording.devices) device.lines.clear();
  try {
    EXPECT_TRUE(judged(xspace_bytes(recording), {}).answers.empty());
  } catch (const InputError&) {
  }
}

TEST(AttributeLosses, MaskedKernelsGetTheirInstructionBack) {  // Scenario 46, made up
  const std::vector<Node> nodes = {
      fusion("a", "x"),   custom("ffi.1", "t", {"kentry<1>", "kentry<2>"}),
      fusion("a.1", "x"), gemm("gemm.2"),
      fusion("own"),      fusion("a.2", "x")};
  for (const Mask mask : {Mask::strip, Mask::graph}) {
    pb::XSpace space;
    space.ParseFromString(
        xspace_bytes(simulate({small_program("jit_step", nodes)},
                              {.style = Style::rocm, .devices = 2, .steps = 3, .graphs = false})));
    const auto truth = mask_capture(space, {.mask = mask});
    const Judged result = judged(bytes_of(space), truth);
    expect_all_right(result);
    EXPECT_EQ(result.verdict.exact, 0);
  }
}

TEST(AttributeLosses, ManyLaunchesOfOneGraphTakeNoTime) {  // Scenario 43, small
  std::ostringstream file, truth;
  write_scale({.devices = 2, .kernels = 20'000, .graph_slots = 40}, file, &truth);
  const auto begin = std::chrono::steady_clock::now();
  const Trace trace = read_bytes(file.str());
  const Attribution attribution = attribute(trace);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(trace.device_events, 40'000u);
  EXPECT_LT(attribution.labels.size(), 200u) << "labels are shared, not made for each event";
  EXPECT_LT(took.count(), 20) << "a hundredth of the full size, in any build";
}

}  // namespace
}  // namespace jaxtrace::synth
