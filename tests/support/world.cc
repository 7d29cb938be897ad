#include "support/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "support/random.h"
#include "support/session.h"
#include "support/world_program.h"
#include "support/world_thread.h"

namespace jaxtrace::world {
namespace {

using synth::EventKind;
using synth::HostEvent;
using synth::Recording;
using synth::Style;

constexpr Ps kEventLatency = kUs;  ///< From the end of what a stream waits for
constexpr Ps kReturn = 6 * kUs;    ///< From the end of the last kernel to a waiting host
constexpr std::string_view kModule = "jit_step";

struct Device {
  Ps free[kStreams] = {kStart, kStart, kStart};
  Ps step_end = kStart;         ///< Of what the running step has on it
  std::vector<Ps> step_ends{};  ///< Of steps before
  std::vector<Ps> ends{};       ///< By place, of the running step
};

struct Simulation {
  const World& world;
  const std::vector<Op> program;
  Recording& recording;
  std::vector<DeviceOp>& ops;
  synth::Random jitter;
  synth::Random hurry;            ///< Of host threads, which are never in step
  std::vector<Thread> threads{};  ///< The launching threads, by device; with one, Python's
  std::vector<Device> devices{};
  std::uint32_t calls = 0;

  Ps vary(Ps length) {
    const Ps most = length / 100 * world.jitter_percent / 1000;
    return length + (most == 0 ? 0 : jitter.between(-most, most) * 1000);
  }

  /// A host's costs vary by more, and by themselves.
  Ps vary_host(Ps cost) {
    const Ps most = world.jitter_percent == 0 ? 0 : cost / 10 / 1000;
    return cost + (most == 0 ? 0 : hurry.between(-most, most) * 1000);
  }

