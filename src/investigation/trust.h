// What an investigation cannot be trusted for: one list made of failed checks, findings and the
// shares of time that every analysis had to leave out.
//
// One fact stands once.  Where a check and a finding say the same, the check stays, because it
// knows what it affects; the finding's words stand in only where no check failed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skip/checks.h"

namespace jaxtrace {

struct Investigated;
struct Roofline;

/// How far the doubt goes.
enum class Gravity : std::uint8_t {
  fatal,    ///< What it affects cannot be claimed from this capture.
  serious,  ///< Numbers are off, or lower bounds.
  partial,  ///< A share is left out and said to be; the rest holds.
};

std::string_view name_of(Gravity gravity);

struct Distrust {
  std::string code;     ///< A check's id, a finding's code, or one of docs/investigate.md
  std::string affects;  ///< What cannot be trusted: one clause
  std::optional<std::int64_t> count;
  std::optional<double> share;  ///< 0 to 1, of `share_of`
  std::string share_of;         ///< "device events", "GPU time" …; empty without a share
  std::string reason;           ///< What was found: one clause or sentence
  std::string remedy;           ///< A thing to do: a flag, a tool
  Gravity gravity = Gravity::serious;
};

/// By gravity, then share (greatest first, absent last), then code; no code comes twice with the
/// same reason.  `checks` are those of integrity(); `roofline` may be null.
std::vector<Distrust> cannot_trust(const Investigated& in, const std::vector<CheckResult>& checks,
                                   const Roofline* roofline);

}  // namespace jaxtrace
