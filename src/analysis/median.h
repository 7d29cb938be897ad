#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace jaxtrace {

/// The lower of the two middle values, so always one that was measured; `values` is not empty.
template <typename Value>
Value lower_median(std::vector<Value> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace jaxtrace