  void open_program(Thread& thread, Ps cost);
  void launch(std::size_t device, int step, std::size_t place);
  void complete(std::size_t place);
  void record(const DeviceOp& op);
  void call(Thread& thread, std::size_t device, const Op& op);
  Ps step_end(int step) const;
  void step(Thread& python, int number);
};

std::string call_name(const World& world, const Op& op) {
  const bool rocm = world.style != Style::cuda;
  if (world.graph) return rocm ? "hipGraphLaunch" : "cuGraphLaunch (CudaGraph:9)";
  if (op.work == DeviceOp::Work::memcpy) return rocm ? "hipMemcpyDtoDAsync" : op.kernel;
  if (world.style != Style::rocm) return op.kernel;
  return op.work == DeviceOp::Work::collective ? "hipExtLaunchKernel" : "hipModuleLaunchKernel";
}

/// One launch call of a thread.
void Simulation::call(Thread& thread, std::size_t device, const Op& op) {
  ++calls;
  const bool rocm = world.style == Style::rocm;
  HostEvent event{.start_ps = thread.now,
                  .duration_ps = world.call,
                  .name = recording.strings.intern(call_name(world, op)),
                  .device_id = static_cast<std::int64_t>(device) + (rocm ? 47645 : 0),
                  .call = calls};
  if (rocm && !world.graph) {
    event.program = 0;
    event.shown_op = recording.strings.intern(op.hlo_op);
  }
  recording.host_lines[thread.api_line].events.push_back(std::move(event));
  thread.spend(world.call);
}

/// The host's part of one piece of work, and the device's but for the end of a collective.
void Simulation::launch(std::size_t device, int step, std::size_t place) {
  const Op& op = program[place];
  Thread& thread = threads[device];
  Device& on = devices[device];
  if (!world.graph || place == 0) {
    if (world.thunk_events) thread.begin(world.graph ? "command_buffer" : op.hlo_op);
    thread.spend(vary_host(world.thunk));
    call(thread, device, op);
    if (world.thunk_events) thread.end();
  }
  // A graph has one call, that of its first event on this device.
  const DeviceOp* first = nullptr;
  if (world.graph && place != 0) first = &ops[ops.size() - place * devices.size()];
  const Ps asked = first != nullptr ? first->asked : thread.now - world.call;

  Ps begin = std::max(asked + world.latency, on.free[op.stream] + world.dispatch_gap);
  for (const int other : op.waits) {
    begin = std::max(begin, on.ends[static_cast<std::size_t>(other)] + kEventLatency);
  }
  begin += op.hidden;
  Ps length = vary(op.length);
  if (op.work == DeviceOp::Work::compute && static_cast<int>(device) == world.slow_device) {
    length += length / 100'000 * world.slow_percent * 1000;
  }
  ops.push_back({.device = static_cast<int>(device),
                 .stream = op.stream,
                 .step = step,
                 .place = static_cast<int>(place),
                 .work = op.work,
                 .begin = begin,
                 .end = begin + length,
                 .asked = asked,
                 .returned = asked + world.call,
                 .call = first != nullptr ? first->call : calls});
}

/// Collectives end together, when the last to arrive has got what it needs.
void Simulation::complete(std::size_t place) {
  const auto these = ops.end() - static_cast<std::ptrdiff_t>(devices.size());
  if (program[place].work == DeviceOp::Work::collective) {
    const Ps arrival = std::max_element(these, ops.end(), [](const auto& a, const auto& b) {
                         return a.begin < b.begin;
                       })->begin;
    const Ps end = arrival + vary(world.transfer);
    std::for_each(these, ops.end(), [&](DeviceOp& op) { op.end = end; });
  }
  std::for_each(these, ops.end(), [&](const DeviceOp& op) {
    Device& on = devices[static_cast<std::size_t>(op.device)];
    on.free[op.stream] = op.end;
    on.ends[place] = op.end;
    on.step_end = std::max(on.step_end, op.end);
    record(op);
  });
}

void Simulation::record(const DeviceOp& op) {
  const Op& of = program[static_cast<std::size_t>(op.place)];
  const bool copy = op.work == DeviceOp::Work::memcpy;
  std::string kernel = of.kernel;
  EventKind kind = copy ? EventKind::memcpy : EventKind::kernel;
  std::string_view details = "regs:32 static_shared:0 dynamic_shared:0 grid:64,1,1 block:256,1,1";
  if (world.style == Style::rocm) {
    // Copies within a device are kernels of the runtime there.
    kind = EventKind::kernel;
    kernel = copy ? "__amd_rocclr_copyBuffer.kd" : kernel + ".kd";
    details = " grid:64,1,1 block:256,1,1 private_mem:0 group_mem:0 occ_pct:0";
  } else if (copy) {
    const bool rocm = world.style == Style::roctracer;
    if (rocm) kernel = "CopyDeviceToDevice";
    details = rocm ? "kind:Unknown size:4096 dest:0 async:1"
                   : "kind_src:device kind_dst:device size:4096 dest:0 async:1";
  }
  StringPool& strings = recording.strings;
  synth::DeviceEvent event{.start_ps = op.begin,
                           .duration_ps = op.end - op.begin,
                           .kernel = strings.intern(kernel),
                           .kind = kind,
                           .shown_op = strings.intern(of.hlo_op),
                           .details = strings.intern(details),
                           .program = 0,
                           .call = op.call,
                           .step = static_cast<std::uint32_t>(op.step)};
  if (world.graph && world.style == Style::cuda) {
    event.graph_id = 9;
    event.node_id = static_cast<std::uint64_t>(op.place) + 1;
  }
  recording.devices[static_cast<std::size_t>(op.device)]
      .lines[static_cast<std::size_t>(op.stream)]
      .events.push_back(std::move(event));
}

Ps Simulation::step_end(int step) const {
  Ps end = 0;
  for (const Device& device : devices) {
    end = std::max(end, device.step_ends[static_cast<std::size_t>(step)]);
  }
  return end;
}

void Simulation::open_program(Thread& thread, Ps cost) {
  thread.begin(fmt::format("{}:XLA GPU module", kModule));
  thread.spend(vary_host(cost));
  thread.begin("GpuExecutable::ExecuteThunks");
}

/// One step: what Python does, then the launches of all devices, then the wait if there is one.
void Simulation::step(Thread& python, int number) {
  if (world.annotate) {
    python.begin("train");
    python.stat("_r", 1);
    python.stat("step_num", number);
  }
  if (world.frames) python.begin("$train.py:31 train_step");
  if (world.frames) {
    python.spend("$train.py:47 update_metrics", world.python);
    python.spend("$data_loader.py:88 __next__", world.input);
  } else {
    python.spend(world.python);
    python.spend(world.input_event, world.input);
  }
  python.begin("PjitFunction(step)");
  python.begin("PjitFunction(step)");
  python.spend("ParseArguments", world.prepare / 3);
  python.spend("backend_compile", world.compile);
  python.begin("PjRtStreamExecutorLoadedExecutable::Execute");
  if (!world.sync && number >= world.ahead) {
    python.wait("ComputeSemaphoreAcquire", step_end(number - world.ahead));
  }
  python.spend("Wait for donation holds", world.admission);
  python.spend("DeviceMemAllocator::Alloc", world.allocation);

  const bool own_threads = devices.size() > 1;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    devices[d].ends.assign(program.size(), 0);
    if (own_threads) {
      threads[d].now = std::max(threads[d].now, python.now) + world.wake;
      threads[d].begin("PjRtStreamExecutorLoadedExecutable::ExecuteHelper");
    } else {
      threads[d].now = python.now;
    }
    open_program(threads[d], world.prepare - world.prepare / 3);
  }
  for (std::size_t place = 0; place < program.size(); ++place) {
    for (std::size_t d = 0; d < devices.size(); ++d) launch(d, number, place);
    complete(place);
  }
  for (std::size_t d = 0; d < devices.size(); ++d) {
    for (int i = own_threads ? 3 : 2; i > 0; --i) threads[d].end();
    python.now = std::max(python.now, threads[d].now);
    devices[d].step_ends.push_back(devices[d].step_end);
  }
  for (int i = 0; i < 3; ++i) python.end();  // Execute, and PjitFunction twice
  if (world.sync) {
    python.wait(world.frames ? "$api.py:2980 block_until_ready" : "PjRtBuffer::Await",
                step_end(number) + kReturn);
  }
  if (world.frames) python.end();
  if (world.annotate) python.end();
}

/// One launching thread a GPU, or just Python's; on ROCm with rocprofiler-sdk, their calls in lanes
/// of their own.  Returns the row of Python's line.
std::size_t open_threads(const World& world, Recording& recording) {
  for (int d = 0; d < world.devices; ++d) {
    synth::Device device{.ordinal = d, .lines = {}, .derived = {}};
    for (int s = 0; s < kStreams; ++s) {
      device.lines.push_back({.id = 16 + d * kStreams + s, .name = "", .events = {}});
    }
    recording.devices.push_back(std::move(device));
  }
  recording.host_lines.push_back({.id = 17, .name = "python3", .events = {}});
  for (int d = 0; world.devices > 1 && d < world.devices; ++d) {
    const std::int64_t id = -7346000 - d;
    recording.host_lines.push_back(
        {.id = id, .name = fmt::format("py_xla_execute/{}", id), .events = {}});
  }
  for (int d = 0; world.style == Style::rocm && d < world.devices; ++d) {
    recording.host_lines.push_back(
        {.id = 5000 + d, .name = fmt::format("Host Threads/{}", 5000 + d), .events = {}});
  }
  return 0;
}

}  // namespace

History run(const World& world) {
  History out;
  out.recording.style = world.style;
  out.recording.programs = {{std::string(kModule), 17, ""}};
  const std::size_t python_line = open_threads(world, out.recording);
  Simulation simulation{world,
                        program_of(world),
                        out.recording,
                        out.ops,
                        synth::Random(world.seed, "jitter"),
                        synth::Random(world.seed, "hurry")};
  simulation.devices.resize(static_cast<std::size_t>(world.devices));
  const std::size_t workers = world.devices > 1 ? simulation.devices.size() : 0;
  for (std::size_t d = 0; d < simulation.devices.size(); ++d) {
    const std::size_t line = workers == 0 ? python_line : 1 + d;
    const std::size_t api_line = world.style == Style::rocm ? 1 + workers + d : line;
    simulation.threads.push_back({out.recording, line, api_line});
  }
  Thread own{out.recording, python_line, python_line};
  Thread& python = workers == 0 ? simulation.threads.front() : own;
  for (int step = 0; step < world.steps; ++step) simulation.step(python, step);
  synth::sort_events(out.recording);
  synth::number_calls(out.recording, simulation.calls, world.seed);
  return out;
}

}  // namespace jaxtrace::world
