// What holds of single GPUs.
#include "analysis/devices.h"

#include <gtest/gtest.h>

#include <string>

#include "jaxtrace/trace_builder.h"

namespace jaxtrace {
namespace {

TEST(Devices, HaveAnnotationsOfTheirOwn) {
  // The tracer's limit is one of each GPU: three and two here, though the capture has four.
  TraceBuilder builder;
  const HostId host = builder.add_host("host", "host.xplane.pb");
  const std::vector<std::vector<std::string>> ops = {{"a", "b", "a", "c", ""}, {"c", "d", "d"}};
  for (std::size_t d = 0; d < ops.size(); ++d) {
    Device device{};
    device.host = host;
    device.ordinal = static_cast<int>(d);
    device.plane = builder.intern("/device:GPU:" + std::to_string(d));
    const DeviceId id = builder.add_device(device);
    for (const std::int64_t stream : {7, 8}) {
      builder.begin_lane({.host = host,
                          .kind = LaneKind::stream,
                          .device = id,
                          .name = builder.intern("Stream #" + std::to_string(stream)),
                          .id = stream});
      std::int64_t begin = 0;
      for (const std::string& op : ops[d]) {
        Annotation said{};
        said.hlo_op = builder.intern(op);
        builder.add_event({.begin = Picoseconds{begin += 10},
                           .duration = Picoseconds{5},
                           .name = builder.intern("kernel"),
                           .annotation = builder.annotation(said),
                           .correlation = 0});
      }
    }
  }
  const Trace trace = std::move(builder).finish();
  EXPECT_EQ(annotations_of_devices(trace), (std::vector<std::uint64_t>{3, 2}));
}

}  // namespace
}  // namespace jaxtrace
