// What stands behind the operands of an instruction: the operation's own attributes, the
// computations it calls, sharding, frontend attributes and control predecessors.
#pragma once

#include <string>

#include "hlo/text.h"
#include "hlo/text/module_index.h"
#include "hlo/text/shapes.h"

namespace jaxtrace::hlo {

/// Each attribute after ", ".
void append_attributes(std::string& out, const ModuleIndex& index,
                       const InstructionRow& instruction, const TextOptions& options);

/// The shape of the result.  XLA keeps no result shape for what talks to a host or another program:
/// it makes one from what is sent or received, whatever the proto says.
void append_result_shape(std::string& out, const ModuleIndex& index,
                         const InstructionRow& instruction, Layouts layouts);

/// `%name` of a row, or `null` and the id if the proto does not hold it.
void append_instruction_name(std::string& out, const ModuleIndex& index, std::uint32_t row,
                             std::int64_t id);

/// The proto's opcode, or "compare" for the comparisons of old writers ("less-than" …).
std::string_view modern_opcode(std::string_view opcode);

}  // namespace jaxtrace::hlo
