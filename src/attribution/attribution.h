// Which HLO instruction each piece of device work belongs to, and how sure that is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/program.h"
#include "jaxtrace/trace.h"

namespace jaxtrace {

/// How an event was attributed; strongest first.
enum class Match : std::uint8_t {
  exact,  ///< The tracer itself named the instruction.
  name,   ///< The kernel's name has one candidate where it ran.
  order,  ///< Several candidates share the name, or the kernel is a library's: the schedule
          ///< decides.
  none,   ///< No candidate.
};

/// Why an event got its match: one row of how.csv each, and one line of docs/attribute.md.
enum class Rule : std::uint8_t {
  tracer,             // exact: hlo_op names an instruction that launches work
  tracer_text,        // exact: hlo_op as written, but the capture has no HLO of the program
  unique_name,        // name: one instruction of the program runs under this kernel name
  window_name,        // name: one instruction between the neighbours that are known
  warm_up,            // order: the tracer saw this kernel under this instruction, and no other
  graph_node,         // order: by node id, learned over all launches of the graph
  graph_order,        // order: by place in the graph launch
  schedule,           // order: by place in the program's schedule
  ambiguous,          // order: several explanations are equally good
  no_program,         // none: no program, launch or neighbour says whose work it is
  outside_execution,  // none: launched outside every execution (device_put, transfers)
  no_hlo,             // none: the capture has no HLO of its program
  no_candidate,       // none: nothing in the schedule fits it
  control,            // none: a graph's own control kernel
  whole_graph,        // none: one event stands for a whole graph launch
  damaged,            // none: corrupt timing; not in any total
};

std::string_view text(Match match);
std::string_view text(Rule rule);    ///< "unique-name"
std::string_view reason(Rule rule);  ///< One sentence for people.

enum class Kind : std::uint8_t { kernel, memcpy, memset, collective, graph };
std::string_view text(Kind kind);

inline constexpr std::uint32_t kNone = 0xffffffff;

/// One answer; many events share it.
struct Label {
  std::uint32_t program = kNone;  ///< Row of Attribution::programs.
  hlo::InstructionId instruction = hlo::InstructionId::none;
  StringId named = StringId::empty;  ///< tracer_text: the instruction as the tracer wrote it.
  Match match = Match::none;
  Rule rule = Rule::no_program;
  std::uint16_t confidence = 0;  ///< In thousandths.

  bool operator==(const Label&) const = default;
};

/// A program that ran on a device of the capture, or that the capture carries.
struct AttributedProgram {
  HostId host;
  StringId module;  ///< "jit_step"
  std::int64_t program_id = kNoProgram;
  std::uint32_t trace_module = kNone;  ///< Row of Trace::modules, kNone if it is not there.
  std::optional<hlo::Program> hlo;     ///< Absent if the capture has no readable HLO of it.
};

struct Attribution {
  std::vector<AttributedProgram> programs;  ///< By host, program id, module name.
  std::vector<Label> labels;                ///< Distinct.

  // Column i describes device event i of Trace::events (there are Trace::device_events of them).
  std::vector<std::uint32_t> label;      ///< Row of `labels`; never kNone.
  std::vector<std::uint32_t> execution;  ///< Ordinal among its program's on its device; kNone.
  std::vector<Kind> kind;
  std::vector<bool> in_graph;  ///< Launched as part of a command buffer (CUDA or HIP graph).

  std::vector<Finding> findings;
};

struct AttributeOptions {
  std::optional<std::int64_t> program;  ///< Only this program id is attributed and reported.
};

/// Attributes every device event of `trace`.  Pure and deterministic.
Attribution attribute(const Trace& trace, const AttributeOptions& options = {});

}  // namespace jaxtrace
