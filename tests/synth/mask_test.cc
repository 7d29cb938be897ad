// Masks on a made-up capture: what they hide, and what they keep aside.
#include "support/mask.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "proto/xplane.pb.h"
#include "support/simulate.h"
#include "support/small_program.h"
#include "support/write_xplane.h"

namespace jaxtrace::synth {
namespace {

constexpr int kSteps = 3;

/// Three direct launches a step on each of two ROCm devices.
pb::XSpace three_kernels() {
  const Program program =
      small_program("jit_step", {fusion("a"), fusion("b"), gemm("g", {"Cijk_one"})});
  pb::XSpace space;
  space.ParseFromString(xspace_bytes(
      simulate({program}, {.style = Style::rocm, .devices = 2, .steps = kSteps, .graphs = false})));
  return space;
}

std::map<std::int64_t, std::string> names(const pb::XPlane& plane) {
  std::map<std::int64_t, std::string> out;
  for (const auto& entry : plane.stat_metadata()) out[entry.key()] = entry.value().name();
  return out;
}

/// Values of a stat over all events of the planes whose name begins so, with their counts.
std::map<std::string, int> values(const pb::XSpace& space, const std::string& planes,
                                  const std::string& key) {
  std::map<std::string, int> out;
  for (const auto& plane : space.planes()) {
    if (!plane.name().starts_with(planes)) continue;
    auto texts = names(plane);
    for (const auto& line : plane.lines()) {
      for (const auto& event : line.events()) {
        for (const auto& stat : event.stats()) {
          if (texts[stat.metadata_id()] != key) continue;
          const bool text = stat.value_case() == pb::XStat::kRefValue;
          ++out[text ? texts[static_cast<std::int64_t>(stat.ref_value())]
                     : std::to_string(stat.int64_value() +
                                      static_cast<std::int64_t>(stat.uint64_value()))];
        }
      }
    }
  }
  return out;
}

TEST(Mask, StripsWhatNamesAnInstruction) {
  pb::XSpace space = three_kernels();
  const auto truth = mask_capture(space, {.mask = Mask::strip});
  ASSERT_EQ(truth.size(), 2u * 3 * kSteps);
  EXPECT_EQ(truth[0].kernel, "a.kd");
  EXPECT_EQ(truth[0].hlo_op, "a");
  EXPECT_EQ(truth[2].hlo_op, "g");
  EXPECT_TRUE(values(space, "/", "hlo_op").empty()) << "neither on devices nor on the host";
  EXPECT_EQ(values(space, "/device", "program_id")["17"], 2 * 3 * kSteps) << "the program stays";
  EXPECT_EQ(values(space, "/device", "correlation_id").size(), 2u * 3 * kSteps);
}

TEST(Mask, TurnsExecutionsIntoGraphLaunches) {
  pb::XSpace space = three_kernels();
  const auto truth = mask_capture(space, {.mask = Mask::graph});
  ASSERT_EQ(truth.size(), 2u * 3 * kSteps);
  EXPECT_TRUE(truth[0].in_graph);
  EXPECT_EQ(values(space, "/device", "hlo_op"),
            (std::map<std::string, int>{{"command_buffer_1", 2 * 3 * kSteps}}));
  const auto on_devices = values(space, "/device", "correlation_id");
  EXPECT_EQ(on_devices.size(), 2u * kSteps) << "one id an execution";
  for (const auto& [id, count] : on_devices) EXPECT_EQ(count, 3) << id;
  const auto on_host = values(space, "/host", "correlation_id");
  ASSERT_EQ(on_host.size(), on_devices.size());
  for (const auto& [id, count] : on_host) {
    EXPECT_EQ(count, 1);
    EXPECT_TRUE(on_devices.contains(id));
  }
}

TEST(Mask, DropsBeforeItHides) {
  pb::XSpace space = three_kernels();
  const auto truth = mask_capture(space, {.mask = Mask::strip, .drop = 0.3, .seed = 2});
  EXPECT_LT(truth.size(), 2u * 3 * kSteps);
  EXPECT_GT(truth.size(), 4u);
  int left = 0;
  for (const auto& plane : space.planes()) {
    if (!plane.name().starts_with("/device")) continue;
    for (const auto& line : plane.lines()) left += line.events_size();
  }
  EXPECT_EQ(static_cast<std::size_t>(left), truth.size());
}

}  // namespace
}  // namespace jaxtrace::synth
