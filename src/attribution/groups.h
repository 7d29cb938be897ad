// The device work of one program on one device, in the order in which the host launched it.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/launches.h"
#include "attribution/programs.h"

namespace jaxtrace {

struct Group {
  std::uint32_t program;
  DeviceId device;

  /// Rows of Trace::events, by execution, correlation id, graph node, begin.  Correlation ids grow
  /// with launch order, whatever the stream; begin decides where there are none.
  std::vector<std::uint32_t> events;

  /// Where in `events` each execution begins.  One execution if the host events do not tell.
  std::vector<std::size_t> executions;
  bool executions_known = false;
};

/// Groups by device, then program.  Leaves out events for which `left_out` is set.
std::vector<Group> group_work(const Trace& trace, const Launches& launches,
                              const Programs& programs, const std::vector<bool>& left_out);

/// The part of cuda_graph_node_id that orders the nodes of a graph.
inline std::uint32_t node_index(std::uint64_t graph_node) {
  return static_cast<std::uint32_t>(graph_node);
}

}  // namespace jaxtrace
