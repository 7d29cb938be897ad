// The words of the tables for matches, rules and kinds; docs/attribute.md explains each.
#include "attribution/attribution.h"

namespace jaxtrace {

std::string_view text(Match match) {
  switch (match) {
    case Match::exact:
      return "exact";
    case Match::name:
      return "name";
    case Match::order:
      return "order";
    case Match::none:
      break;
  }
  return "none";
}

std::string_view text(Rule rule) {
  switch (rule) {
    case Rule::tracer:
      return "tracer";
    case Rule::tracer_text:
      return "tracer-text";
    case Rule::unique_name:
      return "unique-name";
    case Rule::window_name:
      return "window-name";
    case Rule::warm_up:
      return "warm-up";
    case Rule::graph_node:
      return "graph-node";
    case Rule::graph_order:
      return "graph-order";
    case Rule::schedule:
      return "schedule";
    case Rule::ambiguous:
      return "ambiguous";
    case Rule::no_program:
      return "no-program";
    case Rule::outside_execution:
      return "outside-execution";
    case Rule::no_hlo:
      return "no-hlo";
    case Rule::no_candidate:
      return "no-candidate";
    case Rule::control:
      return "control";
    case Rule::whole_graph:
      return "whole-graph";
    case Rule::damaged:
      break;
  }
  return "damaged";
}

std::string_view reason(Rule rule) {
  switch (rule) {
    case Rule::tracer:
      return "The tracer wrote the instruction's name on the kernel.";
    case Rule::tracer_text:
      return "The tracer wrote an instruction's name, but the capture has no HLO to check it "
             "against.";
    case Rule::unique_name:
      return "Only one instruction of the program runs under this kernel name.";
    case Rule::window_name:
      return "Between its neighbours in the schedule, only one instruction runs under this name.";
    case Rule::warm_up:
      return "Elsewhere in the capture the tracer named this instruction for this kernel, and no "
             "other.";
    case Rule::graph_node:
      return "Its node in the graph, by what all launches of the graph have in common.";
    case Rule::graph_order:
      return "Its place in the graph launch.";
    case Rule::schedule:
      return "Its place in the program's schedule.";
    case Rule::ambiguous:
      return "Several instructions explain it equally well; the earliest was taken.";
    case Rule::no_program:
      return "Nothing says which program launched it.";
    case Rule::outside_execution:
      return "It was launched outside every program, as transfers and device_put are.";
    case Rule::no_hlo:
      return "The capture does not carry the HLO of its program.";
    case Rule::no_candidate:
      return "Nothing in the program's schedule fits it.";
    case Rule::control:
      return "A kernel of the graph itself, which steers a loop or a branch.";
    case Rule::whole_graph:
      return "One event stands for a whole graph launch; its kernels were not recorded.";
    case Rule::damaged:
      break;
  }
  return "Its times are corrupt; it is in no total.";
}

std::string_view text(Kind kind) {
  switch (kind) {
    case Kind::kernel:
      return "kernel";
    case Kind::memcpy:
      return "memcpy";
    case Kind::memset:
      return "memset";
    case Kind::collective:
      return "collective";
    case Kind::graph:
      break;
  }
  return "graph";
}

}  // namespace jaxtrace
