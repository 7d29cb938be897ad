// Symptoms of a recording, each with what to change.  Only what these data show is said.
#include <fmt/format.h>

#include <algorithm>

#include "commands/hotspot/sections.h"

namespace jaxtrace {
namespace {

/// Waves that began and never came to an end of the program.
std::int64_t unfinished_waves(const HotspotDispatch& dispatch) {
  std::int64_t ends = 0;
  bool any_end = false, all_readable = true;
  for (const Instruction& instruction : dispatch.trace.instructions) {
    all_readable = all_readable && !instruction.damaged;
    if (!mnemonic_of(instruction.text).starts_with("s_endpgm")) continue;
    any_end = true;
    ends += instruction.hits;
  }
  const std::int64_t waves = traced_waves(dispatch).value_or(0);
  return any_end && all_readable ? std::max<std::int64_t>(0, waves - ends) : 0;
}

std::int64_t stall_without_source(const HotspotDispatch& dispatch) {
  std::int64_t stall = 0;
  for (const LineTotal& line : dispatch.totals.lines) {
    if (line.line.empty()) stall += line.cycles.stall;
  }
  return stall;
}

}  // namespace

std::string no_timing(Timing timing) {
  switch (timing) {
    case Timing::zero_hits:
      return "lists the kernel's instructions, but no traced wave executed one: launch more "
             "workgroups than the GPU has CUs, or set att_target_cu, att_shader_engine_mask and "
             "att_simd_select to where waves run";
    case Timing::pc_sampling:
      return "was made from PC samples, which have no cycles; record a thread trace instead, with "
             "rocprofv3 --att";
    default:
      return "holds no instruction with cycles: the traced CU ran no wave of this kernel, or the "
             "decoder failed; see that kernel_include_regex and kernel_iteration_range fit, set "
             "att_target_cu to a CU that gets work, and update rocprof-trace-decoder";
  }
}

std::vector<std::string> remedies(const HotspotDispatch& dispatch) {
  std::vector<std::string> result;
  const std::int64_t stall = dispatch.totals.all.stall;
  const std::int64_t nowhere = stall_without_source(dispatch);
  const bool any_source = std::ranges::any_of(dispatch.totals.lines,
                                              [](const LineTotal& l) { return !l.line.empty(); });
  if (!any_source) {
    result.emplace_back(
        "No instruction has a source line. Compile with debug information: `-g` for HIP and "
        "Triton, "
        "`FLYDSL_DEBUG_ENABLE_DEBUG_INFO=1` for FlyDSL.");
  } else if (nowhere > stall / 2) {
    result.push_back(fmt::format(
        "{} of the stall is on instructions without a source line: libraries and generated code "
        "have none unless they are compiled with `-g`.",
        share_text(nowhere, stall)));
  }
  for (const PlanArtefact& artefact : dispatch.plan.artefacts) {
    result.push_back(fmt::format("{}, with {} of the stall, is {}. Look at the lines after it.",
                                 escape_markdown(artefact.source),
                                 share_text(artefact.stall_cycles, stall),
                                 escape_markdown_sentence(artefact.why)));
  }
  if (const std::int64_t unfinished = unfinished_waves(dispatch); unfinished > 0) {
    result.push_back(fmt::format(
        "{} of {} traced do not reach the end of the program: the trace was cut off. Raise "
        "att_buffer_size, for example to \"0xC000000\", or trace fewer shader engines.",
        count_text(unfinished), counted(*traced_waves(dispatch), "wave")));
  }
  return result;
}

}  // namespace jaxtrace
