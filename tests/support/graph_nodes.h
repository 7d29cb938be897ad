// The order in which CUDA numbers the nodes of a graph.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "support/thunks.h"

namespace jaxtrace::synth {

/// Index, from 1, of the first node of every thunk in a command buffer.  Nodes are numbered in the
/// order of creation; the nodes of a conditional node's body come after everything around it.
/// `nodes_of` says how many nodes a thunk without content makes.
std::map<const Thunk*, std::uint32_t> number_nodes(
    const std::vector<Thunk>& thunks, const std::function<std::size_t(const Thunk&)>& nodes_of);

}  // namespace jaxtrace::synth
