// What each doubt makes untrustworthy, and what to do about it.
#pragma once

#include <string>
#include <string_view>

namespace jaxtrace {

struct Trace;

struct Advice {
  std::string_view code;
  std::string_view affects;  ///< Empty for most checks, which say it themselves.
  std::string_view remedy;
  std::string_view amd{};  ///< The remedy where GPUs are AMD's; empty: the same
};

/// The advice on a check's id, a finding's code or a code of trust.h; a general one for others.
const Advice& advice_on(std::string_view code);

std::string_view remedy_for(const Advice& advice, const Trace& trace);

/// Whether GPUs of the capture are AMD's; a capture that does not say has none.
bool has_amd_gpu(const Trace& trace);

}  // namespace jaxtrace
