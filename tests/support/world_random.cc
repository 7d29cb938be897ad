#include "support/world_random.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "support/random.h"

namespace jaxtrace::world {
namespace {

Ps whole_ns(Ps time) {
  return time / 1000 * 1000;
}

/// GPUs that are busy nine tenths of the time or more, and a host that keeps up with them.
World busy(std::uint64_t seed, synth::Random& random) {
  static constexpr std::array kStyles = {synth::Style::cuda, synth::Style::rocm,
                                         synth::Style::roctracer};
  static constexpr std::array kDevices = {1, 1, 1, 2, 4, 8};
  World world{.style = kStyles[random.below(3)], .seed = seed};
  world.devices = kDevices[random.below(kDevices.size())];
  world.steps = static_cast<int>(random.between(6, 12));
  world.kernels = static_cast<int>(random.between(24, 60));
  world.kernel = random.between(25, 90) * kUs;
  world.dispatch_gap = random.between(300, 1200) * 1000;
  world.side_stream = random.chance(0.3);
  world.sync = random.chance(0.4);
  world.ahead = static_cast<int>(random.between(2, 3));
  world.thunk = random.between(500, 2500) * 1000;
  world.call = random.between(1500, 4500) * 1000;
  world.latency = random.between(6, 12) * kUs;
  world.wake = random.between(3, 12) * kUs;
  // Between two steps the GPUs wait for a host that synchronizes: a hundredth or two of the step.
  const Ps step = world.kernels * world.kernel;
  world.python = whole_ns(step / 1000 * random.between(2, 12));
  world.prepare = whole_ns(step / 1000 * random.between(2, 12));
  world.frames = random.chance(0.3);
  world.annotate = random.chance(0.6);
  world.thunk_events = random.chance(0.7);
  if (world.devices > 1) {
    world.collectives = static_cast<int>(random.between(1, 4));
    world.transfer = whole_ns(step / 1000 * random.between(2, 10));
    world.overlap = random.chance(0.5);
  }
  if (random.chance(0.3)) {
    world.copies = static_cast<int>(random.between(1, 3));
    world.copy = whole_ns(step / 1000 * random.between(2, 8));
  }
  static constexpr std::array kInputs = {"DevicePut", "shard_args", "Iterator::Prefetch::Next"};
  world.input_event = kInputs[random.below(kInputs.size())];
  return world;
}

/// Adds a cost between two steps that takes `percent` of the period.
void between_steps(World& world, Ps World::*cost, std::int64_t percent) {
  const Ps step = world.kernels * world.kernel;
  // A host that synchronizes adds its cost to the step; one that runs ahead has the step for free.
  const Ps launches = world.kernels * (world.thunk + world.call);
  const Ps already = world.sync ? 0 : step - launches - world.prepare;
  world.*cost = whole_ns(std::max<Ps>(0, already) + step * percent / (100 - percent));
}

void inject(World& world, Cause cause, synth::Random& random) {
  const std::int64_t percent = random.between(8, 60);
  const Ps step = world.kernels * world.kernel;
  const Ps lost = step * percent / (100 - percent);
  switch (cause) {
    case Cause::nothing:
      break;
    case Cause::launch: {
      const Ps each = world.kernel * 100 / (100 - percent);
      world.thunk = whole_ns(each / 3);
      world.call = whole_ns(each - each / 3);
      break;
    }
    case Cause::python:
      between_steps(world, &World::python, percent);
      break;
    case Cause::sync:
      world.sync = true;
      world.python = whole_ns(std::min(lost, step * 2 / 3) / 2);
      world.prepare = world.python;
      break;
    case Cause::allocation:
      between_steps(world, &World::allocation, percent);
      break;
    case Cause::admission:
      between_steps(world, &World::admission, percent);
      break;
    case Cause::input:
      between_steps(world, &World::input, percent);
      break;
    case Cause::compile:
      between_steps(world, &World::compile, percent);
      break;
    case Cause::communication:
      world.devices = std::max(world.devices, 2);
      world.collectives = std::max(world.collectives, 1);
      world.overlap = false;
      world.transfer = whole_ns(lost / world.collectives);
      break;
    case Cause::straggler:
      world.devices = std::max(world.devices, 2);
      world.collectives = std::max(world.collectives, 1);
      world.overlap = false;
      world.slow_device = static_cast<int>(random.below(static_cast<std::uint64_t>(world.devices)));
      world.slow_percent = static_cast<int>(100 * percent / (100 - percent));
      break;
    case Cause::memcpy:
      world.copies = std::max(world.copies, 1);
      world.copy = whole_ns(lost / world.copies);
      break;
    case Cause::device_wait:
      world.hidden_waits = static_cast<int>(random.between(1, 6));
      world.hidden_wait = whole_ns(lost / world.hidden_waits);
      break;
  }
  world.graph = cause != Cause::launch && cause != Cause::device_wait && random.chance(0.15);
}

}  // namespace

Injected random_world(std::uint64_t seed) {
  synth::Random random(seed, "world");
  const Cause cause = kCauses[seed % std::size(kCauses)];
  World world = busy(seed, random);
  inject(world, cause, random);
  return {world, cause};
}

}  // namespace jaxtrace::world
