#include "attribution/labels.h"

namespace jaxtrace {

std::size_t LabelTable::Hash::operator()(const Label& label) const {
  std::uint64_t h = label.program;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(label.instruction), static_cast<std::uint64_t>(label.named),
        static_cast<std::uint64_t>(label.match), static_cast<std::uint64_t>(label.rule),
        static_cast<std::uint64_t>(label.confidence)}) {
    h = (h ^ part) * 0x9e3779b97f4a7c15ULL;
    h ^= h >> 31;
  }
  return h;
}

std::uint32_t LabelTable::row(const Label& label) {
  const auto [at, added] = known_.try_emplace(label, static_cast<std::uint32_t>(rows_.size()));
  if (added) rows_.push_back(label);
  return at->second;
}

}  // namespace jaxtrace
