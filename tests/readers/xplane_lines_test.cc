// The same for planes, lines and times.
#include <gtest/gtest.h>

#include <string>

#include "jaxtrace/readers.h"
#include "readers/gpu_capture.h"
#include "support/capture.h"

namespace jaxtrace {
namespace {

TEST(Xplane, OnlyStreamsAreWork) {
  const Trace trace = read_gpu(
      "lines { name: 'XLA Ops' events { metadata_id: 1 } } "
      "lines { name: 'Steps' events { metadata_id: 1 } events { metadata_id: 1 } } "
      "lines { name: '_counters_' events { metadata_id: 1 } } "
      "lines { name: 'CUPTI overhead' events { metadata_id: 1 } } "
      "lines { name: 'XLA Ops - from #7' events { metadata_id: 1 } } "
      "lines { name: 'Stream #7' events { metadata_id: 1 } }");
  EXPECT_EQ(trace.events.size(), 1U);
  ASSERT_NE(finding(trace, "derived-line-left-out"), nullptr);
  ASSERT_NE(finding(trace, "line-left-out"), nullptr);
  EXPECT_EQ(finding(trace, "line-left-out")->severity, Severity::note);
}

TEST(Xplane, WithoutStreamsTheOpsLineIsRead) {
  const Trace trace = read_gpu(
      "lines { name: 'XLA Ops' events { metadata_id: 1 } } "
      "lines { name: 'XLA Modules' events { metadata_id: 1 } }");
  ASSERT_EQ(trace.device_events, 1U);
  EXPECT_EQ(trace.strings[annotation(trace, 0).hlo_op], "k");
  EXPECT_NE(finding(trace, "derived-line-read"), nullptr);
}

TEST(Xplane, LinesOfOneIdAndNameAreOneLane) {
  const Trace trace = read_gpu(
      "lines { id: 7 name: 'Stream #7' events { metadata_id: 1 offset_ps: 5 } } "
      "lines { id: 7 name: 'Stream #7' events { metadata_id: 1 offset_ps: 3 } }");
  ASSERT_EQ(trace.lanes.size(), 1U);
  EXPECT_EQ(trace.lanes[0].count, 2U);
  EXPECT_EQ(trace.events.begin[0].count(), 3);
}

TEST(Xplane, HostPlanesThatWereNotMergedAreRead) {
  const Trace trace = read_gpu("lines { name: 'Stream #1' events { metadata_id: 1 } }", R"pb(
    planes {
      name: "/host:CUPTI"
      lines {
        name: "Host Threads/1"
        events { metadata_id: 1 }
      }
      event_metadata {
        key: 1
        value { name: "api" }
      }
    }
    planes {
      name: "/host:python-tracer"
      lines {
        name: "python"
        events { metadata_id: 1 }
      }
      event_metadata {
        key: 1
        value { name: "call" }
      }
    }
    planes {
      name: "/host:__ScopeRangeCallStack__"
      stats { metadata_id: 4 int64_value: 3 }
    }
  )pb");
  EXPECT_EQ(trace.lanes.size(), 3U);
  EXPECT_EQ(trace.events.size(), 3U);
}

TEST(Xplane, EpochTimesBecomeSessionTimes) {
  const Trace trace = read_gpu(
      "lines { name: 'Stream #1' timestamp_ns: 1700000000000000900 "
      "events { metadata_id: 1 offset_ps: 5 } }",
      R"pb(planes {
             name: "Task Environment"
             stat_metadata {
               key: 1
               value { name: "profile_start_time" }
             }
             stats { metadata_id: 1 uint64_value: 1700000000000000000 }
           })pb");
  EXPECT_EQ(trace.events.begin[0].count(), 900'005);
  EXPECT_EQ(trace.hosts[0].origin_ns, 1700000000000000000);
  EXPECT_NE(finding(trace, "epoch-times"), nullptr);
}

TEST(Xplane, WithoutASessionTheFirstLineIsTheOrigin) {
  const Trace trace = read_gpu(
      "lines { id: 1 name: 'Stream #1' timestamp_ns: 1700000000000000900 "
      "events { metadata_id: 1 } } "
      "lines { id: 2 name: 'Stream #2' timestamp_ns: 1700000000000000100 "
      "events { metadata_id: 1 } }");
  EXPECT_EQ(trace.events.begin[0].count(), 800'000);
  EXPECT_EQ(trace.events.begin[1].count(), 0);
}

TEST(Xplane, ImpossibleTimesDoNotOverflow) {
  const Trace trace = read_gpu(
      "lines { name: 'Stream #1' timestamp_ns: 99000000000000000 "
      "events { metadata_id: 1 offset_ps: 9223372036854775807 duration_ps: 9223372036854775807 } "
      "events { metadata_id: 1 duration_ps: -9223372036854775808 } }");
  for (std::size_t i = 0; i < 2; ++i) {
    std::int64_t end = 0;
    EXPECT_FALSE(__builtin_add_overflow(trace.events.begin[i].count(),
                                        trace.events.duration[i].count(), &end));
  }
  ASSERT_NE(finding(trace, "time-out-of-range"), nullptr);
  EXPECT_EQ(finding(trace, "time-out-of-range")->count, 2U);
}

TEST(Xplane, NegativeDurationsStayAsTheyAre) {
  const Trace trace = read_gpu("lines { name: 'Stream #1' events { duration_ps: -12 } }");
  EXPECT_EQ(trace.events.duration[0].count(), -12);
  EXPECT_EQ(trace.strings[trace.events.name[0]], "?");  // And the name is missing.
  EXPECT_EQ(finding(trace, "event-without-name")->count, 1U);
}

TEST(Xplane, AggregatedEventsAreKeptAndSaid) {
  const Trace trace =
      read_gpu("lines { name: 'Stream #1' events { metadata_id: 1 num_occurrences: 5 } }");
  EXPECT_EQ(trace.device_events, 1U);
  EXPECT_NE(finding(trace, "aggregated-event"), nullptr);
}

TEST(Xplane, WhatTheProfilerSaysIsKept) {
  const Trace trace = read_gpu("lines { name: 'Stream #1' events { metadata_id: 1 } }", R"pb(
    errors: "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
    warnings: "Detected GPU events dropped on host: 5 events dropped because of memory"
    warnings: "Detected GPU events dropped on host: 5 events dropped because of memory"
    warnings: "just so you know"
  )pb");
  EXPECT_EQ(finding(trace, "profiler-error")->severity, Severity::error);
  EXPECT_EQ(finding(trace, "events-dropped")->severity, Severity::data_loss);
  EXPECT_EQ(finding(trace, "events-dropped")->count, 2U);
  EXPECT_EQ(finding(trace, "profiler-warning")->severity, Severity::note);
}

TEST(Xplane, NothingRecordedIsNotIdle) {
  const Trace trace = read_gpu("");
  EXPECT_EQ(trace.device_events, 0U);
  ASSERT_NE(finding(trace, "no-device-events"), nullptr);
  EXPECT_EQ(finding(trace, "no-device-events")->severity, Severity::data_loss);
}

TEST(Xplane, DevicesAreKnownByName) {
  const Trace trace = read_text(R"pb(
    planes { id: 0 name: "/device:GPU:10" }
    planes { id: 0 name: "/device:GPU:2" }
    planes { id: 1 name: "/device:GPU:x" }
    planes {
      id: 0
      name: "/device:GPU:2"
      lines {
        name: "Stream #1"
        events { duration_ps: 1 }
      }
    }
    planes { id: 5 name: "/device:CUSTOM:Megascale Trace" }
  )pb");
  ASSERT_EQ(trace.devices.size(), 2U);
  EXPECT_EQ(trace.devices[0].ordinal, 2);
  EXPECT_EQ(trace.devices[1].ordinal, 10);
  EXPECT_EQ(trace.lanes[0].device, DeviceId{0});
}

TEST(Xplane, ProgramIdsOfEveryWriter) {
  const auto id = [](const std::string& entry) {
    const Trace trace = read_text(
        "planes { name: '/device:GPU:0' } planes { name: '/host:metadata' "
        "stat_metadata { key: 1 value { name: 'HLO Proto' } } "
        "stat_metadata { key: 2 value { name: 'program_id' } } event_metadata {" +
        entry + "} }");
    return trace.modules.at(0).program_id;
  };
  EXPECT_EQ(id("key: 3 value { name: 'jit_f(17)' stats { metadata_id: 2 int64_value: 9 } }"), 9);
  EXPECT_EQ(id("key: 3 value { name: 'jit_f(17)' }"), 17);
  EXPECT_EQ(id("key: 3 value { name: 'jit_f' }"), 3);
  EXPECT_EQ(id("value { id: 4 name: 'jit_f' }"), 4);
  // HloProto { hlo_module { id: 21 } }
  EXPECT_EQ(id(R"(value { name: 'jit_f' stats { metadata_id: 1 bytes_value: "\n\2(\025" } })"), 21);
  EXPECT_EQ(id("value { name: 'jit_f' }"), kNoProgram);
  EXPECT_EQ(id("key: 3 value { name: 'jit_f(18446744073709551615)' }"), -1);
}

}  // namespace
}  // namespace jaxtrace
