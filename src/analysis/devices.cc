// Stream lanes of one device stand together, so one mark an annotation tells whether the device at
// hand has been seen with it.
#include "analysis/devices.h"

#include <cstddef>

namespace jaxtrace {

bool is_amd(const Trace& trace, const Device& device) {
  return trace.strings[device.vendor] == "AMD";
}

std::vector<std::uint64_t> annotations_of_devices(const Trace& trace) {
  std::vector<std::uint64_t> counts(trace.devices.size(), 0);
  std::vector<DeviceId> last(trace.annotations.size(), DeviceId::none);
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream || lane.device == DeviceId::none) continue;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      const auto annotation = static_cast<std::size_t>(trace.events.annotation[i]);
      if (annotation == 0 || last[annotation] == lane.device) continue;
      last[annotation] = lane.device;
      ++counts[static_cast<std::size_t>(lane.device)];
    }
  }
  return counts;
}

}  // namespace jaxtrace
