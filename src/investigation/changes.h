// What to change: the causes of a step's length by their share of its critical path, each with how
// long the step would be without it.
//
// Work itself is on the list too, instruction by instruction, but without an estimate: how much
// faster a kernel can get, no trace tells.  Its place on the roofline is given instead.
//
// The order comes from the critical path, which crosses GPUs; the estimates are skip-stats' own
// what-ifs of the same step on the verdict's GPU, so the two commands never disagree.  Causes that
// are part of another name it, and only joint estimates add causes up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "investigation/investigated.h"
#include "investigation/roofline.h"
#include "skip/critical_path.h"

namespace jaxtrace {

struct Proposal {
  std::string id{};       ///< As the what-if, "W2 sync"; "compute" of an instruction
  std::string cause{};    ///< "host waits and read-backs"
  std::string part_of{};  ///< Id of the cause that holds this one; empty if none does.
  /// Of the path that the cause holds; absent where the path does not tell.
  std::optional<Picoseconds> path{};
  std::optional<double> path_share{};
  std::optional<Picoseconds> step{};  ///< Estimated, not run; absent where it cannot be
  std::string because{};  ///< What in this capture says so: a host event, a line, a roof
  std::string assumption{}, knob{}, confirm{};
  bool joint = false;  ///< Several causes at once, or the floor: no cause of its own
  bool worth = true;   ///< Gains at least 3 % of the step
};

struct Changes {
  Picoseconds step{0};           ///< What the estimates start from: the step on the verdict's GPU
  Picoseconds window{0};         ///< The denominator of path_share: the critical path's length
  std::vector<Proposal> causes;  ///< Longest on the path first, then greatest gain, then id
  std::vector<Proposal> joint;
  std::string why_none;  ///< Why there is no estimate; empty if there are some
};

/// `path` is of the step that the what-ifs are of; `causes` are its path_causes().
Changes find_changes(const Investigated& all, const CriticalPath& path,
                     const std::vector<PathCause>& causes, const Roofline& roofline);

}  // namespace jaxtrace
