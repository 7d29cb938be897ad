// What a reader takes from an xplane file, one rule of the format a test: events and their stats.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "jaxtrace/readers.h"
#include "readers/gpu_capture.h"
#include "support/capture.h"
#include "support/program.h"

namespace jaxtrace {
namespace {

// One kernel on a GPU, its host call, one program, the session: the smallest whole capture.
constexpr const char* kCapture = R"pb(
  planes {
    id: 7
    name: "/device:GPU:1"
    lines {
      id: 17
      name: "Stream #17(Compute)"
      timestamp_ns: 1000
      events {
        metadata_id: 1
        offset_ps: 500
        duration_ps: 2000
        stats { metadata_id: 1 uint64_value: 42 }
        stats { metadata_id: 2 ref_value: 20 }
        stats { metadata_id: 3 ref_value: 21 }
        stats { metadata_id: 4 int64_value: 15 }
        stats { metadata_id: 5 str_value: "dot_general" }
        stats { metadata_id: 6 ref_value: 22 }
        stats { metadata_id: 7 uint64_value: 9 }
        stats { metadata_id: 8 uint64_value: 3 }
      }
    }
    event_metadata {
      key: 1
      value { id: 1 name: "loop_fusion_1" display_name: "shown" }
    }
    stat_metadata {
      key: 1
      value { id: 1 name: "correlation_id" }
    }
    stat_metadata {
      key: 2
      value { id: 2 name: "hlo_op" }
    }
    stat_metadata {
      key: 3
      value { id: 3 name: "hlo_module" }
    }
    stat_metadata {
      key: 4
      value { id: 4 name: "program_id" }
    }
    stat_metadata {
      key: 5
      value { id: 5 name: "name" }
    }
    stat_metadata {
      key: 6
      value { id: 6 name: "kernel_details" }
    }
    stat_metadata {
      key: 7
      value { id: 7 name: "cuda_graph_id" }
    }
    stat_metadata {
      key: 8
      value { id: 8 name: "cuda_graph_node_id" }
    }
    stat_metadata {
      key: 9
      value { id: 9 name: "core_count" }
    }
    stat_metadata {
      key: 10
      value { id: 10 name: "device_vendor" }
    }
    stat_metadata {
      key: 20
      value { id: 20 name: "loop_fusion.1" }
    }
    stat_metadata {
      key: 21
      value { id: 21 name: "jit_step" }
    }
    stat_metadata {
      key: 22
      value { id: 22 name: "regs:32 grid:4,2,1 block:128,1,1 occ_pct:50" }
    }
    stats { metadata_id: 9 int64_value: 132 }
    stats { metadata_id: 10 str_value: "Nvidia" }
  }
  planes {
    id: 3
    name: "/host:CPU"
    lines {
      id: -5
      name: "python"
      timestamp_ns: 900
      events {
        metadata_id: 2
        duration_ps: 7000000
        stats { metadata_id: 1 int64_value: 4 }
        stats { metadata_id: 3 str_value: "(null)" }
      }
      events {
        metadata_id: 1
        offset_ps: 10
        stats { metadata_id: 2 uint64_value: 42 }
      }
    }
    event_metadata {
      key: 1
      value { id: 1 name: "cuLaunchKernel" }
    }
    event_metadata {
      key: 2
      value { id: 2 name: "train" }
    }
    stat_metadata {
      key: 1
      value { id: 1 name: "step_num" }
    }
    stat_metadata {
      key: 2
      value { id: 2 name: "correlation_id" }
    }
    stat_metadata {
      key: 3
      value { id: 3 name: "tf_op" }
    }
  }
  planes {
    name: "/host:metadata"
    event_metadata {
      key: 15
      value {
        id: 15
        name: "jit_step(15)"
        stats { metadata_id: 1 bytes_value: "hlo" }
      }
    }
    stat_metadata {
      key: 1
      value { id: 1 name: "Hlo Proto" }
    }
  }
  planes {
    name: "Task Environment"
    stat_metadata {
      key: 1
      value { id: 1 name: "profile_start_time" }
    }
    stat_metadata {
      key: 2
      value { id: 2 name: "profile_stop_time" }
    }
    stats { metadata_id: 1 uint64_value: 1700000000000000000 }
    stats { metadata_id: 2 uint64_value: 1700000001000000000 }
  }
)pb";

TEST(Xplane, ReadsTheSmallestWholeCapture) {
  const Trace trace = read_text(kCapture);
  ASSERT_EQ(trace.device_events, 1U);
  ASSERT_EQ(trace.events.size(), 3U);
  EXPECT_EQ(trace.events.begin[0].count(), 1'000'500);
  EXPECT_EQ(trace.events.duration[0].count(), 2000);
  EXPECT_EQ(trace.strings[trace.events.name[0]], "loop_fusion_1");
  EXPECT_EQ(trace.events.correlation[0], 42U);
  EXPECT_EQ(trace.events.graph_node[0], 3U);
  const Annotation& a = annotation(trace, 0);
  EXPECT_EQ(trace.strings[a.hlo_op], "loop_fusion.1");
  EXPECT_EQ(trace.strings[a.hlo_module], "jit_step");
  EXPECT_EQ(trace.strings[a.op_name], "dot_general");
  EXPECT_EQ(a.program_id, 15);
  EXPECT_EQ(a.graph_id, 9U);
  EXPECT_EQ(details(trace, 0).grid[0], 4U);
  EXPECT_EQ(details(trace, 0).registers, 32U);

  ASSERT_EQ(trace.devices.size(), 1U);
  EXPECT_EQ(trace.devices[0].ordinal, 1);  // By the name, not by the id 7.
  EXPECT_EQ(trace.devices[0].compute_units, 132);
  EXPECT_EQ(trace.strings[trace.devices[0].vendor], "Nvidia");

  // Host events: by begin, the longer first; "(null)" is nothing; step_num is kept.
  EXPECT_EQ(trace.strings[trace.events.name[1]], "train");
  EXPECT_EQ(trace.events.annotation[1], AnnotationId::none);
  EXPECT_EQ(trace.events.correlation[2], 42U);
  ASSERT_EQ(trace.stats.size(), 1U);
  EXPECT_EQ(trace.stats[0].event, 1U);
  EXPECT_EQ(trace.stats[0].value, 4);
  EXPECT_EQ(trace.lanes[1].id, -5);

  ASSERT_EQ(trace.modules.size(), 1U);
  EXPECT_EQ(trace.strings[trace.modules[0].name], "jit_step");
  EXPECT_EQ(trace.modules[0].program_id, 15);
  EXPECT_EQ(trace.modules[0].hlo_proto, "hlo");
  EXPECT_EQ(trace.strings[trace.hosts[0].name], "host0");
  EXPECT_EQ(trace.hosts[0].profile_start_ns, 1700000000000000000);
  EXPECT_EQ(trace.hosts[0].origin_ns, 0);
  EXPECT_TRUE(trace.findings.empty());
}

TEST(Xplane, TheOrderInTheFileDoesNotMatter) {
  const pb::XSpace space = space_of(kCapture);
  const std::string expected = render(read_space(space));
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    EXPECT_EQ(render(read_space(shuffled(space, seed))), expected) << "seed " << seed;
  }
}

