// One equation for each instruction that is jumped to or follows a conditional branch; one that is
// left with a single unknown solves it, which may leave another with one.
#include "att/branch_flow.h"

#include <algorithm>

#include "att/saturating.h"

namespace jaxtrace {
namespace {

constexpr std::uint32_t kNoBranch = 0xffffffff;

class Solver {
 public:
  Solver(std::vector<Branch>& branches, std::span<const std::int64_t> hits,
         std::span<const BranchFlow> flow)
      : branches_(branches), hits_(hits), flow_(flow), branch_at_(hits.size(), kNoBranch) {
    for (std::uint32_t b = 0; b < branches.size(); ++b) branch_at_[branches[b].from] = b;
  }

  void solve() {
    for (Branch& branch : branches_) {
      if (!branch.conditional) {
        branch.taken = hits_[branch.from];
      } else if (hits_[branch.from] == 0) {
        branch.taken = 0;
      }
    }
    for (const Branch& branch : branches_) {
      todo_.push_back(branch.to);
      todo_.push_back(branch.from + 1);
    }
    while (!todo_.empty()) {
      const std::uint32_t place = todo_.back();
      todo_.pop_back();
      if (place < hits_.size()) use(place);
    }
  }

 private:
  /// Hits of `place` = what falls in + what jumps in.
  void use(std::uint32_t place) {
    std::int64_t rest = hits_[place];
    std::uint32_t unknown = kNoBranch;
    bool unknown_falls = false;
    std::uint32_t unknowns = 0;
    const std::uint32_t before = place > 0 ? branch_at_[place - 1] : kNoBranch;
    if (place > 0) {
      switch (flow_[place - 1]) {
        case BranchFlow::falls_through:
          rest = saturating_subtract(rest, hits_[place - 1]);
          break;
        case BranchFlow::ends:
          break;
        case BranchFlow::unknown:
          return;
        case BranchFlow::branches: {
          if (before == kNoBranch) return;  // Its target is not known, nor how often it was taken.
          const Branch& branch = branches_[before];
          if (branch.to == place) {  // Either way it arrives here.
            rest = saturating_subtract(rest, hits_[branch.from]);
          } else if (branch.taken) {
            rest = saturating_subtract(rest, hits_[branch.from] - *branch.taken);
          } else {
            ++unknowns, unknown = before, unknown_falls = true;
          }
        }
      }
    }
    for (auto b = first_to(place); b < branches_.size() && branches_[b].to == place; ++b) {
      if (b == before) continue;
      if (branches_[b].taken) {
        rest = saturating_subtract(rest, *branches_[b].taken);
      } else {
        ++unknowns, unknown = b, unknown_falls = false;
      }
    }
    if (unknowns != 1) return;
    Branch& branch = branches_[unknown];
    const std::int64_t hits = hits_[branch.from];
    const std::int64_t taken = unknown_falls ? saturating_subtract(hits, rest) : rest;
    if (taken < 0 || taken > hits) return;  // Jumps that cannot be followed come in here.
    branch.taken = taken;
    todo_.push_back(branch.to);
    todo_.push_back(branch.from + 1);
  }

  std::uint32_t first_to(std::uint32_t place) const {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(branches_, place, {}, &Branch::to) -
                                      branches_.begin());
  }

  std::vector<Branch>& branches_;
  std::span<const std::int64_t> hits_;
  std::span<const BranchFlow> flow_;
  std::vector<std::uint32_t> branch_at_;
  std::vector<std::uint32_t> todo_;
};

}  // namespace

void solve_taken(std::vector<Branch>& branches, std::span<const std::int64_t> hits,
                 std::span<const BranchFlow> flow) {
  Solver(branches, hits, flow).solve();
}

}  // namespace jaxtrace
