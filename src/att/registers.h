// How many registers a wave of the kernel holds.
//
// Two sources, both imperfect: the instructions name registers (a lower bound: the compiler may
// allocate more), and kernel_trace.csv gives counts that some SDKs compute wrongly.  Each count
// says where it is from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "att/arch.h"
#include "jaxtrace/finding.h"
#include "jaxtrace/thread_trace.h"

namespace jaxtrace {

/// Registers that the instructions name: the highest number + 1.
struct RegisterScan {
  std::int64_t vgprs = 0;   ///< v0…v255
  std::int64_t accum = 0;   ///< a0…a255
  std::int64_t sgprs = 0;   ///< s0…s101
  std::int64_t beyond = 0;  ///< Operands that name a register no wave can have; not counted above

  /// VGPRs of the unified file: the accumulators begin at a multiple of 4.
  std::int64_t unified() const;
};

/// Ranges count to their last register; comments and symbols do not count.
RegisterScan scan_registers(std::span<const Instruction> instructions);

/// Whether two operands, such as "v[0:3]" and "v2", share a register.
bool overlaps(std::string_view a, std::string_view b);

struct RegisterCount {
  std::optional<std::int64_t> vgprs;  ///< Unified: VGPRs and accumulators as allocated together
  std::string vgpr_source;            ///< "kernel_trace.csv", "2 × VGPR_Count …", "instructions"
  bool lower_bound = false;           ///< The kernel may hold more
  std::optional<std::int64_t> otherwise;  ///< The other reading, where the sources leave two
  std::optional<std::int64_t> sgprs;      ///< Absent if not known
  std::vector<Finding> findings;
};

/// `resources` may be null.  For gfx950 with accumulators reported as 0, VGPR_Count is half of the
/// allocation in the SDKs that knew only gfx90a and gfx94x (see the .cc).
RegisterCount count_registers(Arch arch, const RegisterScan& scan,
                              const DispatchResources* resources);

}  // namespace jaxtrace
