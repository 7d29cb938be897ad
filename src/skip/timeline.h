// The work of each device in order of time, and the sweep that divides a window among its classes.
//
// At every instant the window's time goes to one class, the first at work in the order of
// WorkClass; where none is at work the device is idle.  So the parts sum to the window exactly.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "skip/work.h"

namespace jaxtrace {

/// Half-open.
struct Window {
  Picoseconds begin{0}, end{0};
  Picoseconds length() const { return end - begin; }
};

/// Events of one device that count as time, over all its streams, by begin, then lane and row.
using Order = std::vector<std::uint32_t>;

struct DeviceTimeline {
  DeviceId device;
  Order order;
  std::vector<std::size_t> lanes;  ///< Its stream lanes that hold events.
  std::size_t events = 0;          ///< On its stream lanes, damaged and empty ones too.
  Window span;                     ///< First begin to last end of `order`; empty if there is none.
  std::vector<Picoseconds> reached;  ///< How far the work before each block of `order` reaches
};

/// One row a device that has stream lanes or is listed, in the order of Trace::devices.
std::vector<DeviceTimeline> device_timelines(const Trace& trace, const Works& works);

/// Devices on whose streams something was recorded.
std::size_t devices_with_events(const std::vector<DeviceTimeline>& timelines);

/// Events of one lane that count as time.
Order lane_order(const Trace& trace, const Works& works, std::size_t lane);

/// The end of `order` without what is over well before `begin`: for a sweep of a window that begins
/// there.
std::span<const std::uint32_t> part(const DeviceTimeline& timeline, Picoseconds begin);

/// Time in which nothing ran.  `next` ended it (kNoEvent: nothing after it); `last` is the event
/// before it that ended last (kNoEvent: nothing in `order` before it).
struct Gap {
  Window window;
  std::uint32_t last = kNoEvent, next = kNoEvent;
};

/// How a window was spent.
struct Budget {
  Window window;
  std::array<Picoseconds, kWorkClasses> exclusive{};  ///< By class; with idle, sums to the window
  std::array<Picoseconds, kWorkClasses> total{};      ///< Union of the class, whatever else runs
  Picoseconds idle{0};

  Picoseconds compute() const { return of(WorkClass::compute) + of(WorkClass::other); }
  Picoseconds exposed_collective() const { return of(WorkClass::collective); }
  Picoseconds exposed_copy() const { return of(WorkClass::memcpy) + of(WorkClass::memset); }
  Picoseconds busy() const { return window.length() - idle; }
  Picoseconds of(WorkClass cls) const { return exclusive[static_cast<std::size_t>(cls)]; }
  Picoseconds all(WorkClass cls) const { return total[static_cast<std::size_t>(cls)]; }
};

struct SweepHooks {
  std::function<void(const Gap&)> gap;  ///< May be empty.
  /// Time that goes to a class, and the event of that class that ends last.  May be empty.
  std::function<void(std::uint32_t event, Picoseconds time)> exposed;
};

/// Divides `window`.  An event that begins after the window can end its last gap.
Budget sweep(const Trace& trace, const Works& works, std::span<const std::uint32_t> order,
             Window window, const SweepHooks& hooks = {});

}  // namespace jaxtrace
