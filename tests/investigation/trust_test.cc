// What cannot be trusted: each source of doubt alone, and what always holds of the list.
#include "investigation/trust.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <utility>

#include "attribution/scenario.h"
#include "investigation/remedies.h"
#include "investigation/whole.h"
#include "support/program.h"
#include "support/world_random.h"

namespace jaxtrace {
namespace {

using synth::DeviceEvent;
using synth::fusion;
using synth::gemm;
using synth::graph;
using synth::Recording;
using synth::simulate;
using synth::small_program;
using world::kUs;
using world::World;

/// Ten steady steps, of which nothing is wrong.
World steady() {
  return {.steps = 11, .kernel = 60 * kUs, .sync = false};
}

synth::Origin at(std::string file) {
  return {.op_name = "jit(step)/add", .source_file = std::move(file), .source_line = 7};
}

synth::Program step_program() {
  return small_program("jit_step",
                       {fusion("a", "", at("train.py")), fusion("b", "", at("train.py")),
                        fusion("c", "", at("train.py"))});
}

TEST(Trust, ACleanCaptureHasNothingSeriousToSay) {
  const Whole whole(world::run(steady()).recording);
  for (const Distrust& entry : whole.trust()) {
    if (entry.code == "hlo") continue;  // Worlds have none.
    EXPECT_EQ(name_of(entry.gravity), "partial") << entry.code << ": " << entry.reason;
  }
}

TEST(Trust, AFailedCheckStandsOnceWithItsCountAndShare) {
  Recording recording = simulate({step_program()}, {.devices = 2, .steps = 5});
  synth::erase_events(recording, [](const DeviceEvent& event) { return event.step >= 3; });
  const std::vector<Distrust> list = Whole(recording).trust();
  const Distrust* const coverage = entry_of(list, "coverage");
  ASSERT_NE(coverage, nullptr);
  EXPECT_EQ(coverage->gravity, Gravity::fatal);
  EXPECT_EQ(coverage->count, 12);
  EXPECT_DOUBLE_EQ(*coverage->share, 0.4);
  EXPECT_EQ(coverage->share_of, "kernels that ran");
  EXPECT_EQ(entry_of(list, "runs-without-kernels"), nullptr) << "the check says it";
  EXPECT_EQ(entry_of(list, "launches-without-work"), nullptr) << "the check says it";
  EXPECT_NE(entry_of(list, "launches"), nullptr);
  EXPECT_EQ(entry_of(list, "complete"), nullptr) << "it only lists findings";
}

TEST(Trust, WorkThatBearsTheLaunchOfAnotherGpuIsSaidOnceAndNotLost) {
  Recording recording = rows::recording_of(R"(
    repeat 8 every 100
      C gpu0 s1 [10,20) launch [0,1) id 1 handle 11
      C gpu1 s2 [10,20) launch [2,3) id 2 handle 22
      C gpu0 s1 [30,40) launch [4,5) id 3 handle 11
      C gpu1 s2 [30,40) launch [6,7) id 4 handle 22
    end)");
  for (auto& event : recording.devices[1].lines[0].events) {
    if (event.correlation == 4) event.correlation = 3;
  }
  const Whole whole(recording);
  ASSERT_EQ(whole.state("launches"), CheckState::warn) << "1 of 32";
  const std::vector<Distrust> list = whole.trust();
  EXPECT_EQ(entry_of(list, "launches"), nullptr);
  EXPECT_EQ(entry_of(list, "launches-without-work"), nullptr);
  const Distrust* const elsewhere = entry_of(list, "device-of-call");
  ASSERT_NE(elsewhere, nullptr);
  EXPECT_EQ(elsewhere->count, 1);
  EXPECT_TRUE(elsewhere->remedy.find("one process a GPU") != std::string::npos);
}

TEST(Trust, AVerdictMadeOfASampleIsNone) {
  Recording recording = simulate({step_program()}, {.steps = 20});
  synth::drop_events(recording, 0.5, 7);
  const std::vector<Distrust> list = Whole(recording).trust();
  const Distrust* const verdict = entry_of(list, "verdict");
  ASSERT_NE(verdict, nullptr);
  EXPECT_EQ(verdict->gravity, Gravity::fatal);
}

TEST(Trust, CorruptTimesAreSaidByTheCheckAlone) {
  Recording recording = world::run(steady()).recording;
  recording.devices[0].lines[0].events[50].duration_ps = -5;
  const std::vector<Distrust> list = Whole(recording).trust();
  ASSERT_NE(entry_of(list, "timing"), nullptr);
  EXPECT_EQ(entry_of(list, "timing")->count, 1);
  EXPECT_EQ(entry_of(list, "corrupt-timing"), nullptr);
}

TEST(Trust, FindingsThatNoCheckSaysAreKeptInTheirWords) {
  Recording recording = world::run(steady()).recording;
  recording.warnings.emplace_back("Detected GPU events dropped on host0: 12 events dropped");
  recording.errors.emplace_back("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES");
  const std::vector<Distrust> list = Whole(recording).trust();
  const Distrust* const dropped = entry_of(list, "events-dropped");
  ASSERT_NE(dropped, nullptr);
  EXPECT_NE(dropped->reason.find("12 events dropped"), std::string::npos) << dropped->reason;
  EXPECT_NE(dropped->remedy.find("gpu_max_activity_api_events"), std::string::npos);
  ASSERT_NE(entry_of(list, "profiler-error"), nullptr);
  EXPECT_EQ(entry_of(Whole(world::run(steady()).recording).trust(), "events-dropped"), nullptr);
}

TEST(Trust, UnattributedTimeIsListedByReason) {
  Recording recording = simulate({step_program()}, {.steps = 6});
  synth::add_foreign_copies(recording, 4, 1);
  const Whole whole(recording);
  const std::vector<Distrust> list = whole.trust();
  const Distrust* const outside = entry_of(list, "unattributed-outside-execution");
  ASSERT_NE(outside, nullptr);
  EXPECT_EQ(outside->count, 4);
  EXPECT_EQ(outside->share_of, "GPU time");
  double none = 0;
  for (const Distrust& entry : list) {
    if (entry.code.starts_with("unattributed-")) none += *entry.share;
  }
  EXPECT_NEAR(none,
              static_cast<double>(whole.sums.all.of(Match::none)) /
                  static_cast<double>(whole.sums.all.total_ps),
              1e-12)
      << "the parts are all there is";
}

TEST(Trust, ProgramsWithoutHloAreSaidOnce) {
  Recording recording = simulate({step_program()}, {.steps = 6});
  synth::strip_hlo_protos(recording);
  synth::strip_hlo_op(recording);
  const std::vector<Distrust> list = Whole(recording).trust();
  ASSERT_NE(entry_of(list, "hlo"), nullptr);
  EXPECT_EQ(entry_of(list, "unattributed-no-hlo"), nullptr);
  EXPECT_EQ(entry_of(list, "no-line"), nullptr);
}

TEST(Trust, DoubtfulAnswersAreCounted) {
  // Equal kernels in a graph without node ids, some of them lost: several answers fit.
  std::vector<synth::Node> nodes;
  for (int i = 0; i < 12; ++i) {
    nodes.push_back(fusion("k." + std::to_string(i), "x", at("train.py")));
  }
  Recording recording =
      simulate({small_program("jit_step", {graph(nodes)})}, {.steps = 8, .node_ids = false});
  EXPECT_EQ(entry_of(Whole(recording).trust(), "low-confidence"), nullptr);
  synth::drop_events(recording, 0.2, 5);
  synth::each_event(recording, [](DeviceEvent& event) { event.duration_ps = 5 * kUs; });
  const std::vector<Distrust> list = Whole(recording).trust();
  const Distrust* const entry = entry_of(list, "low-confidence");
  ASSERT_NE(entry, nullptr);
  EXPECT_GT(*entry->share, 0);
  EXPECT_NE(entry->remedy.find("--check"), std::string::npos);
}

TEST(Trust, LinesThatAreNotTheInstructionsOwnAreCounted) {
  const auto list_of = [](const synth::Origin& b) {
    const auto program =
        small_program("jit_step", {fusion("a", "", at("train.py")), fusion("b", "", b)});
    return Whole(simulate({program}, {.steps = 6})).trust();
  };
  const std::vector<Distrust> own = list_of(at("train.py"));
  for (const char* code : {"inherited-line", "no-line", "library-line"}) {
    EXPECT_EQ(entry_of(own, code), nullptr) << code;
  }
  const std::vector<Distrust> none = list_of({});
  EXPECT_TRUE(entry_of(none, "inherited-line") != nullptr || entry_of(none, "no-line") != nullptr);
  const std::vector<Distrust> library = list_of(at("/usr/lib/python3/site-packages/flax/linen.py"));
  ASSERT_NE(entry_of(library, "library-line"), nullptr);
  EXPECT_EQ(entry_of(library, "library-line")->count, 6);
}

TEST(Trust, WhatTheRooflineLeavesOutIsAShare) {
  const auto program =
      small_program("jit_step", {fusion("a"), gemm("dot.1"), synth::custom("call.1", "mine")});
  const Whole whole(simulate({program}, {.steps = 6}));
  const std::vector<Distrust> list = whole.trust();
  const Distrust* const entry = entry_of(list, "not-rooflined");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->gravity, Gravity::partial);
  EXPECT_NEAR(*entry->share,
              1 - static_cast<double>(whole.roofline.rooflined.count()) /
                      static_cast<double>(whole.roofline.all.count()),
              1e-12);
  EXPECT_EQ(entry_of(cannot_trust(whole.in(), whole.checks, nullptr), "not-rooflined"), nullptr)
      << "without a roofline nothing is said of it";
}

TEST(Trust, IdleTimeThatNothingExplainsIsAShare) {
  Recording recording =
      world::run({.steps = 11, .kernel = 10 * kUs, .sync = true, .python = 900 * kUs}).recording;
  EXPECT_EQ(entry_of(Whole(recording).trust(), "unexplained-idle"), nullptr);
  // One kernel in ten lost its launch: the gap before it has no cause.
  std::size_t count = 0;
  synth::each_event(recording, [&](DeviceEvent& event) {
    if (count++ % 40 == 0) event.correlation = 0;
  });
  const std::vector<Distrust> list = Whole(recording).trust();
  ASSERT_NE(entry_of(list, "unexplained-idle"), nullptr);
  EXPECT_EQ(entry_of(list, "unexplained-idle")->share_of, "the steady window");
}

TEST(Trust, AVerdictThatIsNotSureSaysWhy) {
  const std::vector<Distrust> list = Whole(world::run({.steps = 4}).recording).trust();
  const Distrust* const verdict = entry_of(list, "verdict");
  ASSERT_NE(verdict, nullptr);
  EXPECT_NE(verdict->reason.find("steps were kept"), std::string::npos) << verdict->reason;
  EXPECT_EQ(verdict->reason.find("check "), std::string::npos) << "checks stand by themselves";
}

TEST(Advice, KnowsEveryCheckAndEveryWarningOfACapture) {
  const Whole whole(world::run(steady()).recording);
  for (const CheckResult& check : whole.checks) {
    if (check.id == "complete") continue;
    EXPECT_EQ(advice_on(check.id).code, check.id);
  }
  const std::string page =
      read_file(std::filesystem::path(JAXTRACE_SOURCE_DIR) / "docs" / "formats.md");
  const std::size_t begin = page.find("### Warnings: something is missing");
  const std::size_t end = page.find("### Notes");
  std::size_t known = 0;
  for (std::size_t i = page.find("\n#### `", begin); i < end; i = page.find("\n#### `", i + 1)) {
    const std::size_t from = i + 7;
    const std::string code = page.substr(from, page.find('`', from) - from);
    known += advice_on(code).code == code ? 1 : 0;
  }
  EXPECT_GE(known, 20u) << "the others are of thread traces, counters and tables";
  EXPECT_FALSE(advice_on("never-heard-of").remedy.empty());
}

TEST(Advice, IsExplainedForEveryCheckAndShare) {
  const std::filesystem::path docs = std::filesystem::path(JAXTRACE_SOURCE_DIR) / "docs";
  const std::string page = read_file(docs / "investigate.md");
  const Whole whole(world::run(steady()).recording);
  for (const CheckResult& check : whole.checks) {
    EXPECT_NE(page.find('`' + check.id + '`'), std::string::npos) << check.id;
  }
  for (const char* code : {"unattributed-<rule>", "low-confidence", "no-line", "inherited-line",
                           "library-line", "not-rooflined", "no-peaks", "guessed-instances",
                           "estimated-cost", "open-precision", "unjoined", "unclassified",
                           "unexplained-idle", "unnamed-host-time", "cut-host-events", "verdict"}) {
    EXPECT_NE(page.find('`' + std::string(code) + '`'), std::string::npos) << code;
    if (code != std::string_view("unattributed-<rule>")) {
      EXPECT_EQ(advice_on(code).code, code);
    }
  }
}

TEST(Advice, IsThatOfTheVendor) {
  World world = steady();
  const Whole cuda(world::run(world).recording);
  world.style = synth::Style::rocm;
  const Whole rocm(world::run(world).recording);
  EXPECT_EQ(remedy_for(advice_on("occupancy"), cuda.trace), "use `ncu --section Occupancy`");
  EXPECT_NE(remedy_for(advice_on("occupancy"), rocm.trace).find("rocprofv3"),
            std::string_view::npos);
}

/// What holds of every list.
void expect_well_formed(const std::vector<Distrust>& list) {
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Distrust& entry = list[i];
    SCOPED_TRACE(entry.code);
    EXPECT_TRUE(seen.insert({entry.code, entry.reason}).second) << "twice";
    EXPECT_FALSE(entry.affects.empty());
    EXPECT_FALSE(entry.reason.empty());
    EXPECT_FALSE(entry.remedy.empty());
    if (entry.share) {
      EXPECT_GT(*entry.share, 0);
      EXPECT_LE(*entry.share, 1);
    }
    EXPECT_EQ(entry.share.has_value(), !entry.share_of.empty());
    EXPECT_GE(entry.count.value_or(0), 0);
    if (i == 0) continue;
    const auto key = [](const Distrust& e) {
      return std::tuple(e.gravity, -e.share.value_or(-1), e.code, e.reason);
    };
    EXPECT_LT(key(list[i - 1]), key(entry));
  }
}

TEST(Trust, HoldsTogetherOnAnyWorldAndAnyDamage) {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    Recording recording = world::run(world::random_world(seed).world).recording;
    expect_well_formed(Whole(recording).trust());
    switch (seed % 6) {
      case 0:
        synth::drop_events(recording, 0.3, seed);
        break;
      case 1:
        synth::strip_host_events(recording);
        break;
      case 2:
        synth::strip_correlation_ids(recording);
        break;
      case 3:
        synth::strip_annotations(recording);
        break;
      case 4:
        synth::strip_hlo_protos(recording);
        break;
      default:
        for (synth::Device& device : recording.devices) {
          for (synth::DeviceLine& line : device.lines) line.events.clear();
        }
    }
    const Whole damaged(recording);
    expect_well_formed(damaged.trust());
    EXPECT_LE(damaged.captures().size(), 8u);
  }
}

}  // namespace
}  // namespace jaxtrace
