// How XLA makes kernel names unique within a module (xla/service/name_uniquer.h, separator "__").
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace jaxtrace::hlo {

struct NameUniquer {
  struct Numbers {
    std::set<std::int64_t> used;
    std::int64_t next = 0;
  };
  std::unordered_map<std::string, Numbers> roots;  ///< by the name without its trailing number

  /// `wanted`, or the same with another trailing number if it was given out before.
  std::string unique(std::string_view wanted);
};

}  // namespace jaxtrace::hlo