TEST(Xplane, LaterTimesShiftBeginsAndNothingElse) {
  const pb::XSpace space = space_of(kCapture);
  const Trace early = read_space(space);
  const Trace late = read_space(shifted(space, 123'456'789));
  ASSERT_EQ(late.events.size(), early.events.size());
  for (std::size_t i = 0; i < early.events.size(); ++i) {
    EXPECT_EQ(late.events.begin[i] - early.events.begin[i], Picoseconds{123'456'789'000});
  }
  EXPECT_EQ(late.events.duration, early.events.duration);
  EXPECT_EQ(late.events.correlation, early.events.correlation);
}

TEST(Xplane, StatsAreReadWhateverTheirType) {
  for (const char* value : {"int64_value: 7", "uint64_value: 7", "str_value: '7'",
                            "double_value: 7.0", "bytes_value: '7'"}) {
    const Trace trace =
        read_event(std::string("stats { metadata_id: 1 ") + value + "} stats { metadata_id: 2 " +
                   value + "} stats { metadata_id: 3 " + value + "}");
    EXPECT_EQ(trace.events.correlation[0], 7U) << value;
    EXPECT_EQ(trace.strings[annotation(trace, 0).hlo_op], "7") << value;
    EXPECT_EQ(annotation(trace, 0).program_id, 7) << value;
  }
}

TEST(Xplane, ANumberThatIsNoneIsAbsent) {
  const Trace trace = read_event(
      "stats { metadata_id: 1 str_value: '7x' } stats { metadata_id: 3 double_value: 7.5 }");
  EXPECT_EQ(trace.events.correlation[0], 0U);
  EXPECT_EQ(annotation(trace, 0).program_id, kNoProgram);
}

TEST(Xplane, IdsUseAll64Bits) {
  const Trace trace = read_event(
      "stats { metadata_id: 1 uint64_value: 18446744073709551615 } "
      "stats { metadata_id: 3 int64_value: -2 }");
  EXPECT_EQ(trace.events.correlation[0], 18446744073709551615U);
  EXPECT_EQ(annotation(trace, 0).program_id, -2);
}

TEST(Xplane, CompressedTextIsInflated) {
  const std::string plain = "grid:8,1,1 block:64,1,1";
  std::array<Bytef, 256> packed{};
  uLongf size = packed.size();
  ASSERT_EQ(
      compress(packed.data(), &size, reinterpret_cast<const Bytef*>(plain.data()), plain.size()),
      Z_OK);
  pb::XSpace space = space_of(kCapture);
  pb::XStat& stat = *space.mutable_planes(0)->mutable_lines(0)->mutable_events(0)->add_stats();
  stat.set_metadata_id(6);
  stat.set_compressed_str_value(packed.data(), size);
  EXPECT_EQ(details(read_space(space), 0).grid[0], 8U);
}

TEST(Xplane, NullTextsAndDanglingReferencesAreAbsent) {
  for (const char* value : {"str_value: '(null)'", "ref_value: 6", "ref_value: 99"}) {
    const Trace trace = read_event(std::string("stats { metadata_id: 2 ") + value + "}");
    EXPECT_EQ(trace.events.annotation[0], AnnotationId::none) << value;
  }
}

TEST(Xplane, OfNestedOpsTheInnermostCounts) {
  const Trace trace = read_event("stats { metadata_id: 2 str_value: 'call.1::while::dot.3' }");
  EXPECT_EQ(trace.strings[annotation(trace, 0).hlo_op], "dot.3");
}

TEST(Xplane, StatsOfTheMetadataHoldForItsEvents) {
  const Trace trace = read_gpu(
      "event_metadata { key: 2 value { name: 'm' stats { metadata_id: 2 str_value: 'dot.1' } "
      "stats { metadata_id: 3 int64_value: 5 } } } lines { name: 'Stream #1' "
      "events { metadata_id: 2 } "
      "events { offset_ps: 9 metadata_id: 2 stats { metadata_id: 2 str_value: 'dot.2' } } }");
  EXPECT_EQ(trace.strings[annotation(trace, 0).hlo_op], "dot.1");
  EXPECT_EQ(trace.strings[annotation(trace, 1).hlo_op], "dot.2");
  EXPECT_EQ(annotation(trace, 1).program_id, 5);
}

TEST(Xplane, EventsWithOneEndingAreDescribedAlike) {
  const auto event = [](int correlation, const char* more) {
    return "events { metadata_id: 1 stats { metadata_id: 1 int64_value: " +
           std::to_string(correlation) +
           " } stats { metadata_id: 5 str_value: 'grid:3,1,1' } "
           "stats { metadata_id: 2 str_value: 'dot.1' } " +
           more + " } ";
  };
  // The same ending four times, once with another field in it, once with another op in another
  // lane.
  const Trace trace = read_gpu(
      "lines { name: 'Stream #1' " + event(1, "") + event(2, "") + event(3, "num_occurrences: 2") +
      event(4, "stats { metadata_id: 3 int64_value: 8 }") + event(5, "") +
      "} lines { name: 'Stream #2' " + event(6, "stats { metadata_id: 2 str_value: 'dot.2' }") +
      event(7, "") + "}");
  ASSERT_EQ(trace.device_events, 7U);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(trace.events.correlation[i], i + 1);
    EXPECT_EQ(details(trace, i).grid[0], 3U);
    EXPECT_EQ(trace.strings[annotation(trace, i).hlo_op], i == 5 ? "dot.2" : "dot.1");
    EXPECT_EQ(annotation(trace, i).program_id, i == 3 ? 8 : kNoProgram);
  }
  EXPECT_EQ(finding(trace, "aggregated-event")->count, 1U);
}

}  // namespace
}  // namespace jaxtrace
