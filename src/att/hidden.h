// How much of each instruction's stall the SIMD spent doing nothing.
//
// A wave may stall while the matrix or vector units of its SIMD work for another wave, or still
// work off what it issued itself: that time is not lost.  What remains is the better number to rank
// by.  It needs the wave files of all waves of a SIMD; with some missing it is an upper bound.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "att/arch.h"
#include "jaxtrace/thread_trace.h"

namespace jaxtrace {

struct HiddenStall {
  std::vector<std::int64_t> stall_cycles;   ///< For each row, in the waves seen
  std::vector<std::int64_t> hidden_cycles;  ///< Of these, while the SIMD's math units were busy
  std::uint64_t waves = 0;
  std::uint64_t split_simds = 0;  ///< SIMDs whose waves did not come one after the other
};

/// Takes waves SIMD by SIMD, which is the order of the sorted file names, and holds one SIMD.
class HiddenCollector {
 public:
  HiddenCollector(const ThreadTrace& trace, const DetectedArch& arch);
  ~HiddenCollector();
  HiddenCollector(const HiddenCollector&) = delete;
  HiddenCollector& operator=(const HiddenCollector&) = delete;

  void add(const Wave& wave);
  HiddenStall finish();

 private:
  struct Simd;
  std::unique_ptr<Simd> simd_;
};

}  // namespace jaxtrace
