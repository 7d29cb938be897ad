// Where in a program's schedule a graph stands.
//
// XLA's annotation says where it begins: `command_buffer_<N>` is the thunk number of its first
// command, `call.2` an instruction of the HLO.  What was launched next says where it ends.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "attribution/solve.h"

namespace jaxtrace {

/// The work of one graph launch: consecutive events of a group.
struct Launch {
  Group* group;
  std::size_t first, last;

  std::span<const std::uint32_t> events() const {
    return std::span<const std::uint32_t>(group->events).subspan(first, last - first);
  }
};

/// The launches of each graph that still have work to explain, by annotation.
std::map<StringId, std::vector<Launch>> launches_by_graph(const Bench& bench);

/// The slots of a graph: [start, end).
struct Site {
  std::uint32_t start = kNoSlot;
  std::uint32_t end = kNoSlot;
};

/// Pieces that belong inside a site.
std::vector<Piece> within(std::vector<Piece> pieces, const Site& site);

/// The bounds of an alignment inside a site.
Bounds bounds_of(const Site& site);

/// The site of the graph `hlo_op`, if `pieces`, a complete launch of it, fit there; nullopt if
/// nothing tells where it is.
std::optional<Site> find_site(const Bench& bench, StringId hlo_op,
                              const std::vector<Launch>& launches, const Flow& flow,
                              const std::vector<Piece>& pieces);

}  // namespace jaxtrace
