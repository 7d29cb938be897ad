// Single rules of what is written, on captures spelled out.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "export/written.h"
#include "jaxtrace/error.h"
#include "support/simulate.h"
#include "support/small_program.h"
#include "support/write_xplane.h"

namespace jaxtrace {
namespace {

using Words = std::vector<std::string>;

/// A graph of fusions a to d, in this order; `body` is what their op_names begin with.
synth::Program four_fusions() {
  std::vector<synth::Node> nodes;
  for (const char* name : {"a", "b", "c", "d"}) {
    nodes.push_back(synth::fusion(name, "", {.op_name = fmt::format("jit(f)/mlp/{}", name)}));
  }
  return synth::small_program("jit_f", {synth::graph(nodes)});
}

/// One execution of it: a capture whose device plane a test then changes.
pb::XSpace capture(synth::SimulationOptions options = {.steps = 1}) {
  return space_of_bytes(xspace_bytes(synth::simulate({four_fusions()}, options)));
}

pb::XPlane& device_plane(pb::XSpace& space) {
  for (pb::XPlane& plane : *space.mutable_planes()) {
    if (plane.name() == "/device:GPU:0") return plane;
  }
  throw std::runtime_error("no device plane");
}

std::int64_t number_of(pb::XPlane& plane, const std::string& name) {
  std::int64_t highest = 0;
  for (const auto& entry : plane.stat_metadata()) {
    if (entry.value().name() == name) return entry.key();
    highest = std::max(highest, entry.key());
  }
  auto& entry = *plane.add_stat_metadata();
  entry.set_key(highest + 1);
  entry.mutable_value()->set_id(highest + 1);
  entry.mutable_value()->set_name(name);
  return highest + 1;
}

void add_text(pb::XPlane& plane, pb::XEvent& event, const std::string& key,
              const std::string& value) {
  pb::XStat& stat = *event.add_stats();
  stat.set_metadata_id(number_of(plane, key));
  stat.set_str_value(value);
}

/// The line with the kernels.
pb::XLine& kernels(pb::XPlane& plane) {
  for (pb::XLine& line : *plane.mutable_lines()) {
    if (line.events_size() > 0) return line;
  }
  throw std::runtime_error("no events");
}

Words all_values(pb::XSpace space, const std::string& name) {
  const pb::XPlane& plane = device_plane(space);
  Words result;
  for (const pb::XLine& line : plane.lines()) {
    for (const pb::XEvent& event : line.events()) {
      const Words found = values(event, plane, name);
      EXPECT_LE(found.size(), 1U);
      result.push_back(found.empty() ? "" : found[0]);
    }
  }
  return result;
}

TEST(WriteXplaneCases, AKernelLooksAsIfTheTracerHadKnownIt) {
  pb::XSpace out = space_of_bytes(write_back(bytes_of(capture())).bytes);
  EXPECT_EQ(all_values(out, "hlo_op"), (Words{"a", "b", "c", "d"}));
  EXPECT_EQ(all_values(out, "name"),
            (Words{"jit(f)/mlp/a", "jit(f)/mlp/b", "jit(f)/mlp/c", "jit(f)/mlp/d"}));
  EXPECT_EQ(all_values(out, "hlo_module"), Words(4, "jit_f"));
  EXPECT_EQ(all_values(out, "program_id"), Words(4, "17"));
  EXPECT_EQ(all_values(out, "tf_op"), Words(4, "XlaModule:"));
  EXPECT_EQ(all_values(out, "jaxtrace_match"), Words(4, "name"));
  EXPECT_EQ(all_values(out, "jaxtrace_graph"), Words(4, "command_buffer_1"));
}

TEST(WriteXplaneCases, TypesAreTheTracers) {
  pb::XSpace in = capture();
  pb::XPlane& plane = device_plane(in);
  for (pb::XEvent& event : *kernels(plane).mutable_events()) {
    auto& stats = *event.mutable_stats();
    for (int i = stats.size(); i-- > 0;) {  // As on kernels that lost their annotation.
      const std::string name = stat_names(plane)[stats[i].metadata_id()];
      if (name == "tf_op" || name.starts_with("hlo_") || name == "program_id") {
        stats.DeleteSubrange(i, 1);
      }
    }
  }
  pb::XSpace out = space_of_bytes(write_back(bytes_of(in)).bytes);
  pb::XPlane& written = device_plane(out);
  Words order;
  for (const pb::XStat& stat : kernels(written).events(0).stats()) {
    const std::string name = stat_names(written)[stat.metadata_id()];
    order.push_back(name);
    if (name == "program_id") {
      EXPECT_EQ(stat.value_case(), pb::XStat::kInt64Value);
    }
    if (name == "jaxtrace_confidence") {
      EXPECT_EQ(stat.double_value(), 0.98);
    }
    if (name == "hlo_op" || name == "hlo_module" || name == "tf_op" || name == "name") {
      EXPECT_EQ(stat.value_case(), pb::XStat::kRefValue) << name;
    }
  }
  const Words added = {"jaxtrace_match", "jaxtrace_confidence", "tf_op",     "name",
                       "hlo_op",         "hlo_module",          "program_id"};
  ASSERT_GE(order.size(), added.size());
  EXPECT_EQ(Words(order.end() - std::ssize(added), order.end()), added);
}

TEST(WriteXplaneCases, APrefixThatTheTracerTookOffIsTakenOff) {
  pb::XSpace in = capture();
  pb::XPlane& plane = device_plane(in);
  const Words prefixes = {"jit(f)/mlp", "jit(f)", "jit(g)"};
  for (int i = 0; i < 3; ++i) {
    add_text(plane, *kernels(plane).mutable_events(i), "prefix",
             prefixes[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(all_values(space_of_bytes(write_back(bytes_of(in)).bytes), "name"),
            (Words{"a", "mlp/b", "jit(f)/mlp/c", "jit(f)/mlp/d"}));
}

TEST(WriteXplaneCases, TheNameOfTheGraphIsKeptAside) {
  pb::XSpace in = capture();
  pb::XPlane& plane = device_plane(in);
  add_text(plane, *kernels(plane).mutable_events(1), "name", "jit(f)/graph");
  const WrittenBack result = write_back(bytes_of(in));
  EXPECT_EQ(all_values(space_of_bytes(result.bytes), "name")[1], "jit(f)/mlp/b");
  EXPECT_EQ(all_values(space_of_bytes(result.bytes), "jaxtrace_graph_name"),
            (Words{"", "jit(f)/graph", "", ""}));
  EXPECT_EQ(write_back(result.bytes).bytes, result.bytes);
}

TEST(WriteXplaneCases, NeitherOrderNorStrangersNorSplitLinesShiftAnything) {
  pb::XSpace in = capture();
  pb::XPlane& plane = device_plane(in);
  pb::XLine& line = kernels(plane);
  // The kernels, last first, on two lines of one stream, with an allocation between them that
  // begins and ends as its neighbour does.
  std::reverse(line.mutable_events()->begin(), line.mutable_events()->end());
  pb::XLine other = line;
  line.mutable_events()->DeleteSubrange(0, 2);
  other.mutable_events()->DeleteSubrange(2, 2);
  pb::XEvent memory = line.events(0);
  memory.clear_stats();
  add_text(plane, memory, "memalloc_details", "kind:device num_bytes:4");
  const pb::XEvent last = line.events(1);
  line.mutable_events()->RemoveLast();
  *line.add_events() = memory;
  *line.add_events() = last;
  *plane.add_lines() = other;
  EXPECT_EQ(all_values(space_of_bytes(write_back(bytes_of(in)).bytes), "hlo_op"),
            (Words{"b", "", "a", "d", "c"}));
}

TEST(WriteXplaneCases, AnEventThatEndsInRubbishIsLeftAlone) {
  pb::XSpace in = capture();
  const pb::XEvent& event = kernels(device_plane(in)).events(2);
  const std::string bytes = event.SerializeAsString();
  const std::size_t stat = 2 + event.stats(event.stats_size() - 1).ByteSizeLong();
  std::string damaged = bytes_of(in);
  const std::size_t at = damaged.find(bytes) + bytes.size() - stat;
  ASSERT_EQ(damaged[at], '\x22') << "the tag of XEvent.stats";
  damaged[at] = '\x27';  // Of a wire type that there is not.
  const WrittenBack result = write_back(damaged);
  EXPECT_EQ(result.counts.added.events, 3);
  EXPECT_EQ(result.counts.damaged.events, 1);
  EXPECT_NE(result.bytes.find(damaged.substr(at + stat - bytes.size(), bytes.size())),
            std::string::npos);
}

TEST(WriteXplaneCases, NumbersOfNamesThatAreReferredToAreNotGivenOut) {
  pb::XSpace in = capture();
  pb::XPlane& plane = device_plane(in);
  auto& entry = *plane.add_stat_metadata();
  entry.set_key(std::numeric_limits<std::int64_t>::max());
  entry.mutable_value()->set_name("the last number there is");
  const WrittenBack result = write_back(bytes_of(in));
  pb::XSpace out = space_of_bytes(result.bytes);
  std::set<std::int64_t> keys;
  for (const auto& one : device_plane(out).stat_metadata()) {
    EXPECT_TRUE(keys.insert(one.key()).second) << one.key();
    EXPECT_GE(one.key(), 1);
  }
  EXPECT_EQ(all_values(out, "hlo_op"), (Words{"a", "b", "c", "d"}));
}

TEST(WriteXplaneCases, ACutFileIsClosedAndSaysSo) {
  const std::string whole = bytes_of(capture({.devices = 2, .steps = 2}));
  std::int64_t added = 0;
  for (std::size_t size = whole.size(); size-- > whole.size() / 3;) {
    if (size % 7 != 0 && size + 40 < whole.size()) continue;
    const std::string cut = whole.substr(0, size);
    WrittenBack result;
    try {
      result = write_back(cut);
    } catch (const InputError&) {
      continue;  // Nothing to read in it yet.
    }
    SCOPED_TRACE(size);
    const pb::XSpace out = space_of_bytes(result.bytes);
    added += result.counts.added.events;
    if (!result.counts.cut_at) {
      EXPECT_TRUE(pb::XSpace().ParseFromString(cut)) << "it ended where a plane ended";
      continue;
    }
    EXPECT_EQ(result.counts.cut_at, size);
    ASSERT_EQ(out.warnings_size(), 1);
    EXPECT_TRUE(out.warnings(0).starts_with("jaxtrace: ")) << out.warnings(0);

    WrittenBack again = write_back(result.bytes);
    EXPECT_EQ(again.bytes, result.bytes);
    EXPECT_TRUE(again.trace.hosts[0].partial);
    const auto no_findings = [](Trace& trace) { trace.findings.clear(); };
    no_findings(again.trace);
    no_findings(result.trace);
    EXPECT_EQ(render(again.trace), render(result.trace));
  }
  EXPECT_GT(added, 0);
}

TEST(WriteXplaneCases, NumbersOfNamesMayBeTheLargestThereAre) {
  pb::XSpace space = capture();
  pb::XPlane& plane = device_plane(space);
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t number : {kLargest - 1, kLargest, std::int64_t{1} << 62}) {
    auto& entry = *plane.add_stat_metadata();
    entry.set_key(number);
    entry.mutable_value()->set_id(number);
    entry.mutable_value()->set_name(fmt::format("far_{}", number));
  }
  const WrittenBack written = write_back(bytes_of(space));
  EXPECT_GT(written.counts.added.events, 0);
  pb::XSpace output = space_of_bytes(written.bytes);
  std::map<std::int64_t, std::string> names;
  for (const auto& entry : device_plane(output).stat_metadata()) {
    EXPECT_GT(entry.key(), 0);
    EXPECT_TRUE(names.emplace(entry.key(), entry.value().name()).second) << entry.key();
  }
}

}  // namespace
}  // namespace jaxtrace
