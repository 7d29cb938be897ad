// TraceBuilder: rows come in any order and leave in one.
#include "jaxtrace/trace_builder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace jaxtrace {
namespace {

EventRow row(std::int64_t begin, std::int64_t duration, StringId name) {
  EventRow result;
  result.begin = Picoseconds{begin};
  result.duration = Picoseconds{duration};
  result.name = name;
  return result;
}

std::vector<std::string> names(const Trace& trace) {
  std::vector<std::string> result;
  for (const StringId id : trace.events.name) result.emplace_back(trace.strings[id]);
  return result;
}

using Names = std::vector<std::string>;

TEST(TraceBuilder, SortsHostsDevicesAndLanes) {
  TraceBuilder builder;
  const HostId b = builder.add_host("b", "b.xplane.pb");
  const HostId a = builder.add_host("a", "a.xplane.pb");
  Device device{};
  device.ordinal = 1;
  device.host = b;
  const DeviceId b1 = builder.add_device(device);
  device.ordinal = 0;
  const DeviceId b0 = builder.add_device(device);
  device.host = a;
  const DeviceId a0 = builder.add_device(device);
  builder.begin_lane({b, LaneKind::host, DeviceId::none, builder.intern("t"), 1});
  builder.add_event(row(1, 1, builder.intern("b thread")));
  builder.add_stat(builder.intern("step_num"), 8);
  builder.begin_lane({b, LaneKind::stream, b1, builder.intern("s"), 1});
  builder.add_event(row(1, 1, builder.intern("b1")));
  builder.begin_lane({b, LaneKind::stream, b0, builder.intern("s"), 1});
  builder.add_event(row(1, 1, builder.intern("b0")));
  builder.begin_lane({a, LaneKind::stream, a0, builder.intern("s"), 1});
  builder.add_event(row(1, 1, builder.intern("a0")));
  const Trace trace = std::move(builder).finish();

  EXPECT_EQ(trace.strings[trace.hosts[0].name], "a");
  EXPECT_EQ(names(trace), (Names{"a0", "b0", "b1", "b thread"}));
  EXPECT_EQ(trace.device_events, 3U);
  EXPECT_EQ(trace.lanes[2].device, DeviceId{2});
  EXPECT_EQ(trace.devices[2].host, HostId{1});
  ASSERT_EQ(trace.stats.size(), 1U);
  EXPECT_EQ(trace.stats[0].event, 3U);
}

TEST(TraceBuilder, SortsEventsAndTheirStats) {
  TraceBuilder builder;
  const HostId host = builder.add_host("h", "h");
  builder.begin_lane({host, LaneKind::host, DeviceId::none, builder.intern("t"), 1});
  const StringId key = builder.intern("step_num");
  builder.add_event(row(5, 1, builder.intern("late")));
  builder.add_stat(key, 3);
  builder.add_event(row(1, 1, builder.intern("short")));
  builder.add_event(row(1, 4, builder.intern("long")));
  builder.add_stat(key, 1);
  builder.add_stat(builder.intern("_r"), 2);
  builder.add_event(row(1, 1, builder.intern("shorter")));
  const Trace trace = std::move(builder).finish();
  EXPECT_EQ(names(trace), (Names{"long", "short", "shorter", "late"}));
  ASSERT_EQ(trace.stats.size(), 3U);
  EXPECT_EQ(trace.strings[trace.stats[0].key], "_r");
  EXPECT_EQ(trace.stats[1].event, 0U);
  EXPECT_EQ(trace.stats[2].event, 3U);
  EXPECT_EQ(trace.stats[2].value, 3);
}

TEST(TraceBuilder, EventsThatDifferOnlyInTheirStatsHaveAnOrder) {
  for (const bool swapped : {false, true}) {
    TraceBuilder builder;
    const HostId host = builder.add_host("h", "h");
    builder.begin_lane({host, LaneKind::host, DeviceId::none, builder.intern("t"), 1});
    for (const int value : swapped ? std::vector{2, 1} : std::vector{1, 2}) {
      builder.add_event(row(1, 1, builder.intern("step")));
      builder.add_stat(builder.intern("step_num"), value);
    }
    const Trace trace = std::move(builder).finish();
    EXPECT_EQ(trace.stats[0].value, 1);
    EXPECT_EQ(trace.stats[1].value, 2);
  }
}

TEST(TraceBuilder, MergesLanesThatAreOne) {
  TraceBuilder builder;
  const HostId host = builder.add_host("h", "h");
  for (const std::int64_t id : {7, 8, 7}) {
    builder.begin_lane({host, LaneKind::host, DeviceId::none, builder.intern("t"), id});
    builder.add_event(row(id, 1, builder.intern(std::to_string(id))));
  }
  const Trace trace = std::move(builder).finish();
  ASSERT_EQ(trace.lanes.size(), 2U);
  EXPECT_EQ(trace.lanes[0].count, 2U);
  EXPECT_EQ(trace.lanes[1].first, 2U);
  EXPECT_EQ(names(trace), (Names{"7", "7", "8"}));
}

TEST(TraceBuilder, KeepsOneCopyOfWhatRepeats) {
  TraceBuilder builder;
  Annotation annotation;
  EXPECT_EQ(builder.annotation(annotation), AnnotationId::none);
  annotation.program_id = 3;
  const AnnotationId id = builder.annotation(annotation);
  EXPECT_EQ(builder.annotation(annotation), id);
  annotation.graph_id = 1;
  EXPECT_NE(builder.annotation(annotation), id);
  const DetailsId kernel = builder.details(Details::Of::kernel, "grid:1,1,1");
  EXPECT_EQ(builder.details(Details::Of::kernel, "grid:1,1,1"), kernel);
  EXPECT_NE(builder.details(Details::Of::memset, "grid:1,1,1"), kernel);
  EXPECT_EQ(builder.details(Details::Of::kernel, ""), DetailsId::none);
}

TEST(TraceBuilder, NodeIdsAreAColumnOnlyIfThereAreAny) {
  for (const int with_node : {0, 1, 2}) {  // The event that has one; 0: none.
    TraceBuilder builder;
    const HostId host = builder.add_host("h", "h");
    builder.begin_lane({host, LaneKind::host, DeviceId::none, builder.intern("t"), 1});
    for (const int i : {1, 2}) {
      EventRow event = row(i, 1, builder.intern("e"));
      event.graph_node = i == with_node ? 77 : 0;
      builder.add_event(event);
    }
    const Trace trace = std::move(builder).finish();
    ASSERT_EQ(trace.events.graph_node.size(), with_node == 0 ? 0U : 2U);
    if (with_node != 0) {
      EXPECT_EQ(trace.events.graph_node[static_cast<std::size_t>(with_node - 1)], 77U);
      EXPECT_EQ(trace.events.graph_node[static_cast<std::size_t>(2 - with_node)], 0U);
    }
  }
}

TEST(TraceBuilder, CountsFindingsThatRepeat) {
  TraceBuilder builder;
  builder.note(Severity::note, "b", "said", "here");
  builder.note(Severity::note, "b", "said", "here", 4);
  builder.note(Severity::note, "b", "said", "there");
  builder.note(Severity::error, "z", "worse");
  const Trace trace = std::move(builder).finish();
  ASSERT_EQ(trace.findings.size(), 3U);
  EXPECT_EQ(trace.findings[0].code, "z");
  EXPECT_EQ(trace.findings[1].count, 5U);
}

TEST(TraceBuilder, AModuleListedTwiceIsOne) {
  TraceBuilder builder;
  const HostId host = builder.add_host("h", "h");
  for (const std::int64_t id : {9, 3, 9}) {
    builder.add_module({host, builder.intern("jit_f"), id, "hlo"});
  }
  const Trace trace = std::move(builder).finish();
  ASSERT_EQ(trace.modules.size(), 2U);
  EXPECT_EQ(trace.modules[0].program_id, 3);
}

}  // namespace
}  // namespace jaxtrace
