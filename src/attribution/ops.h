// The instructions that labels speak of, resolved once, with what every table says of them.
//
// A capture of several hosts carries the same program once a host, and program ids mean nothing
// outside their host.  Programs are the same, and their instructions one row, if id, module name
// and HLO agree; two that only share id and name stay apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attribution/attribution.h"
#include "hlo/provenance.h"

namespace jaxtrace {

struct Op {
  std::uint32_t program = kNone;  ///< Row of Attribution::programs: the first of its twins.
  hlo::InstructionId instruction = hlo::InstructionId::none;  ///< none if there is no HLO.
  std::string name{};
  std::string opcode{};
  hlo::Provenance source{};
};

struct Ops {
  std::vector<Op> rows;                 ///< By program, then place in the HLO, then name.
  std::vector<std::uint32_t> of_label;  ///< By label; kNone where it names no instruction.
  std::vector<std::uint32_t> twin;      ///< By program: the first program that is the same.
};

Ops find_ops(const Trace& trace, const Attribution& attribution,
             const hlo::UserTest& user = hlo::is_user_code);

/// "17", or empty for a program that the tracer gave no id.
std::string program_id_text(const AttributedProgram& program);

}  // namespace jaxtrace
