// The attribution of a whole capture: what the tracer says, then graph launches, then the rest.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/damage.h"
#include "analysis/devices.h"
#include "analysis/kernel_family.h"
#include "attribution/attribution.h"
#include "attribution/doubts.h"
#include "attribution/solve.h"
#include "hlo/collective_shape.h"

namespace jaxtrace {
namespace {

constexpr int kSure = 900;  // Confidence, in thousandths, that a second look cannot better.

/// What XLA's telemetry writes as hlo_op on the driver's own kernels of conditional nodes.
constexpr std::string_view kDriverKernel = "driver_conditional_helper";

/// The kind of work by what it does, whatever the tracer calls it: ROCm makes kernels of copies.
Kind kind_of(const Trace& trace, StringId name, DetailsId id, AnnotationId annotation) {
  if (trace.annotations[static_cast<std::size_t>(annotation)].graph_exec_id != 0) {
    return Kind::graph;
  }
  const Details& details = trace.details[static_cast<std::size_t>(id)];
  if (details.of == Details::Of::memcpy) return Kind::memcpy;
  if (details.of == Details::Of::memset) return Kind::memset;
  switch (kernel_family(trace.strings[name])) {
    case Family::copy:
      return Kind::memcpy;
    case Family::fill:
      return Kind::memset;
    case Family::collective:
      return Kind::collective;
    default:
      return Kind::kernel;
  }
}

/// XLA has collective kernels of its own, named as fusions are: the instruction tells.
void set_collectives(const std::vector<AttributedProgram>& programs, Attribution& out) {
  std::vector<bool> collective;
  for (const Label& label : out.labels) {
    collective.push_back(
        label.instruction != hlo::InstructionId::none &&
        hlo::is_collective((*programs[label.program].hlo)[label.instruction].opcode));
  }
  for (std::size_t i = 0; i < out.kind.size(); ++i) {
    if (collective[out.label[i]] && out.kind[i] == Kind::kernel) out.kind[i] = Kind::collective;
  }
}

void set_kinds(const Trace& trace, Attribution& out) {
  std::map<std::tuple<StringId, Details::Of, bool>, Kind> known;
  out.kind.resize(trace.device_events);
  for (std::size_t i = 0; i < trace.device_events; ++i) {
    const StringId name = trace.events.name[i];
    const DetailsId details = trace.events.details[i];
    const AnnotationId annotation = trace.events.annotation[i];
    const std::tuple key(
        name, trace.details[static_cast<std::size_t>(details)].of,
        trace.annotations[static_cast<std::size_t>(annotation)].graph_exec_id != 0);
    const auto [at, added] = known.try_emplace(key);
    if (added) at->second = kind_of(trace, name, details, annotation);
    out.kind[i] = at->second;
  }
}

/// In a graph: the call is a graph launch, or (without calls) node ids or the annotation say so.
void set_in_graph(const Trace& trace, const Launches& launches, const Programs& programs,
                  Attribution& out) {
  out.in_graph.assign(trace.device_events, false);
  for (std::size_t i = 0; i < trace.device_events; ++i) {
    const Annotation& a = trace.annotations[static_cast<std::size_t>(trace.events.annotation[i])];
    if (a.graph_id != 0 || (!trace.events.graph_node.empty() && trace.events.graph_node[i] != 0)) {
      out.in_graph[i] = true;
    } else if (launches.call[i] != kNoEvent) {
      out.in_graph[i] = is_graph_launch(trace.strings[trace.events.name[launches.call[i]]]);
    } else if (a.hlo_op != StringId::empty) {
      const std::uint32_t p = programs.of_event[i];
      const hlo::Program* hlo =
          p != kNone && programs.rows[p].hlo ? &*programs.rows[p].hlo : nullptr;
      out.in_graph[i] = names_graph(hlo, trace.strings[a.hlo_op]);
    }
  }
}

/// Labels what needs no solving: exact events, and those that cannot be attributed at all.
void label_outright(const Trace& trace, const Launches& launches, const Programs& programs,
                    LabelTable& labels, Attribution& out) {
  std::map<std::tuple<std::uint32_t, StringId, bool>, std::uint32_t> exact;  // → row or kNone
  std::map<StringId, bool> control;
  const auto is_control = [&](StringId name) {
    const auto [at, added] = control.try_emplace(name);
    if (added) at->second = kernel_family(trace.strings[name]) == Family::control;
    return at->second;
  };
  const auto bare = [&](std::uint32_t program, Rule rule) {
    return labels.row({.program = program, .rule = rule});
  };
  const std::vector<bool> damaged = find_damage(trace);
  const bool runs_are_known =
      std::ranges::any_of(launches.interval, [](std::uint32_t run) { return run != kNoEvent; });
  out.label.assign(trace.device_events, kNone);
  for (std::size_t i = 0; i < trace.device_events; ++i) {
    const std::uint32_t p = programs.of_event[i];
    const Annotation& a = trace.annotations[static_cast<std::size_t>(trace.events.annotation[i])];
    if (damaged[i]) {
      out.label[i] = bare(p, Rule::damaged);
    } else if (out.kind[i] == Kind::graph) {
      out.label[i] = bare(p, Rule::whole_graph);
    } else if (p == kNone) {
      const bool inside = launches.call[i] != kNoEvent && launches.interval[i] != kNoEvent;
      const bool outside = runs_are_known && launches.call[i] != kNoEvent && !inside;
      out.label[i] = bare(p, outside ? Rule::outside_execution : Rule::no_program);
    } else {
      const bool copy = out.kind[i] == Kind::memcpy && !out.in_graph[i];
      const auto [at, added] = exact.try_emplace({p, a.hlo_op, copy}, kNone);
      if (added && a.hlo_op != StringId::empty) {
        const auto& hlo = programs.rows[p].hlo;
        const std::string_view text = trace.strings[a.hlo_op];
        if (hlo) {
          const hlo::InstructionId id = exact_instruction(*hlo, text, copy);
          if (id != hlo::InstructionId::none) {
            at->second = labels.row({.program = p,
                                     .instruction = id,
                                     .match = Match::exact,
                                     .rule = Rule::tracer,
                                     .confidence = 1000});
          }
        } else if (!names_graph(nullptr, text)) {
          at->second = labels.row({.program = p,
                                   .named = a.hlo_op,
                                   .match = Match::exact,
                                   .rule = Rule::tracer_text,
                                   .confidence = 1000});
        }
      }
      out.label[i] = at->second;
      if (out.label[i] == kNone && !programs.rows[p].hlo) {
        out.label[i] = bare(p, Rule::no_hlo);
      } else if (out.label[i] == kNone &&
                 (is_control(trace.events.name[i]) || trace.strings[a.hlo_op] == kDriverKernel)) {
        out.label[i] = bare(p, Rule::control);
      }
    }
  }
}

bool is_amd(const Trace& trace, std::span<Group* const> groups) {
  return std::ranges::any_of(groups, [&](const Group* group) {
    const Device& device = trace.devices[static_cast<std::size_t>(group->device)];
    return is_amd(trace, device);
  });
}

/// Attributes the open work of one program, with what is known of its library calls.
void solve_with(const Trace& trace, const Launches& launches, std::uint32_t program,
                const Suspects& suspects, const std::vector<Group*>& groups, LabelTable& labels,
                Attribution& out) {
  Bench bench{.trace = trace,
              .launches = launches,
              .program = program,
              .suspects = suspects,
              .groups = groups,
              .out = out,
              .labels = labels};
  solve_graphs(bench);
  solve_executions(bench);
}

/// Twice, if the first time shows what the program's library calls run.
void solve(const Trace& trace, const Launches& launches, std::uint32_t program,
           const hlo::Program& hlo, const std::vector<Group*>& groups, LabelTable& labels,
           Attribution& out) {
  if (!hlo.scheduled) {
    out.findings.push_back(
        {.severity = Severity::note,
         .code = "no-schedule",
         .message = "the HLO has no schedule, so the order of launches is a guess",
         .where = hlo.module_name});
  }
  const bool amd = is_amd(trace, groups);
  const hlo::Schedule schedule = hlo::build_schedule(hlo);
  std::vector<std::uint32_t> open;
  std::set<std::pair<StringId, hlo::InstructionId>> told;  // By the tracer.
  for (const Group* group : groups) {
    for (const std::uint32_t i : group->events) {
      if (out.label[i] == kNone) {
        open.push_back(i);
      } else {
        told.emplace(trace.events.name[i], out.labels[out.label[i]].instruction);
      }
    }
  }
  const auto suspects_with = [&](const Calls& calls) {
    Suspects suspects(trace, hlo, spell_out(schedule, calls), amd);
    for (const auto& [name, instruction] : told) suspects.learn(name, instruction);
    return suspects;
  };
  const Suspects suspects = suspects_with({});
  solve_with(trace, launches, program, suspects, groups, labels, out);
  const bool sure = std::ranges::all_of(
      open, [&](std::uint32_t i) { return out.labels[out.label[i]].confidence >= kSure; });
  if (sure) return;
  const Calls calls = calls_seen(trace, out, groups, schedule);
  if (calls.empty()) return;
  for (const std::uint32_t i : open) out.label[i] = kNone;
  solve_with(trace, launches, program, suspects_with(calls), groups, labels, out);
}

void set_executions(const std::vector<Group>& groups, Attribution& out) {
  for (const Group& group : groups) {
    if (!group.executions_known) continue;
    std::uint32_t ordinal = 0;
    for (std::size_t k = 0; k < group.events.size(); ++k) {
      while (ordinal + 1 < group.executions.size() && group.executions[ordinal + 1] <= k) {
        ++ordinal;
      }
      out.execution[group.events[k]] = ordinal;
    }
  }
}

}  // namespace

Attribution attribute(const Trace& trace, const AttributeOptions&) {
  Attribution out;
  LabelTable labels(out.labels);
  const Launches launches = find_launches(trace);
  Programs programs = find_programs(trace, launches, out.findings);
  out.execution.assign(trace.device_events, kNone);
  set_kinds(trace, out);
  set_in_graph(trace, launches, programs, out);
  label_outright(trace, launches, programs, labels, out);

  // Work that can never get an instruction takes no part in any order.
  std::vector<bool> left_out(trace.device_events, false);
  for (std::size_t i = 0; i < trace.device_events; ++i) {
    left_out[i] = out.label[i] != kNone && out.labels[out.label[i]].match == Match::none;
  }
  std::vector<Group> groups = group_work(trace, launches, programs, left_out);
  set_executions(groups, out);

  for (std::uint32_t p = 0; p < programs.rows.size(); ++p) {
    const auto& hlo = programs.rows[p].hlo;
    if (!hlo) continue;
    std::vector<Group*> of_program;
    bool open = false;
    for (Group& group : groups) {
      if (group.program != p) continue;
      of_program.push_back(&group);
      open =
          open || !group.executions_known ||
          std::ranges::any_of(group.events, [&](std::uint32_t i) { return out.label[i] == kNone; });
    }
    if (!open) continue;

    solve(trace, launches, p, *hlo, of_program, labels, out);
  }
  // Every event has an answer, be it that there is none.
  for (std::size_t i = 0; i < trace.device_events; ++i) {
    if (out.label[i] != kNone) continue;
    out.label[i] = labels.row({.program = programs.of_event[i], .rule = Rule::no_candidate});
  }
  set_collectives(programs.rows, out);
  out.programs = std::move(programs.rows);
  std::ranges::move(find_doubts(trace, out, launches), std::back_inserter(out.findings));
  return out;
}

}  // namespace jaxtrace
