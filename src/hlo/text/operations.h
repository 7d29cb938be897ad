// The attributes of each kind of operation, in XLA's order, each after ", ".
#pragma once

#include <string>
#include <string_view>

#include "hlo/text/module_index.h"

namespace jaxtrace::hlo {

/// Nothing for an operation without attributes of its own, or one that is unknown.
void append_own_attributes(std::string& out, const ModuleIndex& index,
                           const InstructionRow& instruction);

/// Those that operations share.
void append_execution_thread(std::string& out, const pb::HloInstructionProto& proto);
void append_output_aliasing(std::string& out, const pb::HloInstructionProto& proto);
void append_result_accuracy(std::string& out, const pb::HloInstructionProto& proto);

}  // namespace jaxtrace::hlo
