// Busy intervals of a SIMD's math units against the stalls of its waves.
#include "att/hidden.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "att/isa.h"
#include "att/line_index.h"
#include "att/saturating.h"

namespace jaxtrace {
namespace {

struct Interval {
  std::int64_t begin, end;
  auto operator<=>(const Interval&) const = default;
};

struct Stall {
  std::uint32_t row;
  std::int64_t begin, end;
};

/// Union of intervals, with the length of all before each.
class Coverage {
 public:
  explicit Coverage(std::vector<Interval>& intervals) {
    std::ranges::sort(intervals);
    for (const Interval& i : intervals) {
      if (!merged_.empty() && i.begin <= merged_.back().end) {
        merged_.back().end = std::max(merged_.back().end, i.end);
      } else {
        merged_.push_back(i);
      }
    }
    std::int64_t sum = 0;
    for (const Interval& i : merged_) {
      before_.push_back(sum);
      sum = saturating_add(sum, saturating_subtract(i.end, i.begin));
    }
  }

  std::int64_t within(std::int64_t begin, std::int64_t end) const {
    return std::max<std::int64_t>(0, saturating_subtract(until(end), until(begin)));
  }

 private:
  std::int64_t until(std::int64_t time) const {
    const auto after = std::ranges::upper_bound(merged_, time, {}, &Interval::begin);
    if (after == merged_.begin()) return 0;
    const auto k = static_cast<std::size_t>(after - merged_.begin()) - 1;
    return saturating_add(before_[k],
                          saturating_subtract(std::min(time, merged_[k].end), merged_[k].begin));
  }

  std::vector<Interval> merged_;
  std::vector<std::int64_t> before_;
};

using Place = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // Engine, CU, SIMD

}  // namespace

struct HiddenCollector::Simd {
  Simd(const ThreadTrace& trace, const DetectedArch& arch) : index(trace.instructions) {
    for (const Instruction& instruction : trace.instructions) {
      const std::string_view mnemonic = mnemonic_of(instruction.text);
      const bool matrix = is_matrix(mnemonic);
      math.push_back(matrix || mnemonic.starts_with("v_"));
      matrix_busy.push_back(matrix ? matrix_cycles(instruction.text, arch).value_or(0) : 0);
    }
    result.stall_cycles.resize(math.size());
    result.hidden_cycles.resize(math.size());
  }

  void finish_simd() {
    const Coverage coverage(busy);
    for (const Stall& s : stalls) {
      std::int64_t& all = result.stall_cycles[s.row];
      std::int64_t& hidden = result.hidden_cycles[s.row];
      all = saturating_add(all, saturating_subtract(s.end, s.begin));
      hidden = saturating_add(hidden, coverage.within(s.begin, s.end));
    }
    busy.clear();
    stalls.clear();
  }

  LineIndex index;
  std::vector<bool> math;
  std::vector<std::int64_t> matrix_busy;
  std::optional<Place> place;
  std::set<Place> done;
  std::vector<Interval> busy;
  std::vector<Stall> stalls;
  HiddenStall result;
};

HiddenCollector::HiddenCollector(const ThreadTrace& trace, const DetectedArch& arch)
    : simd_(std::make_unique<Simd>(trace, arch)) {}

HiddenCollector::~HiddenCollector() = default;

void HiddenCollector::add(const Wave& wave) {
  Simd& s = *simd_;
  const Place place{wave.engine, wave.cu, wave.simd};
  if (s.place != place) {
    if (s.place) s.finish_simd();
    if (!s.done.insert(place).second) ++s.result.split_simds;
    s.place = place;
  }
  ++s.result.waves;
  for (const WaveStep& step : wave.steps) {
    const std::uint32_t row = s.index.row(step.line);
    if (row == kNoRow) continue;
    const std::int64_t issued = saturating_add(step.begin, std::max<std::int64_t>(0, step.stall));
    if (step.stall > 0) s.stalls.push_back({row, step.begin, issued});
    if (!s.math[row]) continue;
    const std::int64_t issue =
        std::max<std::int64_t>(0, saturating_subtract(step.duration, step.stall));
    const std::int64_t end = saturating_add(issued, std::max(issue, s.matrix_busy[row]));
    if (end > issued) s.busy.push_back({issued, end});
  }
}

HiddenStall HiddenCollector::finish() {
  simd_->finish_simd();
  return std::move(simd_->result);
}

}  // namespace jaxtrace
