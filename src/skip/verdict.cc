// The rules in their order; docs/skip-stats.md has them as a table.
#include "skip/verdict.h"

#include <algorithm>

namespace jaxtrace {
Bound bound_of(Loss loss) {
  switch (loss) {
    case Loss::compile:
      return Bound::compile;
    case Loss::input:
      return Bound::input;
    case Loss::host:
      return Bound::host;
    case Loss::comm:
      return Bound::comm;
    case Loss::memcpy:
      return Bound::memcpy;
    case Loss::device_wait:
      return Bound::device_wait;
    case Loss::unknown:
      return Bound::unknown_idle;
  }
  return Bound::inconclusive;
}

Decision decide(const Shares& shares, const Thresholds& thresholds) {
  // Greatest first; of equals, the order of Loss.
  std::array<Loss, kLosses> order{};
  for (std::size_t i = 0; i < kLosses; ++i) order[i] = static_cast<Loss>(i);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](Loss loss) { return shares.of(loss); });
  Decision out;
  out.first = order[0];
  out.second = order[1];
  out.margin = shares.of(order[0]) - shares.of(order[1]);
  out.input_moderate = shares.of(Loss::input) >= thresholds.input_moderate &&
                       shares.of(Loss::input) < thresholds.input_high;
  if (shares.of(Loss::input) >= thresholds.input_high) {
    out.bound = Bound::input;
  } else if (shares.of(order[0]) < thresholds.high) {
    out.bound = shares.compute >= thresholds.gpu_bound ? Bound::gpu : Bound::mixed;
  } else if (out.margin < thresholds.margin && shares.of(order[1]) >= thresholds.high) {
    out.bound = Bound::mixed;
  } else {
    out.bound = bound_of(order[0]);
  }
  return out;
}

std::string_view name_of(Loss loss) {
  constexpr std::string_view kNames[] = {"compile", "input",       "host",   "communication",
                                         "memcpy",  "device wait", "unknown"};
  return kNames[static_cast<std::size_t>(loss)];
}

std::string in_words(const Decision& decision) {
  switch (decision.bound) {
    case Bound::inconclusive:
      return "inconclusive";
    case Bound::gpu:
      return "GPU-bound";
    case Bound::compile:
      return "compile-bound";
    case Bound::input:
      return "input-bound";
    case Bound::host:
      return "host-bound";
    case Bound::comm:
      return "communication-bound";
    case Bound::memcpy:
      return "memcpy-bound";
    case Bound::device_wait:
      return "device-wait-bound";
    case Bound::unknown_idle:
      return "idle for unknown reasons";
    case Bound::mixed:
      break;
  }
  return "mixed (" + std::string(name_of(decision.first)) + ", " +
         std::string(name_of(decision.second)) + ")";
}

}  // namespace jaxtrace
