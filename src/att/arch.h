// Which GPU a thread trace is from.
//
// Nothing in an ATT directory says gfx942 or gfx950, and most kernels use no instruction that only
// one of them has.  So the answer carries what it was found from, and where two remain, both are
// candidates: every later number is then given for each, never for a guess.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jaxtrace/finding.h"
#include "jaxtrace/thread_trace.h"

namespace jaxtrace {

/// The GPUs whose occupancy is modelled; `other` is every other one, and none at all.
enum class Arch : std::uint8_t { other, gfx90a, gfx942, gfx950 };

/// "gfx942"; empty for `other`.
std::string_view name_of(Arch arch);

/// By "gfx942".  `other` for a gfx name without a model; absent if it is no gfx name.
std::optional<Arch> arch_of(std::string_view name);

struct DetectedArch {
  Arch arch = Arch::other;       ///< `other` while several candidates remain
  std::string name;              ///< "gfx942", "gfx1100", "gfx9 (gfx942 or gfx950)"
  std::string evidence;          ///< "agent_info.csv", "instruction 149 (v_bitop3_b32)" …
  int family = 9;                ///< 9 to 12; 9 where nothing says otherwise
  std::vector<Arch> candidates;  ///< One if it is known, empty if it is not modelled
  std::vector<Finding> findings;
};

/// In this order: what the caller asked for (a gfx name, or empty), the dispatch's agent, the
/// family in filenames.json, the kernel's own name, the instructions, the LDS of the dispatch.
DetectedArch detect_arch(const ThreadTrace& trace, std::string_view asked);

}  // namespace jaxtrace
