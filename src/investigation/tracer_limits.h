// Counts at which tracers stop recording, most of them without a word in the file.
#pragma once

#include <cstdint>
#include <optional>

namespace jaxtrace {

/// What is counted.
enum class Recorded : std::uint8_t {
  device_events,  ///< Of one host
  calls,          ///< Driver calls of one host
  annotations,    ///< Distinct ones of one device
};

/// The limit that `count` stands at: within 2 %, since some records never reach the file; absent if
/// none is near.
std::optional<std::uint64_t> limit_reached(Recorded what, std::uint64_t count, bool amd);

}  // namespace jaxtrace
