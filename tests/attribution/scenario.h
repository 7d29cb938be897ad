// What the scenario tests share: expectations about whole captures, and small changes to them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/mutate.h"
#include "support/simulate.h"
#include "support/small_program.h"
#include "support/truth.h"

namespace jaxtrace::synth {

/// Every event got the instruction that it belongs to.
inline void expect_all_right(const Judged& judged) {
  EXPECT_GT(judged.verdict.events, 0);
  EXPECT_EQ(judged.verdict.wrong, 0) << judged.verdict;
  EXPECT_EQ(judged.verdict.absent, 0) << judged.verdict;
  EXPECT_EQ(static_cast<std::size_t>(judged.verdict.events), judged.trace.device_events);
}

inline void expect_all_match(const Judged& judged, Match match) {
  for (const Answer& answer : judged.answers) {
    EXPECT_EQ(text(answer.match), text(match)) << answer.kernel << " " << answer.op;
  }
}

/// All events of an instruction, wherever they are.
inline std::vector<Answer> answers_for(const Judged& judged, const std::string& op) {
  std::vector<Answer> out;
  for (const Answer& answer : judged.answers) {
    if (answer.op == op) out.push_back(answer);
  }
  return out;
}

template <class Function>
void each_event(Recording& recording, Function function) {
  for (Device& device : recording.devices) {
    for (DeviceLine& line : device.lines) {
      for (DeviceEvent& event : line.events) function(event);
    }
  }
}

/// Takes the events away for which `gone` holds, as if the tracer had never written them.
template <class Predicate>
void erase_events(Recording& recording, Predicate gone) {
  for (Device& device : recording.devices) {
    for (DeviceLine& line : device.lines) std::erase_if(line.events, gone);
  }
}

using Words = std::vector<std::string>;
using Counts = std::map<std::string, int>;

}  // namespace jaxtrace::synth
