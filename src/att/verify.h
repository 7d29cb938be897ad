// Whether code.json says what its wave files say.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "att/totals.h"
#include "jaxtrace/thread_trace.h"

namespace jaxtrace {

struct VerifiedLine {
  std::int64_t line = 0;  ///< Instruction::line
  Cycles in_code, in_waves;
};

struct Verification {
  std::uint64_t waves = 0;          ///< That were read
  bool all_waves = false;           ///< As many as filenames.json lists: sums must be equal.
  std::uint64_t lines = 0;          ///< Compared
  std::vector<VerifiedLine> wrong;  ///< By line; without all waves: more in the waves than in code

  bool ok() const { return waves > 0 && wrong.empty(); }
};

/// Adds hits, latency, stall and idle up again, one wave at a time.
class Verifier {
 public:
  void add(const Wave& wave);
  Verification finish(const ThreadTrace& trace) const;

 private:
  std::unordered_map<std::int64_t, Cycles> lines_;
  std::uint64_t waves_ = 0;
};

}  // namespace jaxtrace
