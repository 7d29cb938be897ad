#include "commands/kernels/trace_times.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

#include "analysis/damage.h"

namespace jaxtrace {
namespace {

/// Copies and fills carry their own details; without any, only the name tells.
bool is_copy(const Details& details, std::string_view name) {
  switch (details.of) {
    case Details::Of::memcpy:
    case Details::Of::memset:
    case Details::Of::memory:
      return true;
    case Details::Of::kernel:
      return false;
    case Details::Of::nothing:
      break;
  }
  return name.starts_with("Memcpy") || name.starts_with("Memset") || name == "CopyDeviceToHost" ||
         name == "CopyHostToDevice" || name == "CopyDeviceToDevice" || name == "FillBuffer";
}

LaunchShape shape_of(const Details& details) {
  LaunchShape shape;
  const auto product = [](const std::uint32_t(&sizes)[3]) {
    return std::int64_t{sizes[0]} * sizes[1] * sizes[2];
  };
  const std::int64_t block = product(details.block);
  const std::int64_t grid = product(details.grid);
  if (block > 0) shape.workgroup = block;
  std::int64_t items = 0;
  if (block > 0 && grid > 0 && !__builtin_mul_overflow(grid, block, &items)) shape.grid = items;
  if (details.registers) shape.vgprs = *details.registers;
  return shape;
}

TimedDevice device_of(const Trace& trace, const Device& device) {
  TimedDevice made;
  std::string_view plane = trace.strings[device.plane];
  constexpr std::string_view kPrefix = "/device:";
  if (plane.starts_with(kPrefix)) plane.remove_prefix(kPrefix.size());
  made.name = plane;
  const std::string_view model = trace.strings[device.model];
  (model.starts_with("gfx") ? made.arch : made.product) = model;
  made.process = trace.strings[trace.hosts[static_cast<std::size_t>(device.host)].name];
  return made;
}

}  // namespace

KernelTimes kernel_times(const Trace& trace, const std::string& file) {
  KernelTimes times;
  times.source = TimesOf::capture;
  times.file = file;
  times.notes = trace.notes;
  times.findings = trace.findings;
  for (const Device& device : trace.devices) times.devices.push_back(device_of(trace, device));

  const std::vector<bool> damaged = find_damage(trace);
  std::map<std::string_view, std::uint32_t> kernels;
  std::map<DetailsId, std::uint32_t> shapes;
  std::uint64_t graphs = 0;
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      const Details& details = trace.details[static_cast<std::size_t>(trace.events.details[i])];
      const StringId name = trace.events.name[i];
      if (is_copy(details, trace.strings[name])) continue;
      const auto annotation = static_cast<std::size_t>(trace.events.annotation[i]);
      if (trace.annotations[annotation].graph_exec_id != 0) {
        ++graphs;
        continue;
      }
      const auto [kernel, new_kernel] =
          kernels.try_emplace(without_descriptor(trace.strings[name]),
                              static_cast<std::uint32_t>(times.kernels.size()));
      if (new_kernel) times.kernels.emplace_back(kernel->first);
      const auto [shape, new_shape] = shapes.try_emplace(
          trace.events.details[i], static_cast<std::uint32_t>(times.shapes.size()));
      if (new_shape) times.shapes.push_back(shape_of(details));
      times.dispatches.push_back(
          {.kernel = kernel->second,
           .device = static_cast<std::uint32_t>(lane.device),
           .shape = shape->second,
           .begin_ps = trace.events.begin[i].count(),
           .duration_ps = damaged[i] ? -1 : trace.events.duration[i].count(),
           .correlation = static_cast<std::int64_t>(trace.events.correlation[i])});
    }
  }
  std::ranges::stable_sort(times.dispatches, {}, [&](const TimedDispatch& dispatch) {
    return std::tuple(dispatch.device, dispatch.begin_ps,
                      std::string_view(times.kernels[dispatch.kernel]));
  });
  if (graphs > 0) {
    times.findings.push_back({Severity::data_loss, "whole-graphs",
                              "an event stands for a whole graph launch; the kernels in it are not "
                              "in the capture, nor in this table",
                              "", graphs});
  }
  return times;
}

}  // namespace jaxtrace
