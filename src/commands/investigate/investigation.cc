// The order of work.
#include "commands/investigate/investigation.h"

#include <algorithm>

namespace jaxtrace {
namespace {

Investigated so_far(const Investigation& all) {
  return {all.trace, all.skip, all.attribution, all.ops, all.sums};
}

/// The verdict's GPU, of which the estimates are; without a median step there are none, and the GPU
/// on which the step is longest is shown.
std::size_t path_device(const SkipStats& skip, std::optional<std::size_t> step) {
  if (skip.steps.median || !step) return skip.verdict.device;
  const std::vector<DeviceStep>& devices = skip.steps.steps[*step].devices;
  const auto longest = std::ranges::max_element(devices, {}, [](const DeviceStep& device) {
    return device.window ? device.window->length() : Picoseconds{0};
  });
  return longest == devices.end() ? skip.verdict.device
                                  : static_cast<std::size_t>(longest - devices.begin());
}

void find_path(Investigation& all, Picoseconds short_gap) {
  const std::optional<std::size_t> step = shown_step(all.skip.steps);
  if (all.skip.devices.empty() || devices_with_events(all.skip.timelines) == 0) return;
  const Scope scope{all.trace, all.skip.works, all.skip.timelines, all.skip.steps};
  all.aligned = align_collectives(all.trace, all.skip.works, all.skip.timelines, all.skip.steps);
  all.path =
      critical_path(scope, all.aligned, step.value_or(0), path_device(all.skip, step), short_gap);
  if (all.path->segments.empty()) {
    all.path.reset();
    return;
  }
  HostNames names(all.trace);
  Blamer blamer(all.trace, all.skip.works, names);
  all.path_causes = path_causes(*all.path, blamer, names);
  const InstructionOf instruction = [&all](std::uint32_t event) -> std::string_view {
    const std::uint32_t op = all.ops.of_label[all.attribution.label[event]];
    return op == kNone ? std::string_view() : all.ops.rows[op].name;
  };
  constexpr int kPixels = 1000;
  all.swimlane = swimlane(all.trace, all.skip, all.aligned, *all.path, kPixels, instruction);
}

}  // namespace

Investigation investigate(const Trace& trace, const InvestigateOptions& options) {
  Investigation all{.trace = trace,
                    .skip = skip_stats(trace, options.skip),
                    .attribution = attribute(trace, options.attribute)};
  all.ops = find_ops(trace, all.attribution, options.user);
  all.counted = counted_labels(all.attribution, options.attribute);
  all.sums = add_up(trace, all.attribution, all.ops, all.counted);

  all.checks = integrity(so_far(all));
  find_path(all, options.skip.short_gap);
  all.collectives = find_collectives(trace, all.attribution, all.ops, options.attribute);
  all.roofline =
      find_roofline(trace, all.attribution, all.ops,
                    {.machine = options.roofline.machine, .attribute = options.attribute});
  all.changes =
      find_changes(so_far(all), all.path.value_or(CriticalPath{}), all.path_causes, all.roofline);
  all.distrusts = cannot_trust(so_far(all), all.checks, &all.roofline);
  all.new_captures = new_captures(so_far(all), all.checks, &all.roofline);
  return all;
}

Found found(const Investigation& all) {
  return found(all.trace, all.skip);
}

Measured measured(const Investigation& all) {
  return {all.trace, all.attribution, all.ops, all.sums};
}

}  // namespace jaxtrace
