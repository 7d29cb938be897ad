// Which GPU a device is, and what its vendor says it can do at most.
//
// The peaks are read in documents, not measured: each row names its source.  A device that is not
// recognised has none, and nothing is guessed from a similar one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/cost.h"
#include "jaxtrace/trace.h"

namespace jaxtrace {

/// One device as a program sees it: half of an MI250X, a partition of an MI300X.
struct Machine {
  std::string name;    ///< "MI300X", "MI250X GCD", "MI300X, 38 of 304 CUs"
  std::string source;  ///< The documents its figures were read in, and how they were scaled

  /// Dense operations a second; absent where there is no such unit or no figure.
  std::array<std::optional<std::int64_t>, hlo::kPrecisions> flops_per_s{};
  std::int64_t bytes_per_s = 0;  ///< Memory bandwidth
  bool amd = false;              ///< Else NVIDIA

  std::optional<std::int64_t> peak(hlo::Precision precision) const {
    return flops_per_s[static_cast<std::size_t>(precision)];
  }
};

struct Recognised {
  std::optional<Machine> machine;
  std::string why_not;  ///< One sentence where there is none.
};

/// None if the device is not in the table, or does not say enough to tell two of it apart.
Recognised recognise(const Trace& trace, const Device& device);

/// The machine that all of `used` are.
Recognised recognise(const Trace& trace, std::span<const DeviceId> used);

/// By its name in machine_names(), in any case.
std::optional<Machine> machine_named(std::string_view name);

/// What --machine takes.
std::vector<std::string_view> machine_names();

/// Those of them that `part` is a part of, in any case: what someone may have meant.
std::vector<std::string_view> machines_like(std::string_view part);

}  // namespace jaxtrace
