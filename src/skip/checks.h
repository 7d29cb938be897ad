// Whether the capture's records agree with each other: said before any verdict, each with what it
// makes untrustworthy when it fails.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "skip/causes.h"
#include "skip/latency.h"
#include "skip/straggler.h"

namespace jaxtrace {

enum class CheckState : std::uint8_t { pass, not_applicable, warn, fatal };

/// How much a failed check is about.
struct CheckPart {
  std::optional<std::int64_t> count;  ///< Events, launches, steps, GPUs …
  std::optional<double> share;        ///< 0 to 1, of `share_of`
  std::string share_of;               ///< "device events", "GPU time"
};

struct CheckResult {
  std::string id;  ///< "join", "clock" …; docs/skip-stats.md has one paragraph each
  CheckState state = CheckState::not_applicable;
  std::string expected, found;      ///< One clause each
  std::string affects;              ///< What cannot be trusted if it failed; empty if it passed
  std::optional<CheckPart> part{};  ///< Where a failure can be counted
};

std::string_view name_of(CheckState state);

/// Device events and their summed durations, as a trace.json of the same run has them, by device.
struct JsonTotals {
  std::string plane;
  std::uint64_t events = 0;
  Picoseconds time{0};
};

struct CheckInput {
  const Trace& trace;
  const Works& works;
  const std::vector<DeviceTimeline>& timelines;
  const Steps& steps;
  const Causes& causes;
  const std::vector<LatencyStats>& all;  ///< By timeline, over the whole capture
  const std::vector<JsonTotals>* json = nullptr;
  std::string json_problem;  ///< Why the JSON beside the capture could not be read
};

std::vector<CheckResult> run_checks(const CheckInput& input);

}  // namespace jaxtrace
