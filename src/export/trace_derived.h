// Lanes above the streams of a GPU: what its kernels belong to.
//
// Consecutive kernels of one execution that share a scope are one slice of it, and what else ran
// between them is inside; so are idle times.  A slice never spans executions, and so is known once
// the kernels of its execution are: these lanes are made while the file is written, not before.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "export/trace_rows.h"
#include "export/trace_texts.h"
#include "export/trace_threads.h"

namespace jaxtrace {

/// Up to this long, a kernel that begins before the one before it on its stream has ended is taken
/// to follow it: clocks of GPUs differ by that among their engines (31 to 193 ns were seen).
inline constexpr Picoseconds kSameTime{1'000'000};

/// One slice of the file that is no event of the capture.
struct DerivedSlice {
  Picoseconds begin{0}, duration{0};
  TraceThread thread;
  std::uint32_t text = 0;
  std::uint32_t kernels = 0;
};

/// What was cut so that slices nest.
struct CutSlices {
  std::uint64_t count = 0;
  Picoseconds longest{0};

  void add(Picoseconds time);
};

/// Kernels that get such lanes: of all streams of a GPU, or of one.
struct DerivedGroup {
  std::vector<std::uint32_t> events;  ///< With an instruction, by begin
  std::vector<std::uint8_t> row;      ///< By place in `events`
  std::size_t rows = 0;
  std::uint64_t left_out = 0;  ///< For which there was no row
};

DerivedGroup group_of(const Trace& trace, std::vector<std::uint32_t> events);

/// The three lanes of one row of a group, slice by slice, by begin.
class DerivedLanes {
 public:
  struct Threads {
    TraceThread frames, scopes, instructions;
  };

  DerivedLanes(const Trace& trace, const Attribution& attribution, const SliceTexts& texts,
               const DerivedGroup& group, std::uint8_t row, Threads threads, CutSlices& cut);

  bool next(DerivedSlice& slice);

 private:
  struct Item {
    std::uint32_t event = 0;
    Picoseconds begin{0}, end{0};
  };
  struct Nest {
    TraceThread thread;
    std::vector<std::uint32_t> path;  ///< Texts of what is open, outermost first,
    std::vector<std::size_t> open;    ///< and its slices
  };

  std::optional<Item> read();
  void fill();
  void step(Nest& nest, std::span<const std::uint32_t> path, const Item& item, std::size_t keep);
  void close(Nest& nest, std::size_t keep);
  bool same_execution(const Item& a, const Item& b) const;

  const Trace& trace_;
  const Attribution& attribution_;
  const SliceTexts& texts_;
  const DerivedGroup& group_;
  std::uint8_t row_;
  CutSlices& cut_;
  Nest frames_, scopes_, instructions_;
  std::unordered_set<StringId> names_;  ///< Kernels of the instruction that is open

  std::size_t at_ = 0;           ///< In the group
  std::optional<Item> pending_;  ///< Read, but of the next execution
  Picoseconds last_end_{0};
  std::vector<DerivedSlice> slices_;  ///< Of one execution
  std::size_t given_ = 0;
};

}  // namespace jaxtrace
