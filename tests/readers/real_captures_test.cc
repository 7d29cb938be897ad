// Captures that others recorded: counts found by decoding them with protobuf's own tools.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "jaxtrace/error.h"
#include "jaxtrace/readers.h"
#include "support/capture.h"

namespace jaxtrace {
namespace {

class RealCaptures : public testing::Test {
 protected:
  void SetUp() override {
    if (real_captures().empty()) GTEST_SKIP() << "left out: JAXTRACE_CAPTURES is not set";
  }
};

Trace read_real(const char* name) {
  return read_capture(real_captures() / name);
}

struct Counts {
  std::size_t device_events = 0;
  std::size_t with_op = 0;
  std::size_t with_details = 0;
  std::size_t with_correlation = 0;
};

Counts count(const Trace& trace) {
  Counts counts;
  counts.device_events = trace.device_events;
  for (std::size_t i = 0; i < trace.device_events; ++i) {
    const auto& annotation =
        trace.annotations[static_cast<std::size_t>(trace.events.annotation[i])];
    counts.with_op += annotation.hlo_op != StringId::empty ? 1 : 0;
    counts.with_details += trace.events.details[i] != DetailsId::none ? 1 : 0;
    counts.with_correlation += trace.events.correlation[i] != 0 ? 1 : 0;
  }
  return counts;
}

const Module* module_of(const Trace& trace, std::int64_t program_id) {
  const auto found = std::find_if(trace.modules.begin(), trace.modules.end(),
                                  [&](const Module& m) { return m.program_id == program_id; });
  return found == trace.modules.end() ? nullptr : &*found;
}

TEST_F(RealCaptures, ConvolutionOfJax08) {
  const Trace trace = read_real("jax-rocm/conv-mi300x-jax08");
  const Counts counts = count(trace);
  EXPECT_EQ(counts.device_events, 235U);
  EXPECT_EQ(counts.with_op, 198U);
  EXPECT_EQ(counts.with_details, 235U);
  EXPECT_EQ(counts.with_correlation, 235U);
  EXPECT_EQ(trace.events.size() - trace.device_events, 3415U);
  EXPECT_EQ(trace.devices.size(), 8U);
  EXPECT_EQ(trace.devices[0].compute_units, 304);
  EXPECT_EQ(trace.devices[0].bandwidth_bytes_per_s, 2662400000000);
  ASSERT_EQ(trace.modules.size(), 8U);
  const Module* const module = module_of(trace, 15);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(trace.strings[module->name], "jit_forward_3d_conv");
  EXPECT_EQ(module->hlo_proto.size(), 4029U);
  EXPECT_TRUE(trace.findings.empty());
}

TEST_F(RealCaptures, ConvolutionOfTheOldTracer) {
  const Trace trace = read_real("jax-rocm/conv-mi300x-legacy");
  const Counts counts = count(trace);
  EXPECT_EQ(counts.device_events, 78U);
  EXPECT_EQ(counts.with_op, 25U);
  EXPECT_EQ(counts.with_correlation, 78U);
  EXPECT_EQ(trace.events.size() - trace.device_events, 5946U);
  // The tracer wrote uninitialised memory as register counts.
  for (const Details& details : trace.details) EXPECT_FALSE(details.registers.has_value());
  // 53 copies of 655360 bytes, 25 kernels.
  const auto copies = std::count_if(
      trace.events.details.begin(), trace.events.details.begin() + 78, [&](DetailsId id) {
        const Details& details = trace.details[static_cast<std::size_t>(id)];
        return details.of == Details::Of::memcpy && details.bytes == 655360U;
      });
  EXPECT_EQ(copies, 53);
}

TEST_F(RealCaptures, AttentionOnOneOfEight) {
  const Trace trace = read_real("jax-rocm/te-attention-mi355x");
  const Counts counts = count(trace);
  EXPECT_EQ(counts.device_events, 150U);
  EXPECT_EQ(counts.with_op, 150U);
  EXPECT_EQ(trace.devices.size(), 8U);
  EXPECT_EQ(trace.strings[trace.devices[7].vendor], "AMD");
  EXPECT_FALSE(trace.devices[7].compute_units.has_value());
  ASSERT_EQ(trace.modules.size(), 9U);
  EXPECT_EQ(module_of(trace, 17)->hlo_proto.size(), 34684U);
}

TEST_F(RealCaptures, DerivedLinesAreNotCounted) {
  const Trace trace = read_real("tensorflow-cuda/GPU-multi-worker");
  EXPECT_EQ(count(trace).device_events, 1556U);
  EXPECT_EQ(count(trace).with_correlation, 1556U);
  EXPECT_TRUE(std::all_of(trace.lanes.begin(), trace.lanes.end(), [&](const Lane& lane) {
    return lane.kind == LaneKind::host || trace.strings[lane.name].starts_with("Stream #");
  }));
}

TEST_F(RealCaptures, TheNewestRunIsRead) {
  const Trace newest = read_real("xla-cuda");
  EXPECT_EQ(newest.modules.size(), 3U);
  ASSERT_EQ(newest.notes.size(), 1U);
  EXPECT_EQ(newest.notes[0], "Read run 2025_02_05_11_07_48; not read: 2025_02_05_11_05_24.");
  const Trace both = read_capture(real_captures() / "xla-cuda", {"2025*", {}});
  EXPECT_EQ(both.hosts.size(), 2U);
  EXPECT_EQ(both.device_events, 4U);
  EXPECT_EQ(both.modules.size(), 5U);
}

TEST_F(RealCaptures, OtherMachinesAreRefused) {
  const auto message = [](const char* name) {
    try {
      read_real(name);
    } catch (const InputError& error) {
      EXPECT_EQ(error.code(), ExitCode::input_unfit);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("other/tpu").find("is a TPU capture: no GPU plane, only /device:TPU:0"),
            std::string::npos);
  EXPECT_NE(message("other/xla-cpu").find("is a CPU capture: no GPU plane, only /host:CPU"),
            std::string::npos);
}

}  // namespace
}  // namespace jaxtrace
