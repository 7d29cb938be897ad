// Time as evidence, where names and order leave a choice.
//
// A dropped record leaves a hole in the timeline, and a kernel takes about as long in every launch.
// Neither decides anything by itself: times only choose between explanations that are equally good
// without them.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "attribution/aligner.h"
#include "jaxtrace/trace.h"

namespace jaxtrace {

/// How long the kernels of each slot take, from answers that were clear.
class Durations {
 public:
  /// Learns from the answers whose margin is at least `clear`.
  void learn(const Trace& trace, std::span<const std::uint32_t> events, const Alignment& alignment,
             Cost clear);

  /// Median of the slot, or 0 if nothing clear was seen of it.
  std::int64_t typical(std::uint32_t slot);

 private:
  std::unordered_map<std::uint32_t, std::vector<std::int64_t>> seen_;
};

/// Pieces with the evidence of their times added: a cost for unlikely durations, and Piece::tight.
class Timed {
 public:
  Timed(const Trace& trace, std::span<const std::uint32_t> events, std::vector<Piece> pieces,
        Durations& durations);
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

  std::span<const Piece> pieces() const { return pieces_; }

 private:
  std::vector<Piece> pieces_;
  std::vector<std::vector<Candidate>> candidates_;  // what the pieces refer to
};

}  // namespace jaxtrace
