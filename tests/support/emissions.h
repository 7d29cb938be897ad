// What one thunk puts on a device: kernels, copies, fills, as the tracer of each style shows them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/recording.h"
#include "support/thunks.h"

namespace jaxtrace::synth {

struct Emission {
  std::string name;       ///< As the device event is named
  std::string host_call;  ///< As the host call is named where it is launched by itself
  std::string details;
  EventKind kind = EventKind::kernel;
  bool collective = false;
  bool control = false;  ///< A driver's kernel for a conditional node: no instruction's
};

/// The work of a thunk without content of its own: empty for what launches nothing.
std::vector<Emission> emissions(const Thunk& thunk, const Facts& facts, Style style,
                                std::uint64_t seed, std::size_t devices, std::uint64_t variation);

/// The copy of a loop's predicate or a branch number to the host.
Emission host_copy(Style style, std::int64_t bytes);

/// `set_while_condition` and its like.
Emission control(Style style, std::string_view name);

}  // namespace jaxtrace::synth
