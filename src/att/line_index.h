// From the LineNumber by which wave files name an instruction to its row.
//
// Line numbers nearly always count rows, so a table serves; where a file spreads them out, a search
// does.  Of rows that share a number the first counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "jaxtrace/thread_trace.h"

namespace jaxtrace {

inline constexpr std::uint32_t kNoRow = 0xffffffff;

class LineIndex {
 public:
  explicit LineIndex(std::span<const Instruction> instructions) {
    for (std::uint32_t k = 0; k < instructions.size(); ++k) {
      lines_.emplace_back(instructions[k].line, k);
    }
    std::ranges::sort(lines_);
    if (lines_.empty() || lines_.front().first < 0) return;
    const auto last = static_cast<std::uint64_t>(lines_.back().first);
    if (last > 4 * lines_.size() + 1024) return;
    direct_.assign(last + 1, kNoRow);
    for (std::size_t k = lines_.size(); k-- > 0;) {
      direct_[static_cast<std::size_t>(lines_[k].first)] = lines_[k].second;
    }
    lines_ = {};
  }

  std::uint32_t row(std::int64_t line) const {
    if (!direct_.empty()) {
      const auto at = static_cast<std::uint64_t>(line);
      return at < direct_.size() ? direct_[at] : kNoRow;
    }
    const auto at = std::ranges::lower_bound(lines_, std::pair(line, std::uint32_t{0}));
    return at != lines_.end() && at->first == line ? at->second : kNoRow;
  }

 private:
  std::vector<std::pair<std::int64_t, std::uint32_t>> lines_;
  std::vector<std::uint32_t> direct_;  ///< Empty where the numbers are too far apart
};

}  // namespace jaxtrace
