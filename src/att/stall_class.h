// What kind of instruction stalled.
//
// The class goes by the mnemonic (the first word) and, for waits, by the counters they name, never
// by a word somewhere in the line: "ds_load_b128" holds "s_load", "s_buffer_load_dword" holds
// "buffer_load".
#pragma once

#include <cstdint>
#include <string_view>

#include "att/isa.h"

namespace jaxtrace {

/// In the order of the table in docs/hotspot.md.
enum class StallClass : std::uint8_t {
  vmem_load,      ///< buffer, global, flat, image loads: the load itself could not be issued
  vmem_load_lds,  ///< The same, straight into LDS
  vmem_store,
  vmem_atomic,
  cache,    ///< Write-back and invalidation of caches
  scratch,  ///< Private memory: spills and stack
  lds,
  lds_xlane,  ///< Exchange between lanes through the LDS's crossbar: ds_bpermute, ds_swizzle
  smem,
  vmem_wait,
  vstore_wait,
  lds_smem_wait,  ///< lgkmcnt, which does not tell one from the other
  lds_wait,
  smem_wait,
  export_wait,
  mixed_wait,  ///< One instruction that waits for counters of several classes
  all_wait,    ///< s_wait_idle
  alu_wait,
  barrier,
  barrier_signal,
  matrix,
  valu,
  trans,  ///< exp, log, rcp, rsq, sqrt, sin, cos: a quarter of the rate
  acc,    ///< Moves to and from accumulation registers
  salu,
  branch,
  nop,
  message,
  other,
};
inline constexpr std::size_t kStallClasses = static_cast<std::size_t>(StallClass::other) + 1;

/// "VMEM-load", "LDS/SMEM-wait" …
std::string_view name_of(StallClass stall_class);

/// Why instructions of this class stall, in a few words.
std::string_view cause_of(StallClass stall_class);

/// `family` is 9 to 12, as for waits_of().
StallClass stall_class_of(std::string_view isa, int family);

/// The class of a wait for this counter alone.
StallClass stall_class_of(WaitCounter counter);

}  // namespace jaxtrace
