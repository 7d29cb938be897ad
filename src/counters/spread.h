// Whether launches that should be alike are: the same kernel with the same grid and workgroup. What
// their arguments were is not recorded, so a spread is a question to ask and not an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace jaxtrace {

struct WideSpread {
  std::int64_t least = 0;
  std::int64_t median = 0;
  std::int64_t most = 0;
  std::size_t launches = 0;
};

/// Values of one launch shape, in any order; absent if they are few or lie together: less than
/// `factor` times apart, or by less than `floor`.  The first launch pays for warming up, so the
/// single largest value is left out of the judgement.
std::optional<WideSpread> wide_spread(std::vector<std::int64_t> values, double factor,
                                      std::int64_t floor);

}  // namespace jaxtrace
