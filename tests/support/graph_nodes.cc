#include "support/graph_nodes.h"

#include <deque>

namespace jaxtrace::synth {

std::map<const Thunk*, std::uint32_t> number_nodes(
    const std::vector<Thunk>& thunks, const std::function<std::size_t(const Thunk&)>& nodes_of) {
  std::map<const Thunk*, std::uint32_t> first;
  std::deque<const std::vector<Thunk>*> levels = {&thunks};
  std::uint32_t next = 1;
  while (!levels.empty()) {
    std::vector<const Thunk*> flat;
    for (const Thunk& thunk : *levels.front()) flat.push_back(&thunk);
    levels.pop_front();
    for (std::size_t i = 0; i < flat.size(); ++i) {
      const Thunk& thunk = *flat[i];
      first[&thunk] = next;
      const bool conditional = thunk.kind == "kWhile" || thunk.kind == "kConditional";
      next += conditional ? 1 : static_cast<std::uint32_t>(nodes_of(thunk));
      std::size_t at = i;
      for (const ThunkSection& section : thunk.sections) {
        if (conditional) {
          levels.push_back(&section.thunks);
          continue;
        }
        for (const Thunk& inner : section.thunks) {
          flat.insert(flat.begin() + static_cast<std::ptrdiff_t>(++at), &inner);
        }
      }
    }
  }
  return first;
}

}  // namespace jaxtrace::synth
