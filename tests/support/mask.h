// Hides what a real capture says of its kernels, and keeps it aside as the truth.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/recording.h"

namespace jaxtrace::pb {
class XSpace;
}

namespace jaxtrace::synth {

enum class Mask : std::uint8_t {
  strip,  ///< No event says hlo_op, neither kernels nor host launches.
  graph,  ///< Every kernel of an execution says command_buffer_1 and has one correlation id, which
          ///< is that of a graph launch on the host.
};

struct MaskOptions {
  Mask mask = Mask::strip;
  double drop = 0;  ///< Share of the device events to drop
  std::uint64_t seed = 1;
  std::string host = "host0";  ///< For the truth rows
};

/// Changes `space` and returns a row for every device event that is left and that named its
/// instruction.  An execution is what lies between two `<module>:XLA GPU module` intervals of the
/// host that are told apart by the launches inside them.
std::vector<TruthRow> mask_capture(pb::XSpace& space, const MaskOptions& options);

}  // namespace jaxtrace::synth
