// The verdict on one capture: what holds the program back, how sure that is, and what would show it
// wrong.
#pragma once

#include <string>
#include <vector>

#include "skip/checks.h"
#include "skip/device_stats.h"
#include "skip/straggler.h"
#include "skip/verdict.h"

namespace jaxtrace {

enum class HostBound : std::uint8_t { none, launch_rate, dispatch, host_work };
enum class Confidence : std::uint8_t { low, medium, high };

struct Verdict {
  Decision decision;
  std::string why_inconclusive;  ///< Empty unless it is
  std::size_t device = 0;        ///< d*: what the shares are of
  Shares shares;
  HostBound host = HostBound::none;
  bool straggler = false;  ///< Half or more of the exposed communication is waiting
  Confidence confidence = Confidence::low;
  std::vector<std::string> doubts;  ///< What lowers the confidence, one clause each
  std::vector<std::string> remarks;
  std::string refuted_by;  ///< What would show the verdict wrong
};

struct Evidence {
  const Scope& scope;
  const Causes& causes;
  const std::vector<DeviceStats>& devices;
  const std::vector<StreamStats>& streams;
  const Stragglers& stragglers;
  const std::vector<CheckResult>& checks;
};

/// The device that the verdict is about: the one the others wait for in most steps, else the one
/// with the most compute.
std::size_t verdict_device(const Evidence& evidence);

Shares shares_of(const DeviceStats& device);

/// Launches that found their stream still at work, on the stream with the most compute of a device;
/// absent if no launch of it is known.
std::optional<double> queued_fraction(const Evidence& evidence, std::size_t device);

Verdict judge(const Evidence& evidence, const Thresholds& thresholds);

}  // namespace jaxtrace
