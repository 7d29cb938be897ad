// The table of distinct answers: millions of events share a few thousand.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "attribution/attribution.h"

namespace jaxtrace {

class LabelTable {
 public:
  explicit LabelTable(std::vector<Label>& rows) : rows_(rows) {}

  std::uint32_t row(const Label& label);

 private:
  struct Hash {
    std::size_t operator()(const Label& label) const;
  };
  std::vector<Label>& rows_;
  std::unordered_map<Label, std::uint32_t, Hash> known_;
};

}  // namespace jaxtrace
