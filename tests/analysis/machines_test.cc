// Which machine a device is, by what planes of real and other captures say.
#include "analysis/machines.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "jaxtrace/readers.h"
#include "jaxtrace/trace_builder.h"
#include "support/capture.h"

namespace jaxtrace {
namespace {

using hlo::Precision;

struct Plane {
  const char* vendor = "";
  const char* model = "";
  std::optional<std::int64_t> units, clock_khz, memory_bytes, bandwidth, major, minor;
};

Trace trace_of(const std::vector<Plane>& planes) {
  TraceBuilder builder;
  const HostId host = builder.add_host("host0", "host0.xplane.pb");
  int ordinal = 0;
  for (const Plane& plane : planes) {
    Device device{};
    device.host = host;
    device.ordinal = ordinal;
    device.plane = builder.intern("/device:GPU:" + std::to_string(ordinal++));
    device.vendor = builder.intern(plane.vendor);
    device.model = builder.intern(plane.model);
    device.compute_units = plane.units;
    device.clock_khz = plane.clock_khz;
    device.memory_bytes = plane.memory_bytes;
    device.bandwidth_bytes_per_s = plane.bandwidth;
    device.compute_capability_major = plane.major;
    device.compute_capability_minor = plane.minor;
    builder.add_device(device);
  }
  return std::move(builder).finish();
}

Recognised recognised(const Plane& plane) {
  const Trace trace = trace_of({plane});
  return recognise(trace, trace.devices.front());
}

std::string name_of(const Plane& plane) {
  const Recognised found = recognised(plane);
  return found.machine ? found.machine->name : "none: " + found.why_not;
}

// As conv-mi300x-jax08 says it; its bandwidth is half of the truth.
const Plane kMi300x{"AMD", "", 304, 2'100'000, 206'141'652'992, 2'662'400'000'000, 9, 4};
const Plane kMi355x{"AMD", "", 256, 2'400'000, 309'220'868'096, 4'096'000'000'000, 9, 5};
const Plane kH100{"Nvidia",       "NVIDIA H100 80GB HBM3", 132, 1'980'000,
                  84'929'347'584, 3'352'320'000'000,       9,   0};

TEST(Machines, AmdIsTakenByWhatTheDriverReports) {
  const Recognised mi300x = recognised(kMi300x);
  ASSERT_TRUE(mi300x.machine) << mi300x.why_not;
  EXPECT_EQ(mi300x.machine->name, "MI300X");
  EXPECT_EQ(mi300x.machine->bytes_per_s, 5'300'000'000'000) << "not what the plane says";
  EXPECT_EQ(mi300x.machine->peak(Precision::f16), 2048LL * 304 * 2'100'000'000);
  EXPECT_EQ(mi300x.machine->peak(Precision::f4), std::nullopt);
  EXPECT_FALSE(mi300x.machine->source.empty());

  Plane mi325x = kMi300x;
  mi325x.memory_bytes = 274'877'906'944;
  EXPECT_EQ(name_of(mi325x), "MI325X");
  EXPECT_EQ(name_of(kMi355x), "MI355X");
  Plane mi350x = kMi355x;
  mi350x.clock_khz = 2'200'000;
  EXPECT_EQ(name_of(mi350x), "MI350X");
  Plane gcd{"AMD", "", 110, 1'700'000, 68'702'699'520, 1'638'400'000'000, 9, 0};
  EXPECT_EQ(name_of(gcd), "MI250X GCD");
  EXPECT_EQ(recognised(gcd).machine->peak(Precision::f16), 1024LL * 110 * 1'700'000'000)
      << "half of the card's 383 TFLOP/s";
}

TEST(Machines, ATargetNameAloneIsNoMachine) {
  Plane named = kMi300x;
  named.model = "gfx942";
  EXPECT_EQ(name_of(named), "MI300X");
  EXPECT_EQ(name_of({"AMD", "gfx942", {}, {}, {}, {}, {}, {}}),
            "none: gfx942 is not in the table of machines");
}

TEST(Machines, PartitionsHaveTheirPart) {
  Plane part = kMi300x;
  part.units = 38;  // CPX
  const Recognised found = recognised(part);
  ASSERT_TRUE(found.machine) << found.why_not;
  EXPECT_EQ(found.machine->name, "MI300X, 38 of 304 CUs");
  EXPECT_EQ(found.machine->peak(Precision::f16), 2048LL * 38 * 2'100'000'000);
  EXPECT_NEAR(static_cast<double>(found.machine->bytes_per_s), 5.3e12 / 8, 1e6);
  part.memory_bytes = 51'539'607'552;  // NPS4
  EXPECT_EQ(name_of(part), "MI300X, 38 of 304 CUs");
  part.units = 37;
  EXPECT_TRUE(name_of(part).starts_with("none")) << name_of(part);
}

TEST(Machines, AmdPeaksFollowTheClock) {
  Plane slow = kMi300x;
  slow.clock_khz = 2'000'000;
  EXPECT_EQ(name_of(slow), "MI300X at 2000 MHz");
  EXPECT_EQ(recognised(slow).machine->peak(Precision::f16), 2048LL * 304 * 2'000'000'000);
}

TEST(Machines, NvidiaIsTakenByItsNameOrByItsNumbers) {
  EXPECT_EQ(name_of(kH100), "H100 SXM");
  Plane nameless = kH100;
  nameless.model = "";
  EXPECT_EQ(name_of(nameless), "H100 SXM");
  EXPECT_EQ(recognised(nameless).machine->peak(Precision::tf32), 494'700'000'000'000);
  nameless.memory_bytes = 150'754'820'096;
  nameless.bandwidth = 4'800'000'000'000;
  EXPECT_EQ(name_of(nameless), "H200 SXM");
  // PCIe and SXM differ in their memory's bandwidth alone.
  Plane a100{"Nvidia", "", 108, 1'410'000, 85'198'045'184, 2'039'000'000'000, 8, 0};
  EXPECT_EQ(name_of(a100), "A100 SXM 80GB");
  a100.bandwidth = 1'935'000'000'000;
  EXPECT_EQ(name_of(a100), "A100 PCIe 80GB");
  a100.bandwidth.reset();
  EXPECT_EQ(name_of(a100),
            "none: Nvidia device of compute capability 8.0 with 108 units may be A100 SXM 80GB or "
            "A100 PCIe 80GB");
}

TEST(Machines, ASliceOfAGpuIsNotTheGpu) {
  Plane mig = kH100;
  mig.model = "NVIDIA H100 80GB HBM3 MIG 1g.10gb";
  mig.units = 16;
  EXPECT_TRUE(name_of(mig).starts_with("none")) << name_of(mig);
}

TEST(Machines, WhatIsNotInTheTableHasNoPeaks) {
  EXPECT_EQ(name_of({"Nvidia", "NVIDIA GeForce GTX 1080 Ti", 28, 1'582'000, 11'707'547'648,
                     484'440'000'000, 6, 1}),
            "none: NVIDIA GeForce GTX 1080 Ti is not in the table of machines");
  EXPECT_EQ(name_of({}), "none: a device without a name is not in the table of machines");
}

TEST(Machines, AllUsedDevicesHaveToBeOne) {
  const Trace trace = trace_of({kMi300x, kMi300x, kMi355x, {}});
  const auto id = [](std::uint32_t n) { return DeviceId{n}; };
  EXPECT_EQ(recognise(trace, std::vector{id(0), id(1)}).machine->name, "MI300X");
  EXPECT_EQ(recognise(trace, std::vector{id(0), id(2)}).why_not,
            "the work ran on different machines, MI300X and MI355X");
  EXPECT_FALSE(recognise(trace, std::vector{id(0), id(3)}).machine);
  EXPECT_EQ(recognise(trace, std::vector<DeviceId>{}).why_not, "no device has work");
}

TEST(Machines, AnyOfThemCanBeChosenByName) {
  std::set<std::string> names;
  for (const std::string_view name : machine_names()) {
    const auto machine = machine_named(name);
    ASSERT_TRUE(machine) << name;
    EXPECT_TRUE(names.insert(machine->name).second) << name << " is there twice";
    EXPECT_GT(machine->bytes_per_s, 0) << name;
    EXPECT_FALSE(machine->source.empty()) << name;
    // A matrix unit is never slower than the vector unit beside it, and narrower types never slower
    // than wider ones.
    EXPECT_GE(machine->peak(Precision::f64), machine->peak(Precision::f64_vector)) << name;
    EXPECT_GE(machine->peak(Precision::f32), machine->peak(Precision::f32_vector)) << name;
    EXPECT_GT(machine->peak(Precision::f16), machine->peak(Precision::f32)) << name;
    if (machine->peak(Precision::f8)) {
      EXPECT_GT(machine->peak(Precision::f8), machine->peak(Precision::f16)) << name;
    }
  }
  EXPECT_EQ(machine_named("mi300x")->name, "MI300X");
  EXPECT_EQ(machine_named("MI210")->name, "MI210/MI250 GCD");
  EXPECT_FALSE(machine_named("MI3000"));
  EXPECT_FALSE(machine_named(""));
}

TEST(Machines, RealCapturesAreRecognised) {
  if (real_captures().empty()) GTEST_SKIP() << "JAXTRACE_CAPTURES is not set";
  const auto first = [](const char* folder) {
    const Trace trace = read_capture(real_captures() / folder);
    return recognise(trace, trace.devices.front());
  };
  EXPECT_EQ(first("jax-rocm/conv-mi300x-jax08").machine->name, "MI300X");
  EXPECT_EQ(first("jax-rocm/conv-mi300x-legacy").machine->name, "MI300X");
  EXPECT_EQ(first("jax-rocm/te-attention-mi355x").machine->name, "MI355X");
  EXPECT_EQ(first("tensorflow-cuda/GPU-multi-worker").machine->name, "V100 SXM2");
  EXPECT_FALSE(first("xla-cuda/2025_02_05_11_05_24").machine);
}

TEST(Machines, AreNamedByWholeWords) {
  Plane plane = kH100;
  plane.model = "NVIDIA GH200 480GB";
  EXPECT_EQ(name_of(plane), "none: NVIDIA GH200 480GB is not in the table of machines");
  plane.model = "NVIDIA H200";
  EXPECT_EQ(name_of(plane), "H200 SXM");
  plane = {"Nvidia", "NVIDIA GB200", 152, 2'062'000, {}, {}, 10, 0};
  EXPECT_EQ(name_of(plane), "GB200");
}

TEST(Machines, PartsOfAnySizeAreNoOverflow) {
  Plane plane = kMi300x;
  plane.units = std::int64_t{1} << 62U;
  EXPECT_TRUE(name_of(plane).starts_with("none"));
}

TEST(Machines, NearNamesAreThoseThatHoldTheWord) {
  EXPECT_EQ(machines_like("h100"), (std::vector<std::string_view>{"H100 SXM", "H100 PCIe"}));
  EXPECT_TRUE(machines_like("tpu").empty());
  EXPECT_TRUE(machines_like("").empty());
  EXPECT_FALSE(machine_named("h100"));
  EXPECT_TRUE(machine_named("h100 sxm"));
}

}  // namespace
}  // namespace jaxtrace
