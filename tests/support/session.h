// The parts of a recording that do not depend on the program: lines and correlation ids.
#pragma once

#include <cstdint>

#include "support/recording.h"

namespace jaxtrace::synth {

/// Adds `devices` devices with two streams each (compute, and one for asynchronous work), and the
/// host lines: one py_xla_execute thread a device, then `python`, then on ROCm one API line a
/// device.
void open_lines(Recording& recording, int devices);

/// Gives out correlation ids in the order of the host calls, over all threads, with the gaps that
/// other calls of the driver leave.  `calls` is the highest DeviceEvent::call.
void number_calls(Recording& recording, std::uint32_t calls, std::uint64_t seed);

}  // namespace jaxtrace::synth
