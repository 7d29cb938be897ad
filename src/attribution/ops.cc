// Labels → distinct instructions.  Thousands of rows at most, so plain maps serve.
#include "attribution/ops.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace jaxtrace {
namespace {

bool same_location(const hlo::Program& a, hlo::FrameId frame_a, const hlo::Program& b,
                   hlo::FrameId frame_b) {
  const bool has_a = frame_a >= 1 && frame_a <= a.frames.size();
  const bool has_b = frame_b >= 1 && frame_b <= b.frames.size();
  if (!has_a || !has_b) return has_a == has_b;
  const hlo::Frame& fa = a.frames[frame_a - 1];
  const hlo::Frame& fb = b.frames[frame_b - 1];
  return fa.line == fb.line && fa.file == fb.file && fa.function == fb.function;
}

/// Compared as parsed: two processes may write the maps of one proto in different order.
bool same_hlo(const hlo::Program& a, const hlo::Program& b) {
  if (a.instructions.size() != b.instructions.size() ||
      a.computations.size() != b.computations.size() || a.entry != b.entry) {
    return false;
  }
  for (std::size_t i = 0; i < a.computations.size(); ++i) {
    const hlo::Computation& ca = a.computations[i];
    const hlo::Computation& cb = b.computations[i];
    if (ca.schedule != cb.schedule || ca.instructions != cb.instructions || ca.root != cb.root) {
      return false;
    }
  }
  return std::ranges::equal(
      a.instructions, b.instructions, [&](const hlo::Instruction& x, const hlo::Instruction& y) {
        return x.name == y.name && x.opcode == y.opcode && x.operands == y.operands &&
               x.called == y.called && x.op_name == y.op_name && x.source_file == y.source_file &&
               x.source_line == y.source_line && x.backend_config == y.backend_config &&
               x.result_bytes == y.result_bytes && same_location(a, x.frame, b, y.frame);
      });
}

bool same_program(const AttributedProgram& a, const AttributedProgram& b) {
  if (a.program_id != b.program_id || a.module != b.module) return false;
  if (a.hlo.has_value() != b.hlo.has_value()) return false;
  return !a.hlo || same_hlo(*a.hlo, *b.hlo);
}

std::vector<std::uint32_t> find_twins(const Attribution& attribution) {
  std::vector<std::uint32_t> twin;
  std::map<std::tuple<std::int64_t, StringId>, std::vector<std::uint32_t>> firsts;
  for (std::uint32_t i = 0; i < attribution.programs.size(); ++i) {
    const AttributedProgram& program = attribution.programs[i];
    auto& candidates = firsts[{program.program_id, program.module}];
    const auto same = std::ranges::find_if(candidates, [&](std::uint32_t first) {
      return same_program(attribution.programs[first], program);
    });
    twin.push_back(same == candidates.end() ? i : *same);
    if (same == candidates.end()) candidates.push_back(i);
  }
  return twin;
}

/// Of labels without HLO, the op_name that the tracer wrote on their first event.
std::vector<std::string> traced_op_names(const Trace& trace, const Attribution& attribution) {
  std::vector<std::string> names(attribution.labels.size());
  std::size_t open = 0;
  std::vector<bool> wanted(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    wanted[i] = attribution.labels[i].rule == Rule::tracer_text;
    if (wanted[i]) ++open;
  }
  for (std::size_t event = 0; event < attribution.label.size() && open > 0; ++event) {
    const std::uint32_t label = attribution.label[event];
    if (!wanted[label]) continue;
    const Annotation& said =
        trace.annotations[static_cast<std::size_t>(trace.events.annotation[event])];
    const std::string_view prefix = trace.strings[said.prefix];
    const std::string_view name = trace.strings[said.op_name];
    if (name.empty() && prefix.empty()) continue;
    names[label] = prefix;
    if (!prefix.empty() && !name.empty() && !prefix.ends_with('/')) names[label] += '/';
    names[label] += name;
    wanted[label] = false;
    --open;
  }
  return names;
}

}  // namespace

Ops find_ops(const Trace& trace, const Attribution& attribution, const hlo::UserTest& user) {
  Ops ops;
  ops.twin = find_twins(attribution);
  const std::vector<std::string> traced = traced_op_names(trace, attribution);

  using Key = std::tuple<std::uint32_t, hlo::InstructionId, std::string_view>;
  std::map<Key, std::uint32_t> rows;
  const auto key_of = [&](const Label& label) {
    const std::uint32_t program = label.program == kNone ? kNone : ops.twin[label.program];
    return Key(program, label.instruction, trace.strings[label.named]);
  };
  const auto names_instruction = [](const Label& label) {
    return label.instruction != hlo::InstructionId::none || label.named != StringId::empty;
  };
  for (const Label& label : attribution.labels) {
    if (names_instruction(label)) rows.emplace(key_of(label), 0);
  }

  for (auto& [key, row] : rows) {
    row = static_cast<std::uint32_t>(ops.rows.size());
    const auto& [program, instruction, named] = key;
    Op op{.program = program, .instruction = instruction, .name = std::string(named)};
    if (program != kNone && instruction != hlo::InstructionId::none) {
      const hlo::Program& hlo = *attribution.programs[program].hlo;
      op.name = hlo[instruction].name;
      op.opcode = hlo[instruction].opcode;
    }
    ops.rows.push_back(std::move(op));
  }

  // One search a program, for it indexes the program once.
  for (std::size_t first = 0; first < ops.rows.size();) {
    std::size_t last = first;
    std::vector<hlo::InstructionId> wanted;
    while (last < ops.rows.size() && ops.rows[last].program == ops.rows[first].program) {
      wanted.push_back(ops.rows[last++].instruction);
    }
    if (const std::uint32_t program = ops.rows[first].program;
        program != kNone && attribution.programs[program].hlo) {
      auto found = hlo::provenances(*attribution.programs[program].hlo, wanted, user);
      for (std::size_t i = first; i < last; ++i) ops.rows[i].source = std::move(found[i - first]);
    }
    first = last;
  }

  for (std::size_t i = 0; i < attribution.labels.size(); ++i) {
    const Label& label = attribution.labels[i];
    ops.of_label.push_back(names_instruction(label) ? rows.at(key_of(label)) : kNone);
    if (traced[i].empty()) continue;
    hlo::Provenance& source = ops.rows[ops.of_label[i]].source;
    if (!source.op_name.empty()) continue;
    source.op_name = traced[i];
    source.phase = hlo::phase_of(traced[i]);
  }
  return ops;
}

std::string program_id_text(const AttributedProgram& program) {
  return program.program_id == kNoProgram ? std::string() : std::to_string(program.program_id);
}

}  // namespace jaxtrace
