// Library calls, seen from outside: which kernels each of them runs, and in which order.
//
// The HLO does not say what cuBLAS, MIOpen or a custom call launches, but a call launches the same
// kernels each time.  A first attribution shows them wherever nothing is missing; with each call
// spelled out as the kernels it was seen to run, a second one can tell which are missing elsewhere.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "attribution/groups.h"
#include "hlo/schedule.h"

namespace jaxtrace {

/// The kernels that an instruction runs each time, by name, in launch order.
using Calls = std::map<hlo::InstructionId, std::vector<std::string>>;

/// What the labels of a program's work show: for each library call the sequence seen most often, if
/// it was seen more than once and nothing about it was ambiguous.
Calls calls_seen(const Trace& trace, const Attribution& attribution,
                 const std::vector<Group*>& groups, const hlo::Schedule& schedule);

/// A schedule in which the slots of library calls are spelled out.
struct SpelledOut {
  hlo::Schedule schedule;
  std::vector<bool> seen;  ///< Per slot: its kernel name was seen, not predicted.
};

SpelledOut spell_out(const hlo::Schedule& schedule, const Calls& calls);

}  // namespace jaxtrace
