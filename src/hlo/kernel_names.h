// Which kernel XLA:GPU runs for each fusion, predicted from the HloProto alone.
//
// XLA compiles equal fusions once: the kernel is named after the first fusion emitted with the same
// key, and every later one runs under that name.  The key is the fused computation (post-order,
// without names, metadata and backend_configs; not the fusion's own configuration, so that tilings
// of one computation share the first one's kernel) and a fingerprint of the arguments, whose buffer
// slices the HloProto carries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hlo/buffers.h"
#include "hlo/program.h"

namespace jaxtrace::pb {
class HloProto;
}

namespace jaxtrace::hlo {

/// `name` as XLA spells it in a kernel symbol: every character outside [A-Za-z0-9_$] becomes '_'.
std::string sanitised(std::string_view name);

/// Sets the kernel names in Instruction::launches, and Instruction::kernel_name and name_group of
/// every fusion, in emission order (emission.h).
void predict_kernel_names(const pb::HloProto& proto, const Buffers& buffers, Program& program);

/// The instructions whose kernel may be named `kernel`, in emission order.  Where
/// Program::names_certain, those predicted to; else every fusion of the group (name_group) of the
/// fusion with that own name, from that fusion on.
std::vector<InstructionId> kernel_candidates(const Program& program, std::string_view kernel);

}  // namespace jaxtrace::hlo
