// What the GPUs of a world do in a step, in the order in which the host launches it.
#pragma once

#include <string>
#include <vector>

#include "support/world.h"

namespace jaxtrace::world {

enum Stream : int { compute_stream, side_stream, communication_stream, kStreams };

struct Op {
  DeviceOp::Work work = DeviceOp::Work::compute;
  int stream = compute_stream;
  Ps length = 0;
  std::string kernel{}, hlo_op{};
  std::vector<int> waits{};  ///< For these, on other streams; places before this one
  Ps hidden = 0;             ///< Before it, on its stream
};

std::vector<Op> program_of(const World& world);

}  // namespace jaxtrace::world
