#include "support/mutate.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "proto/hlo.pb.h"
#include "support/random.h"

namespace jaxtrace::synth {
namespace {

template <class Function>
void each_device_event(Recording& recording, Function function) {
  for (Device& device : recording.devices) {
    for (DeviceLine& line : device.lines) {
      for (DeviceEvent& event : line.events) function(event);
    }
  }
}

template <class Function>
void each_host_event(Recording& recording, Function function) {
  for (HostLine& line : recording.host_lines) {
    for (HostEvent& event : line.events) function(event);
  }
}

void change_protos(Recording& recording, const std::function<void(pb::HloProto&)>& change) {
  for (RecordedProgram& program : recording.programs) {
    pb::HloProto proto;
    if (program.hlo.empty() || !proto.ParseFromString(program.hlo)) continue;
    change(proto);
    proto.SerializeToString(&program.hlo);
  }
}

std::uint64_t highest_correlation(const Recording& recording) {
  std::uint64_t highest = 0;
  for (const HostLine& line : recording.host_lines) {
    for (const HostEvent& event : line.events) highest = std::max(highest, event.correlation);
  }
  return highest;
}

}  // namespace

void collapse_graphs(Recording& recording) {
  for (Device& device : recording.devices) {
    for (DeviceLine& line : device.lines) {
      std::vector<DeviceEvent> kept;
      for (const DeviceEvent& event : line.events) {
        if (!event.in_graph) {
          kept.push_back(event);
          continue;
        }
        if (!kept.empty() && kept.back().in_graph && kept.back().call == event.call) {
          kept.back().duration_ps = event.start_ps + event.duration_ps - kept.back().start_ps;
          continue;
        }
        DeviceEvent& whole = kept.emplace_back(event);
        whole.kernel = recording.strings.intern(fmt::format("CudaGraphExec:{}", event.graph_id));
        whole.kind = EventKind::graph_launch;
        whole.op = whole.within = whole.details = StringId::empty;
        whole.node_id = 0;
      }
      line.events = std::move(kept);
    }
  }
}

void drop_events(Recording& recording, double share, std::uint64_t seed) {
  for (const Device& device : recording.devices) {
    drop_events_of(recording, device.ordinal, share, seed);
  }
}

void drop_events_of(Recording& recording, int device, double share, std::uint64_t seed) {
  Random random(mix(seed, "drop") + static_cast<std::uint64_t>(device));
  for (Device& one : recording.devices) {
    if (one.ordinal != device) continue;
    for (DeviceLine& line : one.lines) {
      std::erase_if(line.events, [&](const DeviceEvent&) { return random.chance(share); });
    }
  }
}

void reorder_in_graphs(Recording& recording, double share, std::uint64_t seed) {
  Random random(seed, "reorder");
  for (Device& device : recording.devices) {
    for (DeviceLine& line : device.lines) {
      for (std::size_t i = 0; i + 1 < line.events.size(); ++i) {
        DeviceEvent& a = line.events[i];
        DeviceEvent& b = line.events[i + 1];
        if (!a.in_graph || a.call != b.call || !random.chance(share)) continue;
        const std::int64_t gap = b.start_ps - a.start_ps - a.duration_ps;
        b.start_ps = a.start_ps;
        a.start_ps = b.start_ps + b.duration_ps + gap;
        std::swap(a, b);
        ++i;
      }
    }
  }
  sort_events(recording);
}

void strip_hlo_op(Recording& recording) {
  const auto strip = [](auto& event) { event.shown_op = StringId::empty; };
  each_device_event(recording, strip);
  each_host_event(recording, strip);
}

void strip_annotations(Recording& recording) {
  strip_hlo_op(recording);
  strip_program_id(recording);
  each_device_event(recording, [](DeviceEvent& event) { event.op_name = StringId::empty; });
}

void strip_program_id(Recording& recording) {
  const auto strip = [](auto& event) { event.program = kNoProgram; };
  each_device_event(recording, strip);
  each_host_event(recording, strip);
}

void strip_correlation_ids(Recording& recording) {
  const auto strip = [](auto& event) { event.correlation = 0; };
  each_device_event(recording, strip);
  each_host_event(recording, strip);
}

void strip_node_ids(Recording& recording) {
  each_device_event(recording, [](DeviceEvent& event) { event.node_id = 0; });
}

void strip_graph_ids(Recording& recording) {
  each_device_event(recording, [](DeviceEvent& event) { event.graph_id = event.node_id = 0; });
}

void strip_host_events(Recording& recording) {
  recording.host_lines.clear();
}

void strip_hlo_protos(Recording& recording) {
  for (RecordedProgram& program : recording.programs) program.hlo.clear();
}

void strip_schedules(Recording& recording) {
  change_protos(recording,
                [](pb::HloProto& proto) { proto.mutable_hlo_module()->clear_schedule(); });
}

void strip_buffer_assignments(Recording& recording) {
  change_protos(recording, [](pb::HloProto& proto) { proto.clear_buffer_assignment(); });
}

void wrong_correlations(Recording& recording, int pairs, std::uint64_t seed) {
  Random random(seed, "wrong correlation");
  const bool cuda = recording.style == Style::cuda;
  const StringId wait = recording.strings.intern(cuda ? "cuStreamWaitEvent" : "hipStreamWaitEvent");
  for (int pair = 0; pair < pairs; ++pair) {
    Device& device = recording.devices[random.below(recording.devices.size())];
    if (device.lines.empty()) continue;
    std::vector<DeviceEvent>& events = device.lines[0].events;
    // Any start will do that has two direct kernels behind it; give up when there is none.
    const std::size_t from = random.below(events.size());
    for (std::size_t k = 0; k + 1 < events.size(); ++k) {
      const std::size_t i = (from + k) % (events.size() - 1);
      DeviceEvent* both[] = {&events[i], &events[i + 1]};
      if (std::ranges::any_of(both, [](const DeviceEvent* event) {
            return event->in_graph || event->kind != EventKind::kernel ||
                   event->program == kNoProgram;
          })) {
        continue;
      }
      const std::uint64_t id = both[0]->correlation;  // The wait stands where the launch stood.
      for (HostLine& line : recording.host_lines) {
        for (HostEvent& call : line.events) {
          if (call.correlation == 0 || call.correlation != id) continue;
          call.name = wait;
          call.shown_op = StringId::empty;
          call.program = kNoProgram;
        }
        std::erase_if(line.events, [&](const HostEvent& call) {
          return call.correlation != 0 && call.correlation == both[1]->correlation;
        });
      }
      for (DeviceEvent* event : both) {
        event->correlation = id;
        event->program = kNoProgram;
        event->shown_op = event->op_name = StringId::empty;
      }
      break;
    }
  }
}

void join_late(Recording& recording, int device, std::uint32_t step) {
  const std::int64_t from =
      step < recording.step_starts_ps.size() ? recording.step_starts_ps[step] : INT64_MAX;
  for (Device& one : recording.devices) {
    if (one.ordinal != device) continue;
    for (DeviceLine& line : one.lines) {
      std::erase_if(line.events, [&](const DeviceEvent& event) { return event.start_ps < from; });
    }
  }
}

void cut(Recording& recording, std::int64_t begin_ps, std::int64_t end_ps) {
  const auto outside = [&](const auto& event) {
    return event.start_ps < begin_ps || event.start_ps + event.duration_ps > end_ps;
  };
  for (Device& device : recording.devices) {
    for (DeviceLine& line : device.lines) std::erase_if(line.events, outside);
  }
  for (HostLine& line : recording.host_lines) std::erase_if(line.events, outside);
}

void add_derived_lines(Recording& recording) {
  // Ids as XProf's, 0xdeadbeef + k as int32.
  constexpr std::int64_t kFirstId = -559038737;
  for (Device& device : recording.devices) {
    HostLine steps{.id = kFirstId, .name = "Steps", .events = {}};
    HostLine modules{.id = kFirstId + 4, .name = "XLA Modules", .events = {}};
    HostLine ops{.id = kFirstId + 5, .name = "XLA Ops", .events = {}};
    for (const DeviceLine& line : device.lines) {
      for (const DeviceEvent& event : line.events) {
        HostEvent copy{.start_ps = event.start_ps,
                       .duration_ps = event.duration_ps,
                       .name = event.op == StringId::empty ? event.kernel : event.op,
                       .shown_op = event.shown_op,
                       .program = event.program};
        ops.events.push_back(copy);
        copy.name = recording.strings.intern("jit_program");
        modules.events.push_back(copy);
        copy.name = recording.strings.intern(fmt::format("{}", event.step));
        steps.events.push_back(copy);
      }
    }
    device.derived = {std::move(steps), std::move(modules), std::move(ops)};
  }
}

void add_memory_events(Recording& recording, int count, std::uint64_t seed) {
  Random random(seed, "memory");
  for (Device& device : recording.devices) {
    if (device.lines.empty() || device.lines[0].events.empty()) continue;
    const std::int64_t first = device.lines[0].events.front().start_ps;
    const std::int64_t last = device.lines[0].events.back().start_ps;
    DeviceLine allocations{.id = 7, .name = "Stream #7(MemoryAlloc)", .events = {}};
    DeviceLine overhead{.id = 0, .name = "CUPTI overhead", .events = {}};
    for (int i = 0; i < count; ++i) {
      DeviceEvent event{.start_ps = random.between(first, last) / 1000 * 1000,
                        .duration_ps = random.between(0, 2000) * 1000,
                        .kernel = recording.strings.intern("Memory Device"),
                        .kind = EventKind::memory,
                        .details = recording.strings.intern(fmt::format(
                            "kind:Device num_bytes:{}", random.between(1, 1 << 20) * 256))};
      allocations.events.push_back(event);
      event.kind = EventKind::overhead;
      event.details = StringId::empty;
      event.kernel = recording.strings.intern("Activity Buffer Request");
      overhead.events.push_back(event);
    }
    device.lines.push_back(std::move(allocations));
    device.lines.push_back(std::move(overhead));
  }
  sort_events(recording);
}

void add_foreign_copies(Recording& recording, int count, std::uint64_t seed) {
  Random random(seed, "foreign");
  std::uint64_t id = highest_correlation(recording);
  const bool rocm = recording.style == Style::rocm;
  for (Device& device : recording.devices) {
    if (device.lines.empty() || recording.step_starts_ps.empty()) continue;
    for (int i = 0; i < count; ++i) {
      const std::int64_t step =
          recording.step_starts_ps[random.below(recording.step_starts_ps.size())];
      DeviceEvent event{
          .start_ps = step - random.between(1, 4) * 1'000'000,
          .duration_ps = random.between(800, 2'000) * 1'000,
          .kernel = recording.strings.intern(rocm ? "__amd_rocclr_copyBuffer.kd"
                                             : recording.style == Style::cuda ? "MemcpyH2D"
                                                                              : "CopyHostToDevice"),
          .kind = rocm ? EventKind::kernel : EventKind::memcpy,
          .details = recording.strings.intern(
              rocm ? " grid:16,1,1 block:256,1,1 private_mem:0 group_mem:0 occ_pct:0"
                   : "kind_src:pinned kind_dst:device size:4096 dest:0 async:1"),
          .correlation = ++id};
      if (!recording.host_lines.empty()) {
        const StringId call = recording.strings.intern(rocm ? "hipMemcpyHtoDAsync" : "MemcpyH2D");
        recording.host_lines.back().events.push_back({.start_ps = event.start_ps - 3'000'000,
                                                      .duration_ps = 1'000'000,
                                                      .name = call,
                                                      .correlation = id,
                                                      .device_id = device.ordinal});
      }
      device.lines[0].events.push_back(event);
    }
  }
  sort_events(recording);
}

}  // namespace jaxtrace::synth
