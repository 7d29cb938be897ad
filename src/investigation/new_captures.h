// Questions that this capture leaves open, and for each the capture that would answer it.
#pragma once

#include <string>
#include <vector>

#include "skip/checks.h"

namespace jaxtrace {

struct Investigated;
struct Roofline;

struct NewCapture {
  std::string question;  ///< What is not known: one sentence
  std::string capture;   ///< How to record it: flags and tools, as they are typed
  std::string command;   ///< The jaxtrace command that reads it
};

/// Most useful first, eight at most, none that the capture already answers.  `checks` are those of
/// integrity(); `roofline` may be null.
std::vector<NewCapture> new_captures(const Investigated& in, const std::vector<CheckResult>& checks,
                                     const Roofline* roofline);

}  // namespace jaxtrace
