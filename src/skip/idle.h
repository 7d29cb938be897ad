// Why a device was idle: each gap is divided between the host that had not asked, the way of the
// launch, and the device's own waits.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "skip/timeline.h"

namespace jaxtrace {

enum class IdlePart : std::uint8_t {
  host_late,       ///< The GPU was free and the host had not asked.
  launch_path,     ///< Asked, and on its way to the GPU.
  graph_internal,  ///< Between two events of one graph launch.
  queued_short,    ///< Asked in time; a dispatch gap of at most `short_gap`.
  queued_long,     ///< Asked in time, yet waited: a dependency, memory, another stream or device.
  unknown,         ///< The event that ended the gap has no launch.
  tail,            ///< Nothing ran afterwards.
};
inline constexpr std::size_t kIdleParts = 7;

std::string_view name_of(IdlePart part);

/// Sums to the idle time exactly.
struct IdleSplit {
  std::array<Picoseconds, kIdleParts> parts{};
  Picoseconds of(IdlePart part) const { return parts[static_cast<std::size_t>(part)]; }
  Picoseconds& operator[](IdlePart part) { return parts[static_cast<std::size_t>(part)]; }
  Picoseconds host() const { return of(IdlePart::host_late) + of(IdlePart::launch_path); }
  Picoseconds device_wait() const {
    return of(IdlePart::graph_internal) + of(IdlePart::queued_short) + of(IdlePart::queued_long);
  }
  Picoseconds unexplained() const { return of(IdlePart::unknown) + of(IdlePart::tail); }
};

/// The longest gap that a device takes between two events that both wait in its queue: gaps of up
/// to some microseconds were seen on a saturated MI355X stream.
inline constexpr Picoseconds kShortGap = std::chrono::microseconds(5);

/// The parts of one gap.
IdleSplit split_gap(const Trace& trace, const Works& works, const Gap& gap,
                    Picoseconds short_gap = kShortGap);

/// What HolisticTraceAnalysis would call the gap before an event on its stream: its rule labels a
/// whole gap and compares with `kHtaDelay`.
enum class HtaGap : std::uint8_t { none, host_wait, kernel_wait, other, unknown };
inline constexpr Picoseconds kHtaDelay = std::chrono::nanoseconds(30);
HtaGap hta_gap(const Trace& trace, const Works& works, std::uint32_t event, Picoseconds last_end);
std::string_view name_of(HtaGap gap);

}  // namespace jaxtrace
