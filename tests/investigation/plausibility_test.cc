// Each check on a capture that has what it looks for, and on one that has not.
#include "investigation/plausibility.h"

#include <gtest/gtest.h>

#include <set>

#include "attribution/scenario.h"
#include "investigation/run_coverage.h"
#include "investigation/tracer_limits.h"
#include "investigation/whole.h"
#include "jaxtrace/readers.h"
#include "support/program.h"
#include "support/world.h"

namespace jaxtrace {
namespace {

using synth::collective;
using synth::DeviceEvent;
using synth::fusion;
using synth::gemm;
using synth::loop;
using synth::Recording;
using synth::simulate;
using synth::small_program;
using world::kUs;
using world::World;

synth::Program layers() {
  return small_program("jit_step", {fusion("a"), fusion("b"), loop("while.3", 4, {fusion("c")}),
                                    gemm("dot.1", {"gemm_kernel", "reduce_kernel"}), fusion("d")});
}
constexpr std::int64_t kKernels = 9;  // a, b, four of c, two of dot.1, d

TEST(Coverage, AWholeCaptureHasEveryKernelOfEveryRun) {
  const Whole whole(simulate({layers()}, {.devices = 2, .steps = 5}));
  const std::vector<RunCoverage> programs = run_coverage(whole.in());
  ASSERT_EQ(programs.size(), 1u);
  EXPECT_EQ(programs[0].runs, 10u);
  EXPECT_EQ(programs[0].expected, 10u * kKernels);
  EXPECT_EQ(programs[0].seen, programs[0].expected);
  EXPECT_EQ(whole.state("coverage"), CheckState::pass) << whole.check("coverage").found;
}

TEST(Coverage, CountsExactlyWhatIsMissing) {
  Recording recording = simulate({layers()}, {.devices = 2, .steps = 5});
  synth::erase_events(recording, [](const DeviceEvent& event) { return event.step >= 3; });
  const Whole whole(recording);
  const CheckResult& check = whole.check("coverage");
  EXPECT_EQ(check.state, CheckState::fatal);
  ASSERT_TRUE(check.part.has_value());
  EXPECT_EQ(check.part->count, 2 * 2 * kKernels);
  EXPECT_DOUBLE_EQ(*check.part->share, 0.4);
  EXPECT_NE(check.found.find("54 seen of 90 in 10 runs of jit_step(17)"), std::string::npos)
      << check.found;
}

TEST(Coverage, AProgramOfWhichNothingWasRecordedIsMissing) {
  Recording recording = simulate(
      {layers(), small_program("jit_eval", {fusion("e"), fusion("f")}, {.program_id = 18})},
      {.steps = 3});
  synth::erase_events(recording, [](const DeviceEvent& event) { return event.program == 1; });
  const Whole whole(recording);
  const std::vector<RunCoverage> programs = run_coverage(whole.in());
  ASSERT_EQ(programs.size(), 2u);
  EXPECT_EQ(programs[0].missing(), 0u);
  EXPECT_EQ(programs[1].missing(), 6u);
}

TEST(Coverage, CountsNothingWhereTheHloLeavesTheNumberOpen) {
  const auto of = [](const std::vector<synth::Node>& nodes) {
    return Whole(simulate({small_program("jit_step", nodes)}, {.steps = 3}));
  };
  const Whole open = of({loop("while.3", std::nullopt, {fusion("c")})});
  EXPECT_EQ(open.state("coverage"), CheckState::not_applicable) << open.check("coverage").found;
  const Whole both = of({fusion("a"), loop("while.3", std::nullopt, {fusion("c")}),
                         synth::branch("cond.1", {{fusion("t")}, {fusion("f")}})});
  const std::vector<RunCoverage> programs = run_coverage(both.in());
  ASSERT_EQ(programs.size(), 1u);
  EXPECT_EQ(programs[0].expected, 3u) << "a alone";
  EXPECT_EQ(programs[0].seen, 3u);
}

TEST(Coverage, AnEmptyRunOfOneOfTwoProgramsOfANameIsTakenForTheSmaller) {
  const auto program = [](std::int64_t id, int kernels) {
    std::vector<synth::Node> nodes;
    for (int k = 0; k < kernels; ++k) nodes.push_back(fusion("k" + std::to_string(k)));
    return small_program("jit_step", nodes, {.program_id = id});
  };
  Recording recording = simulate({program(17, 2), program(18, 7)}, {.steps = 4});
  synth::erase_events(
      recording, [](const DeviceEvent& event) { return event.program == 1 && event.step == 2; });
  std::uint64_t missing = 0;
  const Whole whole(recording);
  for (const RunCoverage& one : run_coverage(whole.in())) missing += one.missing();
  EXPECT_EQ(missing, 2u) << "at least: it may have been 7";
}

TEST(Coverage, EventsThatStandForGraphsAreNoLossOfTime) {
  Recording recording =
      simulate({small_program("jit_step", {synth::graph({fusion("a"), fusion("b"), fusion("c")})})},
               {.steps = 4});
  synth::collapse_graphs(recording);
  const Whole whole(recording);
  EXPECT_EQ(whole.state("coverage"), CheckState::not_applicable);
}

TEST(Plausibility, GpusWithoutEventsAreCounted) {
  Recording recording = simulate({layers()}, {.devices = 4, .steps = 3});
  EXPECT_EQ(Whole(recording).state("gpus"), CheckState::pass);
  for (const std::size_t device : {1u, 2u}) {
    for (synth::DeviceLine& line : recording.devices[device].lines) line.events.clear();
  }
  const Whole whole(recording);
  EXPECT_EQ(whole.state("gpus"), CheckState::warn);
  EXPECT_EQ(whole.check("gpus").part->count, 2);
  EXPECT_DOUBLE_EQ(*whole.check("gpus").part->share, 0.5);
}

TEST(Plausibility, ProgramsWithoutHloAreCountedWithTheirTime) {
  Recording recording = simulate({layers()}, {.steps = 3});
  EXPECT_EQ(Whole(recording).state("hlo"), CheckState::pass);
  synth::strip_hlo_protos(recording);
  const Whole whole(recording);
  EXPECT_EQ(whole.state("hlo"), CheckState::warn);
  EXPECT_EQ(whole.check("hlo").part->count, 1);
  EXPECT_DOUBLE_EQ(*whole.check("hlo").part->share, 1.0);
}

TEST(Plausibility, StepsWithoutWorkAreCounted) {
  const std::string step = "H python [0,60) step=# train\nC s1 [20,40) launch [2,6) op a\n";
  const std::string end = "end\n";
  EXPECT_EQ(Whole("repeat 6 every 100\n" + step + end).state("empty-steps"), CheckState::pass);
  const Whole whole("repeat 6 every 100\n" + step + end + "H python [700,760) step=7 train\n" +
                    "H python [800,860) step=8 train\nC s1 [820,840) launch [802,806) op a\n");
  EXPECT_EQ(whole.state("empty-steps"), CheckState::warn) << whole.check("empty-steps").found;
  EXPECT_EQ(whole.check("empty-steps").part->count, 1);
}

TEST(Plausibility, WorkThatTheSessionCutsIsCounted) {
  const World world{.steps = 6};
  Recording recording = world::run(world).recording;
  EXPECT_EQ(Whole(recording).state("edges"), CheckState::pass);
  auto& events = recording.devices[0].lines[0].events;
  for (std::size_t i = 0; i < 3; ++i) events[i].correlation = 999'990 + i;  // Launched before
  events.resize(events.size() - 2);                                         // Ended after
  const Whole whole(recording);
  EXPECT_EQ(whole.state("edges"), CheckState::warn);
  EXPECT_EQ(whole.check("edges").found,
            "3 events at the begin were launched before it; 2 launches at the end have no work");
  EXPECT_EQ(whole.check("edges").part->share_of, "device events and launches without any");
}

TEST(TracerLimits, AreReachedWithinTwoPercent) {
  using R = Recorded;
  EXPECT_EQ(limit_reached(R::device_events, 2'097'152, false), 2'097'152u);
  EXPECT_EQ(limit_reached(R::device_events, 2'060'000, false), 2'097'152u);
  EXPECT_EQ(limit_reached(R::calls, 2'000'000, false), std::nullopt);
  EXPECT_EQ(limit_reached(R::calls, 4'194'304, true), 4'194'304u);
  EXPECT_EQ(limit_reached(R::calls, 4'194'304, false), std::nullopt) << "CUPTI has no such limit";
  EXPECT_EQ(limit_reached(R::annotations, 1'048'576, false), 1'048'576u);
  EXPECT_EQ(limit_reached(R::annotations, 1'000'000, true), std::nullopt);
  EXPECT_EQ(limit_reached(R::device_events, 0, true), std::nullopt);
}

TEST(Plausibility, CopiesThatWereAskedForAndNotRecordedAreCounted) {
  const World world{.steps = 6, .copies = 2, .copy = 20 * kUs};
  Recording recording = world::run(world).recording;
  EXPECT_EQ(Whole(recording).state("copies"), CheckState::pass)
      << Whole(recording).check("copies").found;
  synth::erase_events(recording, [](const DeviceEvent& event) {
    return event.kind == synth::EventKind::memcpy && event.step >= 3;
  });
  const Whole whole(recording);
  EXPECT_EQ(whole.state("copies"), CheckState::warn);
  EXPECT_EQ(whole.check("copies").part->count, 6);
  EXPECT_DOUBLE_EQ(*whole.check("copies").part->share, 0.5);
}

TEST(Plausibility, OneEventOfHalfTheTimeIsNamed) {
  std::string rows = "repeat 12 every 10\nC s1 [2,4) name small launch [0,1)\nend\n";
  EXPECT_EQ(Whole(rows).state("dominant-event"), CheckState::pass);
  const Whole whole(rows + "C s1 [200,260) name large launch [190,191)\n");
  EXPECT_EQ(whole.state("dominant-event"), CheckState::warn);
  EXPECT_NE(whole.check("dominant-event").found.find("large"), std::string::npos);
  EXPECT_NEAR(*whole.check("dominant-event").part->share, 60.0 / 84, 1e-9);
  EXPECT_EQ(Whole("C s1 [2,4) name a launch [0,1)\nC s1 [5,9) name b launch [1,2)\n")
                .state("dominant-event"),
            CheckState::not_applicable)
      << "of two events one is always the longer";
}

TEST(Plausibility, ALaunchOfAHundredTimesItsKernelsMedianIsNamed) {
  std::string rows = "repeat 20 every 10\nC s1 [2,4) name k launch [0,1)\nend\n";
  EXPECT_EQ(Whole(rows).state("outliers"), CheckState::pass);
  EXPECT_EQ(Whole(rows + "C s1 [300,500) name k launch [290,291)\n").state("outliers"),
            CheckState::pass)
      << "100 times is not over it";
  const Whole whole(rows + "C s1 [300,510) name k launch [290,291)\n");
  EXPECT_EQ(whole.state("outliers"), CheckState::warn);
  EXPECT_EQ(whole.check("outliers").part->count, 1);
  EXPECT_NEAR(*whole.check("outliers").part->share, 210.0 / 250, 1e-9);
}

TEST(Plausibility, CollectivesThatMostlyWaitAreNoMeasureOfTheNetwork) {
  World world{.devices = 4, .steps = 8, .collectives = 2, .transfer = 60 * kUs};
  EXPECT_EQ(Whole(world::run(world).recording).state("collective-skew"), CheckState::pass);
  world.slow_device = 2;
  world.slow_percent = 60;
  const Whole whole(world::run(world).recording);
  EXPECT_EQ(whole.state("collective-skew"), CheckState::warn)
      << whole.check("collective-skew").found;
  EXPECT_GT(*whole.check("collective-skew").part->share, 0.5);
  EXPECT_EQ(Whole(world::run({.steps = 4}).recording).state("collective-skew"),
            CheckState::not_applicable);
}

TEST(Plausibility, QueuesOfRocmAreNoStreams) {
  World world{.steps = 5, .side_stream = true};
  EXPECT_EQ(Whole(world::run(world).recording).state("streams"), CheckState::not_applicable);
  world.style = synth::Style::rocm;
  EXPECT_EQ(Whole(world::run(world).recording).state("streams"), CheckState::warn);
  world.side_stream = false;
  EXPECT_EQ(Whole(world::run(world).recording).state("streams"), CheckState::pass);
}

TEST(Plausibility, HostsHaveClocksOfTheirOwn) {
  const Recording recording = world::run({.steps = 4}).recording;
  EXPECT_EQ(Whole(recording).state("host-clocks"), CheckState::not_applicable);
  const ScratchDir directory;
  for (const char* host : {"host0.xplane.pb", "host1.xplane.pb"}) {
    write_file(directory.path() / host, synth::xspace_bytes(recording));
  }
  EXPECT_EQ(Whole(read_capture(directory.path())).state("host-clocks"), CheckState::warn);
}

/// The capture with this text of details on each kernel.
Whole with_details(const std::string& text) {
  Recording recording = world::run({.steps = 4}).recording;
  const StringId details = recording.strings.intern(text);
  synth::each_event(recording, [&](DeviceEvent& event) {
    if (event.kind == synth::EventKind::kernel) event.details = details;
  });
  return Whole(recording);
}

TEST(Plausibility, ImpossibleRegistersAreCounted) {
  EXPECT_EQ(with_details("regs:64 grid:1,1,1").state("registers"), CheckState::pass);
  EXPECT_EQ(with_details("grid:1,1,1").state("registers"), CheckState::not_applicable);
  const Whole whole = with_details("regs:2191500840 static_shared:32462 grid:1,1,1");
  EXPECT_EQ(whole.state("registers"), CheckState::warn);
  EXPECT_DOUBLE_EQ(*whole.check("registers").part->share, 1.0);
}

TEST(Plausibility, AnOccupancyOfNothingWasNotFilledIn) {
  EXPECT_EQ(with_details("grid:1,1,1 occ_pct:100").state("occupancy"), CheckState::pass);
  EXPECT_EQ(with_details("grid:1,1,1 occ_pct:06.5").state("occupancy"), CheckState::pass);
  EXPECT_EQ(with_details("grid:1,1,1").state("occupancy"), CheckState::not_applicable);
  EXPECT_EQ(with_details("occ_pct:0 grid:1,1,1").state("occupancy"), CheckState::warn);
  EXPECT_EQ(with_details("grid:1,1,1 occ_pct:0").state("occupancy"), CheckState::warn);
}

TEST(Integrity, BeginsWithTheFiveThatDecideWhetherRecordsAgree) {
  const Whole whole(world::run({.devices = 2, .steps = 6, .collectives = 1}).recording);
  std::vector<std::string> ids;
  for (const CheckResult& check : whole.checks) ids.push_back(check.id);
  ASSERT_GE(ids.size(), 5u);
  ids.resize(5);
  EXPECT_EQ(ids,
            (std::vector<std::string>{"json", "join", "kernels-per-step", "same-work", "sums"}));
  EXPECT_EQ(whole.state("sums"), CheckState::pass);
  std::set<std::string> distinct;
  for (const CheckResult& check : whole.checks) distinct.insert(check.id);
  EXPECT_EQ(distinct.size(), whole.checks.size()) << "a check stands once";
  EXPECT_EQ(whole.checks.size(), whole.skip.checks.size() + 1 + plausibility(whole.in()).size());
}

TEST(Integrity, AnEmptyCaptureFailsOnlyForThat) {
  Recording recording = world::run({.steps = 3}).recording;
  for (synth::Device& device : recording.devices) {
    for (synth::DeviceLine& line : device.lines) line.events.clear();
  }
  const Whole whole(recording);
  EXPECT_EQ(whole.state("recorded"), CheckState::fatal);
  for (const CheckResult& check : plausibility(whole.in())) {
    if (check.state == CheckState::fatal) {
      EXPECT_EQ(check.id, "coverage");
    }
  }
}

}  // namespace
}  // namespace jaxtrace
