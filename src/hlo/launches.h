// What each instruction itself launches, as XLA:GPU's thunk emitter decides it.
#pragma once

#include <vector>

#include "hlo/buffers.h"
#include "hlo/program.h"

namespace jaxtrace::pb {
class HloInstructionProto;
class HloProto;
}  // namespace jaxtrace::pb

namespace jaxtrace::hlo {

/// By Program::instructions.
using ProtoRows = std::vector<const pb::HloInstructionProto*>;

ProtoRows proto_rows(const pb::HloProto& proto);

/// Sets Program::emitter, Instruction::launches, sync and the thunks around them.  Kernels are not
/// named yet.
void find_launches(const pb::HloProto& proto, const Buffers& buffers, Program& program);

}  // namespace jaxtrace::hlo
