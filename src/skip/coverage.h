// How much of any window some stretches of time cover, in logarithmic time: steps may overlap, so
// asking each of them by a walk would take the square of their number.
#pragma once

#include <algorithm>
#include <vector>

#include "skip/timeline.h"

namespace jaxtrace {

class Coverage {
 public:
  /// Stretches come by begin; what one shares with those before it counts once.
  void add(Window stretch) {
    if (!ends_.empty()) stretch.begin = std::max(stretch.begin, ends_.back());
    if (stretch.begin >= stretch.end) return;
    const Picoseconds before =
        ends_.empty() ? Picoseconds{0} : before_.back() + (ends_.back() - begins_.back());
    begins_.push_back(stretch.begin);
    ends_.push_back(stretch.end);
    before_.push_back(before);
  }

  Picoseconds within(Window window) const {
    return window.begin < window.end ? until(window.end) - until(window.begin) : Picoseconds{0};
  }

 private:
  Picoseconds until(Picoseconds instant) const {
    const auto after = std::ranges::upper_bound(begins_, instant);
    if (after == begins_.begin()) return Picoseconds{0};
    const auto row = static_cast<std::size_t>(after - begins_.begin()) - 1;
    return before_[row] + (std::min(instant, ends_[row]) - begins_[row]);
  }

  std::vector<Picoseconds> begins_, ends_, before_;
};

}  // namespace jaxtrace
