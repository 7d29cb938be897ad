// How often each branch was taken.
//
// A listing counts executions, not jumps.  But what reaches an instruction is what falls into it
// and what jumps to it, so its hits tie the branches around it together; most of them follow from
// that.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace jaxtrace {

/// Instructions are named by their place in the order of addresses.
struct Branch {
  std::uint32_t from = 0, to = 0;
  bool conditional = false;
  std::optional<std::int64_t> taken;  ///< Filled in where the hits tell
};

/// What an instruction does after itself.
enum class BranchFlow : std::uint8_t { falls_through, branches, ends, unknown };

/// `branches` are sorted by (to, from); `hits` and `flow` are by place.
void solve_taken(std::vector<Branch>& branches, std::span<const std::int64_t> hits,
                 std::span<const BranchFlow> flow);

}  // namespace jaxtrace
