// What must hold of a capture that was written back, whatever it holds.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "export/written.h"
#include "support/mutate.h"
#include "support/simulate.h"
#include "support/small_program.h"
#include "support/write_xplane.h"

namespace jaxtrace {
namespace {

using synth::Random;
using synth::Recording;
using synth::Style;

constexpr std::uint64_t kSeeds = 24;

Recording random_recording(std::uint64_t seed) {
  Random random(seed, "programs");
  const synth::Program a = synth::small_program("jit_a", synth::random_nodes(random, 25));
  const synth::Program b =
      synth::small_program("jit_b", synth::random_nodes(random, 12), {.program_id = 19});
  return synth::simulate({a, b},
                         {.style = std::array{Style::cuda, Style::rocm, Style::roctracer}[seed % 3],
                          .devices = 1 + static_cast<int>(seed % 2),
                          .steps = 2,
                          .seed = seed,
                          .node_ids = seed % 4 < 2,
                          .most_trips = 3});
}

/// With losses, strangers among the events, lines of XProf and annotations taken away.
Recording damaged_recording(std::uint64_t seed) {
  Recording recording = random_recording(seed);
  drop_events(recording, 0.1, seed);
  add_foreign_copies(recording, 2, seed);
  add_memory_events(recording, 5, seed);
  if (seed % 2 == 0) strip_hlo_op(recording);
  if (seed % 5 == 0) strip_annotations(recording);
  if (seed % 7 == 0) strip_correlation_ids(recording);
  if (seed % 3 == 0) add_derived_lines(recording);
  return recording;
}

std::string damaged_bytes(std::uint64_t seed) {
  return xspace_bytes(damaged_recording(seed),
                      {.shuffle = seed % 2 == 0 ? 0 : seed, .old_metadata = seed % 3 == 1});
}

std::string seed_text(std::uint64_t seed) {
  return "seed " + std::to_string(seed);
}

void expect_input_inside(const std::string& input, const std::string& output) {
  const pb::XSpace before = space_of_bytes(input);
  pb::XSpace after = space_of_bytes(output);
  take_out(after, before);
  EXPECT_EQ(bytes_of(after), bytes_of(before));
}

TEST(WriteXplane, WhatWasAddedTakenOutIsTheInput) {
  std::int64_t added = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed_text(seed));
    const std::string input = damaged_bytes(seed);
    const WrittenBack result = write_back(input, seed % 2 == 0 ? 900 : 0);
    expect_input_inside(input, result.bytes);
    EXPECT_EQ(result.counts.damaged.events, 0);
    EXPECT_EQ(result.counts.before.events, 0);
    added += result.counts.added.events;
  }
  EXPECT_GT(added, 2'000);
}

TEST(WriteXplane, EveryEventThatQualifiesIsWrittenAndNoOther) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed_text(seed));
    const WrittenBack result = write_back(damaged_bytes(seed), 700);
    Amount expected;
    for (std::size_t i = 0; i < result.trace.device_events; ++i) {
      const Label& label = result.attribution.labels[result.attribution.label[i]];
      if (label.match == Match::exact || label.match == Match::none || label.confidence < 700) {
        continue;
      }
      expected.add({1, result.trace.events.duration[i].count()});
    }
    EXPECT_EQ(result.counts.added.events, expected.events);
    EXPECT_EQ(result.counts.added.total_ps, expected.total_ps);
  }
}

/// Device, line, start, duration, kernel → instruction, of every event that has one.
using Named = std::multiset<
    std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::string, std::string>>;

Named named_in(const pb::XSpace& space) {
  Named result;
  for (const pb::XPlane& plane : space.planes()) {
    if (!plane.name().starts_with("/device:GPU:")) continue;
    std::map<std::int64_t, std::string> kernels;
    for (const auto& entry : plane.event_metadata()) kernels[entry.key()] = entry.value().name();
    for (const pb::XLine& line : plane.lines()) {
      if (!line.name().starts_with("Stream #")) continue;
      for (const pb::XEvent& event : line.events()) {
        const auto ops = values(event, plane, "hlo_op");
        EXPECT_LE(ops.size(), 1U);
        if (ops.empty()) continue;
        result.emplace(plane.name(), line.id(), line.timestamp_ns() * 1000 + event.offset_ps(),
                       event.duration_ps(), kernels[event.metadata_id()], ops[0]);
      }
    }
  }
  return result;
}

TEST(WriteXplane, EachEventGetsItsOwnInstruction) {
  for (std::uint64_t seed = 1; seed <= 2 * kSeeds; ++seed) {
    SCOPED_TRACE(seed_text(seed));
    const Recording recording = random_recording(seed);
    const WrittenBack result =
        write_back(xspace_bytes(recording, {.shuffle = seed % 2 == 0 ? 0 : seed}), 0);
    Named truth;
    for (const synth::Device& device : recording.devices) {
      for (const synth::DeviceLine& line : device.lines) {
        for (const synth::DeviceEvent& event : line.events) {
          if (event.op == StringId::empty) continue;
          truth.emplace("/device:GPU:" + std::to_string(device.ordinal), line.id, event.start_ps,
                        event.duration_ps, std::string(recording.strings[event.kernel]),
                        std::string(recording.strings[event.op]));
        }
      }
    }
    EXPECT_EQ(named_in(space_of_bytes(result.bytes)), truth);
  }
}

TEST(WriteXplane, NothingToAddLeavesEveryByte) {
  const synth::Program program = synth::small_program(
      "jit_a", {synth::fusion("a"), synth::graph({synth::fusion("b"), synth::copy("c")})});
  const std::string direct = xspace_bytes(synth::simulate({program}, {.graphs = false}));
  const WrittenBack result = write_back(direct, 0);
  EXPECT_FALSE(result.counts.changed());
  EXPECT_EQ(result.bytes, direct);

  const std::string graphs = xspace_bytes(synth::simulate({program}, {}));
  EXPECT_GT(write_back(graphs).counts.added.events, 0);
  EXPECT_EQ(write_back(graphs, 1000).bytes, graphs);
}

TEST(WriteXplane, ItsOwnOutputIsReadAsTheInputAndWrittenAsItIs) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed_text(seed));
    const WrittenBack first = write_back(damaged_bytes(seed));
    WrittenBack second = write_back(first.bytes);
    EXPECT_EQ(second.counts.added.events, 0);
    EXPECT_EQ(second.counts.before.events, first.counts.added.events);
    EXPECT_EQ(second.bytes, first.bytes);
    std::erase_if(second.trace.findings,
                  [&](const Finding& finding) { return finding.code == "written-back"; });
    EXPECT_EQ(render(second.trace), render(first.trace));
  }
}

TEST(WriteXplane, ALowerConfidenceAddsTheRestLater) {
  std::int64_t later = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed_text(seed));
    const std::string input = damaged_bytes(seed);
    const WrittenBack at_once = write_back(input, 500);
    const WrittenBack first = write_back(input, 950);
    const WrittenBack second = write_back(first.bytes, 500);
    EXPECT_EQ(first.counts.added.events + second.counts.added.events, at_once.counts.added.events);
    EXPECT_EQ(named_in(space_of_bytes(second.bytes)), named_in(space_of_bytes(at_once.bytes)));
    expect_input_inside(input, second.bytes);
    later += second.counts.added.events;
  }
  EXPECT_GT(later, 0);
}

}  // namespace
}  // namespace jaxtrace
