// The host events (or the repeating kernels) that steps are told by, before device work is dealt
// out to them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "skip/steps.h"

namespace jaxtrace {

/// Host events of one host that begin a step each, by begin.
struct Anchors {
  HostId host{};
  std::uint32_t lane = 0;  ///< Row of Trace::lanes; all of them are in it
  std::vector<std::uint32_t> events;
  std::vector<std::int64_t> numbers;  ///< step_num, or 0, 1, 2 …
};

struct AnchorSet {
  std::string name;
  std::vector<Anchors> hosts;  ///< At most one a host

  std::size_t most() const;  ///< Steps of the host that has most
};

/// StepTraceAnnotation events; of several names, the one that lasts longest in all.
AnchorSet annotation_anchors(const Trace& trace);

/// Outermost calls of one jitted function, `wanted` or the one that launched the most device time.
AnchorSet function_anchors(const Trace& trace, const Works& works, const std::string& wanted);

/// Outermost `PjitFunction(f)` events of a lane, by begin: jit's C++ path records each call twice,
/// nested.
struct Call {
  std::uint32_t event;
  StringId name;  ///< "PjitFunction(f)"
};
std::vector<Call> outermost_calls(const Trace& trace, std::size_t lane);

/// "f" of "PjitFunction(f)"; empty if it is none.
std::string_view called_function(std::string_view event_name);

}  // namespace jaxtrace
