#include <algorithm>

#include "support/world.h"

namespace jaxtrace::world {

std::string_view name_of(Cause cause) {
  switch (cause) {
    case Cause::nothing:
      return "nothing";
    case Cause::launch:
      return "launch";
    case Cause::python:
      return "python";
    case Cause::sync:
      return "sync";
    case Cause::allocation:
      return "allocation";
    case Cause::admission:
      return "admission";
    case Cause::input:
      return "input";
    case Cause::compile:
      return "compile";
    case Cause::communication:
      return "communication";
    case Cause::straggler:
      return "straggler";
    case Cause::memcpy:
      return "memcpy";
    case Cause::device_wait:
      return "device_wait";
  }
  return "?";
}

World without(World world, Cause cause) {
  switch (cause) {
    case Cause::nothing:
      break;
    case Cause::launch:
      world.thunk = world.call = 0;
      break;
    case Cause::python:
      world.python = 0;
      break;
    case Cause::sync:
      world.sync = false;
      break;
    case Cause::allocation:
      world.allocation = 0;
      break;
    case Cause::admission:
      world.admission = 0;
      break;
    case Cause::input:
      world.input = 0;
      break;
    case Cause::compile:
      world.compile = 0;
      break;
    case Cause::communication:
      world.transfer = 0;
      break;
    case Cause::straggler:
      world.slow_percent = 0;
      break;
    case Cause::memcpy:
      world.copy = 0;
      break;
    case Cause::device_wait:
      world.hidden_wait = 0;
      break;
  }
  return world;
}

World without_host(World world) {
  world.sync = false;
  world.python = world.prepare = world.thunk = world.call = world.wake = 0;
  world.input = world.compile = world.allocation = world.admission = 0;
  return world;
}

Ps period(const History& run) {
  Ps longest = 0;
  const int last = run.ops.back().step;
  for (int device = 0; device <= run.ops.back().device; ++device) {
    Ps begin = 0, end = 0;
    for (const DeviceOp& op : run.ops) {
      if (op.device != device || op.place != 0) continue;
      if (op.step == 1) begin = op.begin;
      if (op.step == last) end = op.begin;
    }
    longest = std::max(longest, (end - begin) / (last - 1));
  }
  return longest;
}

double share(const World& world, const World& better) {
  const auto with = static_cast<double>(period(run(world)));
  return 1 - static_cast<double>(period(run(better))) / with;
}

}  // namespace jaxtrace::world
