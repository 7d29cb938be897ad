// The swimlane: nothing is lost by merging, and both drawings can be read.
#include "commands/investigate/swimlane.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "commands/investigate/svg_check.h"
#include "support/capture.h"
#include "support/rows.h"
#include "support/world_random.h"
#include "support/write_xplane.h"

namespace jaxtrace {
namespace {

using rows::us;

struct Shown {
  Trace trace;
  SkipStats stats;
  AlignedCollectives collectives;
  CriticalPath path;
  Swimlane lanes;

  explicit Shown(Trace of) : trace(std::move(of)), stats(skip_stats(trace)) {
    collectives = align_collectives(trace, stats.works, stats.timelines, stats.steps);
    if (const auto step = shown_step(stats.steps)) {
      path = critical_path({trace, stats.works, stats.timelines, stats.steps}, collectives, *step,
                           stats.verdict.device);
      lanes = swimlane(trace, stats, collectives, path);
    }
  }
  explicit Shown(const std::string& rows) : Shown(rows::trace_of(rows)) {}

  const SwimLane& lane(const std::string& group, const std::string& label) const {
    const auto found = std::ranges::find_if(lanes.lanes, [&](const SwimLane& lane) {
      return lanes.groups[lane.group] == group && lane.label == label;
    });
    if (found == lanes.lanes.end()) throw std::runtime_error("no lane " + group + " " + label);
    return *found;
  }
};

Trace read(const world::World& world, const synth::WriteOptions& options = {}) {
  return read_bytes(synth::xspace_bytes(world::run(world).recording, options));
}

/// The demanding one: everything that can be in a drawing.
world::World world_of(int devices, int kernels = 60) {
  world::World world;
  world.devices = devices;
  world.kernels = kernels;
  world.steps = 5;
  world.collectives = devices > 1 ? 5 : 0;
  world.side_stream = true;
  world.copies = 2;
  world.copy = 40 * world::kUs;
  world.slow_percent = 10;
  world.sync = true;
  world.frames = true;
  world.input = 300 * world::kUs;
  return world;
}

Picoseconds sum_of(const SwimLane& lane) {
  Picoseconds sum{0};
  for (const Bar& bar : lane.bars) sum += bar.total;
  return sum;
}

std::size_t bars_of(const Swimlane& lanes) {
  std::size_t bars = 0;
  for (const SwimLane& lane : lanes.lanes) bars += lane.bars.size();
  return bars;
}

TEST(Swimlane, ShowsAStepWithAllThatIsInIt) {
  const Shown shown(R"(
      repeat 5 every 1000
        H python [-150,700) PjitFunction(f)
        H python [-140,-60) DevicePut
        C gpu0 s1 [0,500) op fusion.1 launch [-50,-45)
        M gpu0 s2 [500,600) op copy.2 launch [-40,-35)
      end)");
  const Swimlane& lanes = shown.lanes;
  EXPECT_EQ(lanes.title, "Step 2 of f, the median of 4 kept: 1.000 ms on GPU:0");
  EXPECT_EQ(lanes.step.length(), us(1000));
  EXPECT_LT(lanes.axis.begin, lanes.step.begin);
  const SwimLane& stream = shown.lane("GPU:0", "stream 1");
  ASSERT_GE(stream.bars.size(), 1u);
  EXPECT_EQ(stream.bars[0].label, "fusion.1");
  EXPECT_EQ(stream.bars[0].cls, BarClass::compute);
  EXPECT_EQ(stream.bars[0].total, us(500));
  EXPECT_EQ(shown.lane("GPU:0", "stream 2").bars[0].cls, BarClass::copy);
  // Before and after the work, the host is late and then the launch on its way.
  std::string idle;
  for (const Bar& bar : shown.lane("GPU:0", "idle").bars) idle += letter_of(bar.cls);
  EXPECT_EQ(idle, "hlhl");
  const SwimLane& calls = shown.lane("python", "outermost");
  EXPECT_EQ(calls.bars[0].label, "PjitFunction(f)");
  const SwimLane& innermost = shown.lane("python", "innermost");
  EXPECT_TRUE(std::ranges::any_of(innermost.bars, [](const Bar& bar) {
    return bar.label == "DevicePut" && bar.cls == BarClass::host_input;
  }));
  EXPECT_EQ(innermost.launches, 4u);  // This step's and the next one's
  // From the launch to the first kernel, which also ends the longest gap, and to the next step's.
  ASSERT_EQ(lanes.flows.size(), 2u);
  EXPECT_EQ(lanes.flows[0].to - lanes.flows[0].from, us(50));
}

TEST(Swimlane, SaysWhoEndsLastAndWhatItWaitedFor) {
  const Shown shown(R"(
      repeat 5 every 200
        H python [-50,110) PjitFunction(f)
        C gpu0 s1 [0,60) op fusion.1 launch [-20,-19)
        X gpu0 s1 [60,100) op all-reduce.2 launch [-18,-17)
        C gpu1 s2 [0,90) op fusion.1 launch [-16,-15)
        X gpu1 s2 [90,100) op all-reduce.2 launch [-14,-13)
      end)");
  ASSERT_EQ(shown.lanes.caption.size(), 2u);
  EXPECT_EQ(shown.lanes.caption[0],
            "GPU:1 ends last, with all-reduce.2, 100.0 µs before the next step; the others wait "
            "for GPU:1 at 1 collective, 30.00 µs in all.");
  EXPECT_EQ(shown.lanes.consists,
            "The critical path, by share of the step: compute 45.0 %, host late 42.0 %, launch "
            "path 8.0 %, collectives from the last arrival on 5.0 %.");
  EXPECT_EQ(shown.lanes.caption[1],
            "Its longest stretch of waiting: 84.00 µs of host late, before fusion.1; of it 50.0 % "
            "PjitFunction(f) "
            "on python.");
  ASSERT_EQ(shown.lanes.arrivals.size(), 1u);
  EXPECT_EQ(shown.lanes.arrivals[0].at, shown.lanes.step.begin + us(90));
  EXPECT_EQ(shown.lanes.arrivals[0].detail,
            "all-reduce.2: GPU:1 arrives last; the others wait 30 µs for it in all");
}

TEST(Swimlane, LosesNoTimeByMerging) {
  for (const int devices : {1, 2, 8}) {
    SCOPED_TRACE(devices);
    const Shown shown(read(world_of(devices, 600)));
    const Swimlane& lanes = shown.lanes;
    std::size_t gpus = 0;
    for (const SwimLane& lane : lanes.lanes) {
      for (const Bar& bar : lane.bars) {
        EXPECT_GE(bar.window.begin, lanes.axis.begin);
        EXPECT_LE(bar.window.end, lanes.axis.end);
        EXPECT_GE(bar.total, bar.longest);
        if (bar.events == 1) {
          EXPECT_EQ(bar.total, bar.window.length());
        }
      }
      if (lane.kind == SwimLane::Kind::path) {
        EXPECT_EQ(sum_of(lane), shown.path.window.length());
      }
      if (lane.kind != SwimLane::Kind::idle) continue;
      const Budget budget =
          sweep(shown.trace, shown.stats.works, shown.stats.timelines[gpus].order, lanes.axis);
      EXPECT_EQ(sum_of(lane), budget.idle);
      Picoseconds drawn{0}, work{0};
      std::uint64_t events = 0, there = 0;
      for (const SwimLane& other : lanes.lanes) {
        if (other.group != lane.group || &other == &lane) continue;
        drawn += sum_of(other);
        for (const Bar& bar : other.bars) events += bar.events;
      }
      for (const std::uint32_t event : shown.stats.timelines[gpus].order) {
        const Picoseconds begin = std::max(shown.trace.events.begin[event], lanes.axis.begin);
        const Picoseconds end = std::min(
            shown.trace.events.begin[event] + shown.trace.events.duration[event], lanes.axis.end);
        if (end <= begin) continue;
        work += end - begin;
        ++there;
      }
      EXPECT_EQ(drawn, work);
      EXPECT_EQ(events, there);
      ++gpus;
    }
    EXPECT_EQ(gpus, static_cast<std::size_t>(devices));
  }
}

TEST(Swimlane, GivesStreamsWithLittleWorkOneLane) {
  std::string rows = "C s1 [0,1000) name a\n";
  for (int stream = 2; stream < 12; ++stream) {
    rows += "C s" + std::to_string(stream) + " [" + std::to_string(stream * 10) + "," +
            std::to_string(stream * 10 + 5) + ") name b" + std::to_string(stream) + "\n";
  }
  const Shown shown(rows);
  const SwimLane& folded = shown.lane("GPU:0", "10 more, 4.8 %");
  EXPECT_EQ(folded.kind, SwimLane::Kind::folded);
  EXPECT_EQ(sum_of(folded), us(50));
  EXPECT_FALSE(shown.lanes.has_steps);
}

TEST(Swimlane, FindsAStepWithoutAMedian) {
  Steps steps;
  EXPECT_FALSE(shown_step(steps).has_value());
  const auto add = [&](double length, StepFate fate) {
    Step step;
    step.fate = fate;
    step.period = us(length);
    step.devices.emplace_back().window = Window{us(0), us(length)};
    steps.steps.push_back(step);
  };
  add(9, StepFate::first);
  EXPECT_EQ(shown_step(steps), 0u);
  add(5, StepFate::kept);
  add(7, StepFate::kept);
  add(8, StepFate::other_count);
  EXPECT_EQ(shown_step(steps), 2u);
  steps.median = 1;
  EXPECT_EQ(shown_step(steps), 1u);
}

// ---- The drawing

TEST(SwimlaneSvg, IsXmlWhoseTextsStandClear) {
  for (const int devices : {1, 2, 4, 8, 12}) {
    for (const int kernels : {30, 200}) {
      SCOPED_TRACE(testing::Message() << devices << " GPUs, " << kernels << " kernels");
      const XmlFile file = parse_xml(svg(Shown(read(world_of(devices, kernels))).lanes));
      ASSERT_EQ(file.problem, "");
      EXPECT_EQ(overlaps(file), std::vector<std::string>{});
      EXPECT_LE(std::stod(file.elements[0].attributes.at("height")), 1300);
      EXPECT_FALSE(std::ranges::any_of(file.elements,
                                       [](const XmlElement& e) { return e.name == "script"; }));
    }
  }
}

TEST(SwimlaneSvg, BearsNamesOfAnySort) {
  const std::string names[] = {"<b>&\"'",
                               "\x01\x02]]>",
                               "\xFF\xFE\xC0",
                               "\xEF\xBF\xBE\xEF\xBF\xBF",
                               std::string(20'000, 'x'),
                               "実行実行実行実行",
                               "a\nb"};
  for (const std::string& name : names) {
    Trace trace = rows::trace_of(R"(
        H python [-20,70) PjitFunction(f)
        C gpu0 s1 [0,60) name kernel op thing launch [-9,-8)
        X gpu0 s1 [60,100) op all-reduce.2
        C gpu1 s2 [0,90) name kernel op thing
        X gpu1 s2 [90,100) op all-reduce.2)");
    const StringId hostile = trace.strings.intern(name);
    for (StringId& of : trace.events.name) of = hostile;
    for (Annotation& annotation : trace.annotations) annotation.hlo_op = hostile;
    for (Lane& lane : trace.lanes) lane.name = hostile;
    const Shown shown(std::move(trace));
    const XmlFile file = parse_xml(svg(shown.lanes));
    EXPECT_EQ(file.problem, "") << name.substr(0, 20);
    EXPECT_EQ(overlaps(file), std::vector<std::string>{}) << name.substr(0, 20);
    for (const char c : ascii(shown.lanes)) EXPECT_TRUE(c == '\n' || c < 0 || c >= ' ');
  }
}

TEST(SwimlaneSvg, StaysSmallWhateverIsInIt) {
  const Shown shown(read(world_of(8, 1000)));
  EXPECT_GT(shown.lanes.events, 10'000u);
  EXPECT_LE(bars_of(shown.lanes), 4000u);
  EXPECT_LT(svg(shown.lanes).size(), 1'000'000u);
}

TEST(SwimlaneSvg, DependsOnNothingButTheEvents) {
  const world::World world = world_of(2, 80);
  const std::string drawn = svg(Shown(read(world)).lanes);
  EXPECT_EQ(drawn, svg(Shown(read(world)).lanes));
  EXPECT_EQ(drawn, svg(Shown(read(world, {.shuffle = 7})).lanes));
  EXPECT_EQ(drawn, svg(Shown(read(world, {.shift_ns = 123'456'789})).lanes));
}

TEST(SwimlaneSvg, IsNothingWithoutWork) {
  const Shown shown("C s1 [0,0) name a launch [0,5)");
  EXPECT_EQ(svg(shown.lanes), "");
  EXPECT_EQ(ascii(shown.lanes), "");
}

// ---- The text

TEST(SwimlaneAscii, HasALetterACell) {
  const Shown shown(R"(
      C gpu0 s1 [0,60) op fusion.1
      X gpu0 s1 [60,100) op all-reduce.2
      C gpu1 s2 [0,90) op fusion.1
      X gpu1 s2 [90,100) op all-reduce.2)");
  EXPECT_EQ(ascii(shown.lanes, 76),
            "                         |0 us                    |50\n"
            "critical path       .....CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCXXXXX.\n"
            "GPU:0 idle          ?????..................................................?\n"
            "GPU:0 stream 1      .....CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCXXXXXXXXXXXXXXXXXXXX.\n"
            "GPU:1 idle          ?????..................................................?\n"
            "GPU:1 stream 2      .....CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCXXXXX.\n"
            "C compute, X collective, ? unknown, . nothing; 2.000 µs a cell.\n");
}

TEST(SwimlaneAscii, FitsAScreen) {
  for (const int devices : {1, 2, 4, 8, 12}) {
    SCOPED_TRACE(devices);
    std::istringstream text(ascii(Shown(read(world_of(devices))).lanes));
    std::size_t lines = 0;
    for (std::string line; std::getline(text, line); ++lines) EXPECT_LE(width(line), 100u) << line;
    EXPECT_LE(lines, 30u);
    EXPECT_GE(lines, 5u);
  }
}

}  // namespace
}  // namespace jaxtrace
