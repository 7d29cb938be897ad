// Slices of one thread of a trace have to nest: viewers drop a slice that begins inside another and
// ends after it.  So what overlaps in a lane is put into more than one row, each a thread of its
// own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "jaxtrace/trace.h"

namespace jaxtrace {

inline constexpr std::uint8_t kNotDrawn = 0xff;

/// Rows of slices that come by begin, longer first.  Each goes into the first row that it fits
/// into; a lane has kMost rows at most.
class SliceRows {
 public:
  static constexpr std::uint8_t kMost = 250;

  enum class Inside : std::uint8_t {
    never,  ///< Slices of a row follow each other.
    whole,  ///< One may lie inside another.
  };

  /// Up to `tolerance`, a slice that reaches into the next one is to be cut where that begins.
  SliceRows(Inside inside, Picoseconds tolerance) : inside_(inside), tolerance_(tolerance) {}

  /// The slice's row; kNotDrawn if all are full.
  std::uint8_t place(Picoseconds begin, Picoseconds end);

  std::size_t size() const { return rows_.size(); }

 private:
  struct Open {
    Picoseconds begin, end;
  };

  bool fits(std::vector<Open>& row, Picoseconds begin, Picoseconds end) const;

  Inside inside_;
  Picoseconds tolerance_;
  std::vector<std::vector<Open>> rows_;  ///< What is open in each, outermost first
};

}  // namespace jaxtrace
