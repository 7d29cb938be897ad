// How long a step would be without one of its losses: estimates, each with its assumption.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "skip/causes.h"

namespace jaxtrace {

/// What the estimates are made of: one step on one device.
struct StepParts {
  Picoseconds step{0};
  Picoseconds compute{0}, collective{0}, copy{0};
  IdleSplit idle;
  std::array<Picoseconds, kHostClasses> host{};  ///< host_late by class
  Picoseconds collective_wait{0};                ///< Of `collective`: for another GPU
  Picoseconds graphable{0};  ///< Host parts of gaps before kernels that are not a run's first
  Picoseconds fusable{0};    ///< Host parts of gaps inside chains that could be fused
  bool graphs = false;       ///< Command buffers are in use already
  std::optional<Picoseconds> host_active;  ///< Launching thread's own time in the step
};

struct WhatIf {
  std::string id;       ///< "W1" … "W8", "W1+W3"
  std::string without;  ///< What is gone
  Picoseconds step{0};  ///< Never below compute (but for a straggler's own), nor above the step
  std::string assumption, knob, confirm;
  bool worth = true;  ///< Gains at least 3 % of the step
};

std::vector<WhatIf> what_ifs(const StepParts& parts);

}  // namespace jaxtrace
