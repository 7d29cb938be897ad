// A library call runs as many kernels as it ran in most executions that are there, since the HLO
// does not say: a capture in which each of them lost some shows less missing than is.
#include "investigation/run_coverage.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/launches.h"
#include "hlo/schedule.h"
#include "investigation/investigated.h"

namespace jaxtrace {
namespace {

/// Beyond it a count is a hostile file's, and only has to stay in 64 bits.
constexpr std::uint64_t kMost = std::uint64_t{1} << 30U;

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return a > 0 && b > kMost / a ? kMost : std::min(a * b, kMost);
}

/// How often one run passes each slot; absent if the HLO leaves that open.
void count_passes(const hlo::Schedule& schedule, std::uint32_t node,
                  std::optional<std::uint64_t> passes,
                  std::vector<std::optional<std::uint64_t>>& out) {
  const hlo::Node& at = schedule.nodes[node];
  if (at.of == hlo::Node::Of::slot) {
    out[at.slot] = passes;
    return;
  }
  if (at.of == hlo::Node::Of::branch) passes.reset();
  if (at.of == hlo::Node::Of::loop) {
    passes = passes && at.trips ? std::optional(times(*passes, *at.trips)) : std::nullopt;
  }
  for (const std::uint32_t child : at.children) count_passes(schedule, child, passes, out);
}

/// What one run launches under an instruction.
struct Launched {
  std::uint64_t own = 0;      ///< Kernels that XLA made: exactly so many
  std::uint64_t library = 0;  ///< Calls of a library: one kernel or more each
  std::uint64_t copies = 0;
  bool open = false;
};
using ByInstruction = std::map<hlo::InstructionId, Launched>;

ByInstruction launched_by(const hlo::Program& program) {
  const hlo::Schedule schedule = hlo::build_schedule(program);
  std::vector<std::optional<std::uint64_t>> passes(schedule.slots.size(), 0);
  if (!schedule.nodes.empty()) count_passes(schedule, 0, 1, passes);
  ByInstruction out;
  for (std::size_t s = 0; s < schedule.slots.size(); ++s) {
    const hlo::Slot& slot = schedule.slots[s];
    Launched& launched = out[slot.instruction];
    if (slot.optional || !passes[s] || slot.work == hlo::Work::custom_call) {
      launched.open = true;
      continue;
    }
    // Fills of a few bytes are written by the driver, without a record.
    if (slot.work == hlo::Work::fill) continue;
    const bool copy = slot.work == hlo::Work::copy || slot.work == hlo::Work::host_copy;
    std::uint64_t& count = copy                                 ? launched.copies
                           : slot.work == hlo::Work::own_kernel ? launched.own
                                                                : launched.library;
    count = std::min(count + *passes[s], kMost);
  }
  return out;
}

struct Counts {
  /// Kernels of each library call in most of the executions that have any; of equals the fewer.
  std::map<hlo::InstructionId, std::uint64_t> usual;
  std::map<hlo::InstructionId, std::uint64_t> kernels, copies;
  std::uint64_t unplaced = 0;  ///< Kernels of the program without an instruction
  bool whole_graphs = false;
};

/// A kernel of a library call, by the execution that it is in.
struct LibraryKernel {
  std::uint32_t label;
  DeviceId device;
  std::uint32_t execution;
  auto operator<=>(const LibraryKernel&) const = default;
};

void find_usual(const Attribution& attribution, std::vector<LibraryKernel> kernels,
                std::vector<Counts>& out) {
  std::ranges::sort(kernels);
  std::map<std::uint32_t, std::map<std::uint64_t, std::uint64_t>> histogram;
  for (std::size_t i = 0; i < kernels.size();) {
    std::size_t end = i;
    while (end < kernels.size() && kernels[end] == kernels[i]) ++end;
    ++histogram[kernels[i].label][end - i];
    i = end;
  }
  for (const auto& [row, counted] : histogram) {
    const Label& label = attribution.labels[row];
    const auto most = std::ranges::max_element(counted, {}, [](const auto& c) { return c.second; });
    std::uint64_t& usual = out[label.program].usual[label.instruction];
    usual = std::max(usual, most->first);
  }
}

std::vector<Counts> count_events(const Investigated& in,
                                 const std::vector<ByInstruction>& launched) {
  const Attribution& attribution = in.attribution;
  struct OfLabel {
    std::uint64_t kernels = 0, copies = 0;
    bool library = false;
  };
  std::vector<OfLabel> labels(attribution.labels.size());
  for (std::size_t l = 0; l < labels.size(); ++l) {
    const Label& label = attribution.labels[l];
    if (label.program == kNone) continue;
    const auto at = launched[label.program].find(label.instruction);
    labels[l].library = at != launched[label.program].end() && at->second.library > 0;
  }
  std::vector<LibraryKernel> library;
  std::vector<Counts> out(attribution.programs.size());
  for (const Lane& lane : in.trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      OfLabel& label = labels[attribution.label[i]];
      const WorkClass cls = in.skip.works.cls[i];
      const Kind kind = attribution.kind[i];
      if (cls == WorkClass::memcpy || cls == WorkClass::memset || kind == Kind::memcpy ||
          kind == Kind::memset) {
        ++label.copies;
        continue;
      }
      ++label.kernels;
      if (label.library && attribution.execution[i] != kNone) {
        library.push_back({attribution.label[i], lane.device, attribution.execution[i]});
      }
      const std::uint32_t program = attribution.labels[attribution.label[i]].program;
      if (kind == Kind::graph && program != kNone) out[program].whole_graphs = true;
    }
  }
  for (std::size_t l = 0; l < labels.size(); ++l) {
    const Label& label = attribution.labels[l];
    if (label.program == kNone) continue;
    Counts& counts = out[label.program];
    if (label.instruction == hlo::InstructionId::none) {
      counts.unplaced += labels[l].kernels;
    } else {
      counts.kernels[label.instruction] += labels[l].kernels;
      counts.copies[label.instruction] += labels[l].copies;
    }
  }
  find_usual(attribution, std::move(library), out);
  return out;
}

