// Small worlds whose bottleneck is known: a Python thread that prepares and dispatches steps, one
// launching thread a GPU, streams, collectives, copies; and what a profiler would record of them.
//
// The order of work on every thread and stream is fixed, so each piece begins when the last of what
// it waits for has ended, and times follow in one pass.  A cause is a cost in the description: take
// it out, run again, and the difference is what the cause costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/recording.h"

namespace jaxtrace::world {

using Ps = std::int64_t;
inline constexpr Ps kUs = 1'000'000;

/// What can hold a world back, each by a field of World.
enum class Cause : std::uint8_t {
  nothing,        ///< The GPUs are busy.
  launch,         ///< Launching a kernel takes the host longer than running it the GPU.
  python,         ///< Work of the Python thread before it dispatches
  sync,           ///< The host waits for a step before it prepares the next.
  allocation,     ///< of memory, before the launches
  admission,      ///< Waiting for the holds on a buffer
  input,          ///< Loading the next batch
  compile,        ///< in every step, as with changing shapes
  communication,  ///< Collectives that nothing overlaps
  straggler,      ///< One GPU computes more slowly, and the others wait in collectives.
  memcpy,         ///< Copies that nothing overlaps
  device_wait,    ///< Work the tracer does not show, between kernels launched long before
};
inline constexpr Cause kCauses[] = {Cause::nothing,   Cause::launch,     Cause::python,
                                    Cause::sync,      Cause::allocation, Cause::admission,
                                    Cause::input,     Cause::compile,    Cause::communication,
                                    Cause::straggler, Cause::memcpy,     Cause::device_wait};
std::string_view name_of(Cause cause);

/// Lengths are of each, counts of each step; 0 leaves the thing out.
struct World {
  synth::Style style = synth::Style::cuda;
  std::uint64_t seed = 1;
  int devices = 1;
  int steps = 8;

  // What a GPU does in a step.
  int kernels = 40;
  Ps kernel = 30 * kUs;      ///< On average: single ones take from half to one and a half of it,
  Ps dispatch_gap = kUs;     ///< the least time between two of a stream.
  int jitter_percent = 1;    ///< of every length, from step to step
  bool side_stream = false;  ///< Some kernels run on a second stream, beside the others.
  int collectives = 0;
  Ps transfer = 20 * kUs;  ///< From the last arrival to the common end
  bool overlap = false;    ///< The next kernels do not wait for a collective.
  int copies = 0;          ///< On the compute stream
  Ps copy = 0;
  int hidden_waits = 0;
  Ps hidden_wait = 0;
  int slow_device = 0;
  int slow_percent = 0;  ///< Its kernels take so much longer.

  // What the host does.
  bool sync = false;      ///< block_until_ready after every step; else it runs ahead
  int ahead = 2;          ///< by at most so many steps.
  Ps python = 40 * kUs;   ///< Before the dispatch
  Ps prepare = 30 * kUs;  ///< Of a dispatch: arguments, buffers
  Ps thunk = 2 * kUs;     ///< Around a launch call
  Ps call = 3 * kUs;      ///< A launch call
  Ps latency = 8 * kUs;   ///< From the begin of the call to the earliest begin of the kernel
  Ps wake = 10 * kUs;     ///< Until another thread takes over
  bool graph = false;     ///< The step is one graph launch.
  Ps input = 0, compile = 0, allocation = 0, admission = 0;
  std::string input_event = "DevicePut";  ///< What the loading is called, without frames

  // What the tracer shows.
  bool annotate = true;      ///< StepTraceAnnotation
  bool frames = false;       ///< `$file.py:10 f` of the Python tracer
  bool thunk_events = true;  ///< TraceMe for each thunk
};

/// A piece of device work.
struct DeviceOp {
  enum class Work : std::uint8_t { compute, collective, memcpy };
  int device = 0, stream = 0, step = 0;
  int place = 0;  ///< In the step
  Work work = Work::compute;
  Ps begin = 0, end = 0;
  Ps asked = 0;     ///< Begin of the launch call
  Ps returned = 0;  ///< Its end
  std::uint32_t call = 0;
};

struct History {
  synth::Recording recording;
  std::vector<DeviceOp> ops;  ///< By step, place, device
};

History run(const World& world);

/// The same world without a cause; without `launch`, launching is free.
World without(World world, Cause cause);
/// Without all that the host costs: it is always ahead.
World without_host(World world);

/// The time from step to step once the world runs: on the GPU where it is longest, over all steps
/// but the first.
Ps period(const History& run);

/// What share of the period goes when `better` takes the place of `world`.
double share(const World& world, const World& better);

}  // namespace jaxtrace::world
