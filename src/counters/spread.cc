#include "counters/spread.h"

#include <algorithm>

namespace jaxtrace {

std::optional<WideSpread> wide_spread(std::vector<std::int64_t> values, double factor,
                                      std::int64_t floor) {
  constexpr std::size_t kFewest = 4;
  if (values.size() < kFewest) return std::nullopt;
  std::ranges::sort(values);
  const std::int64_t least = values.front();
  const std::int64_t most = values[values.size() - 2];
  if (most - least < floor || static_cast<double>(most) < factor * static_cast<double>(least)) {
    return std::nullopt;
  }
  return WideSpread{least, values[values.size() / 2], most, values.size()};
}

}  // namespace jaxtrace
