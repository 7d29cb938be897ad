// Medians, gaps, and what a deviation costs.
#include "attribution/durations.h"

#include <algorithm>
#include <cmath>

#include "analysis/launches.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kEnough = 65;               // Durations of a slot that make a median.
constexpr Cost kOddDuration = 12;                 // Most that an unlikely duration costs.
constexpr std::int64_t kLeastKernel = 1'500'000;  // ps; kernels shorter than that are rare.

/// 0 within a quarter, then 4 for every doubling.
Cost oddity(std::int64_t duration, std::int64_t typical) {
  if (typical <= 0 || duration <= 0) return 0;
  const double doublings =
      std::abs(std::log2(static_cast<double>(duration) / static_cast<double>(typical)));
  if (doublings < 0.32) return 0;
  return std::min<Cost>(kOddDuration, 2 + static_cast<Cost>(doublings * 4));
}

void mark_tight(const Trace& trace, std::span<const std::uint32_t> events,
                std::vector<Piece>& pieces) {
  if (events.size() < 3) return;
  const Events& e = trace.events;
  std::vector<std::int64_t> gaps{0};
  Picoseconds end = e.begin[events[0]] + e.duration[events[0]];
  for (std::size_t k = 1; k < events.size(); ++k) {
    gaps.push_back((e.begin[events[k]] - end).count());
    end = std::max(end, e.begin[events[k]] + e.duration[events[k]]);
  }
  // Most neighbours are neighbours in the schedule too: their gap is what a full schedule leaves.
  std::vector<std::int64_t> sorted(gaps.begin() + 1, gaps.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  for (std::size_t k = 1; k < events.size(); ++k) {
    // Between streams a gap says nothing.
    if (lane_of(trace, events[k]) != lane_of(trace, events[k - 1])) continue;
    pieces[k].tight = gaps[k] <= *middle + kLeastKernel;
    pieces[k].loose = !pieces[k].tight;
  }
}

}  // namespace

void Durations::learn(const Trace& trace, std::span<const std::uint32_t> events,
                      const Alignment& alignment, Cost clear) {
  for (std::size_t k = 0; k < events.size(); ++k) {
    const Explained& x = alignment.pieces[k];
    if (x.slot == kNoSlot || x.margin < clear) continue;
    auto& seen = seen_[x.slot];
    if (seen.size() < kEnough) seen.push_back(trace.events.duration[events[k]].count());
  }
}

std::int64_t Durations::typical(std::uint32_t slot) {
  const auto at = seen_.find(slot);
  if (at == seen_.end()) return 0;
  auto& seen = at->second;
  const auto middle = seen.begin() + static_cast<std::ptrdiff_t>(seen.size() / 2);
  std::ranges::nth_element(seen, middle);
  return *middle;
}

Timed::Timed(const Trace& trace, std::span<const std::uint32_t> events, std::vector<Piece> pieces,
             Durations& durations)
    : pieces_(std::move(pieces)), candidates_(pieces_.size()) {
  for (std::size_t k = 0; k < pieces_.size(); ++k) {
    Piece& piece = pieces_[k];
    if (piece.candidates.size() < 2) continue;
    candidates_[k].assign(piece.candidates.begin(), piece.candidates.end());
    for (Candidate& c : candidates_[k]) {
      c.cost += oddity(trace.events.duration[events[k]].count(), durations.typical(c.slot));
    }
    piece.candidates = candidates_[k];
  }
  mark_tight(trace, events, pieces_);
}

}  // namespace jaxtrace