RunCoverage cover(std::uint32_t row, std::uint64_t runs, const ByInstruction& launched,
                  const Counts& counts) {
  RunCoverage out{.program = row, .runs = runs};
  const auto of = [](const auto& map, hlo::InstructionId id) -> std::uint64_t {
    const auto at = map.find(id);
    return at == map.end() ? 0 : at->second;
  };
  std::uint64_t seen = counts.unplaced;
  for (const auto& [id, one] : launched) {
    if (one.open) {
      ++out.open;
      continue;
    }
    const std::uint64_t kernels =
        one.library == 0 ? one.own : std::max(one.own + one.library, of(counts.usual, id));
    out.expected += times(kernels, runs);
    out.copies += times(one.copies, runs);
    seen += of(counts.kernels, id);
    out.copies_seen += std::min(of(counts.copies, id), times(one.copies, runs));
  }
  out.seen = std::min(seen, out.expected);
  return out;
}

/// By host event that is a program's run: the program of the work that it launched, else kNone.
std::vector<std::uint32_t> programs_of_runs(const Investigated& in) {
  const Launches& launches = in.skip.works.launches;
  std::vector<std::uint32_t> out(in.trace.events.size() - in.trace.device_events, kNone);
  for (std::size_t i = 0; i < in.trace.device_events; ++i) {
    const std::uint32_t program = in.attribution.labels[in.attribution.label[i]].program;
    if (launches.interval[i] == kNoEvent || program == kNone) continue;
    out[launches.interval[i] - in.trace.device_events] = program;
  }
  return out;
}

/// Calls `visit(lane, event, module)` for every host event that is a program's run.
template <typename Visit>
void each_run(const Trace& trace, Visit visit) {
  std::vector<std::optional<std::string_view>> modules(trace.strings.size());
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::host) continue;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      auto& module = modules[static_cast<std::size_t>(trace.events.name[i])];
      if (!module) module = module_of_interval(trace.strings[trace.events.name[i]]);
      if (!module->empty()) visit(lane, i, *module);
    }
  }
}

/// Programs of one name on one host, where it ran.
using Named = std::map<std::pair<HostId, std::string_view>, std::vector<std::uint32_t>>;

Named programs_that_ran(const Investigated& in) {
  Named named;
  each_run(in.trace, [&](const Lane& lane, std::size_t, std::string_view module) {
    named.try_emplace({lane.host, module});
  });
  for (std::uint32_t p = 0; p < in.attribution.programs.size(); ++p) {
    const AttributedProgram& program = in.attribution.programs[p];
    const auto at = named.find({program.host, in.trace.strings[program.module]});
    if (at != named.end()) at->second.push_back(p);
  }
  return named;
}

/// Runs of each program.  Of several programs of one name, a run of which nothing was recorded is
/// taken for that of the one that launches `least`.
std::vector<std::uint64_t> count_runs(const Investigated& in, const Named& named,
                                      const std::vector<std::uint64_t>& least) {
  const std::vector<std::uint32_t> program_of = programs_of_runs(in);
  std::vector<std::uint64_t> runs(in.attribution.programs.size(), 0);
  each_run(in.trace, [&](const Lane& lane, std::size_t run, std::string_view module) {
    const std::vector<std::uint32_t>& rows = named.find({lane.host, module})->second;
    if (rows.empty()) return;
    std::uint32_t program = rows.size() > 1 ? program_of[run - in.trace.device_events] : rows[0];
    if (program == kNone) {
      program = *std::ranges::min_element(rows, {}, [&](auto p) { return least[p]; });
    }
    ++runs[program];
  });
  return runs;
}

ByInstruction launched_by(const Trace& trace, const AttributedProgram& program) {
  if (program.hlo) return launched_by(*program.hlo);
  // The HLO of a program of which nothing was recorded was not needed so far.
  if (program.trace_module == kNone) return {};
  const auto hlo = hlo::parse_program(trace.modules[program.trace_module].hlo_proto);
  return hlo ? launched_by(*hlo) : ByInstruction{};
}

}  // namespace

std::vector<RunCoverage> run_coverage(const Investigated& in) {
  const Named named = programs_that_ran(in);
  std::vector<ByInstruction> launched(in.attribution.programs.size());
  for (const auto& [name, rows] : named) {
    for (const std::uint32_t p : rows) {
      launched[p] = launched_by(in.trace, in.attribution.programs[p]);
    }
  }
  const std::vector<Counts> counts = count_events(in, launched);
  std::vector<std::uint64_t> least;
  for (std::uint32_t p = 0; p < counts.size(); ++p) {
    least.push_back(cover(p, 1, launched[p], counts[p]).expected);
  }
  const std::vector<std::uint64_t> runs = count_runs(in, named, least);
  std::vector<RunCoverage> out;
  for (std::uint32_t p = 0; p < counts.size(); ++p) {
    if (runs[p] == 0 || launched[p].empty() || counts[p].whole_graphs) continue;
    out.push_back(cover(p, runs[p], launched[p], counts[p]));
  }
  return out;
}

}  // namespace jaxtrace
