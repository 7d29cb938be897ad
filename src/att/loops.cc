// Backward branches to loops, loops into each other.
#include "att/loops.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "att/branch_flow.h"
#include "att/isa.h"
#include "att/saturating.h"

namespace jaxtrace {
namespace {

/// Rows in the order of their addresses: what "between" and "next" mean here.
struct Layout {
  std::vector<std::uint32_t> row;       ///< By place
  std::vector<std::uint32_t> place_of;  ///< By row
};

Layout layout_of(std::span<const Instruction> instructions) {
  Layout layout;
  layout.row.resize(instructions.size());
  layout.place_of.resize(instructions.size());
  for (std::uint32_t k = 0; k < layout.row.size(); ++k) layout.row[k] = k;
  std::ranges::stable_sort(layout.row, {}, [&](std::uint32_t k) {
    return std::tuple(instructions[k].code_object, instructions[k].address);
  });
  for (std::uint32_t p = 0; p < layout.row.size(); ++p) layout.place_of[layout.row[p]] = p;
  return layout;
}

BranchFlow flow_of(std::string_view mnemonic) {
  if (mnemonic == "s_branch" || mnemonic.starts_with("s_endpgm")) return BranchFlow::ends;
  if (mnemonic.starts_with("s_cbranch_")) return BranchFlow::branches;
  return ends_flow(mnemonic) || mnemonic.starts_with("s_subvector_loop")
             ? BranchFlow::unknown
             : BranchFlow::falls_through;
}

bool jumps_somewhere(std::string_view mnemonic) {
  return mnemonic == "s_branch" || mnemonic.starts_with("s_cbranch_") ||
         mnemonic.starts_with("s_setpc") || mnemonic.starts_with("s_swappc") ||
         mnemonic.starts_with("s_call") || mnemonic.starts_with("s_subvector_loop");
}

/// Times all branches that may be looked at for entries: loops nested deeper stay without.
constexpr std::size_t kMostLookedAt = 64;

class Finder {
 public:
  explicit Finder(std::span<const Instruction> instructions)
      : instructions_(instructions), layout_(layout_of(instructions)) {}

  Loops find() {
    read_branches();
    close_loops();
    nest();
    std::size_t budget = kMostLookedAt * branches_.size();
    for (Loop& loop : result_.loops) loop.entries = entries(loop, budget);
    count_waves();
    return std::move(result_);
  }

 private:
  const Instruction& at(std::uint32_t place) const { return instructions_[layout_.row[place]]; }

  std::optional<std::uint32_t> place_of(std::int64_t code_object, std::int64_t address) const {
    const auto key = std::tuple(code_object, address);
    const auto found = std::ranges::lower_bound(layout_.row, key, {}, [&](std::uint32_t k) {
      return std::tuple(instructions_[k].code_object, instructions_[k].address);
    });
    if (found == layout_.row.end() || instructions_[*found].code_object != code_object ||
        instructions_[*found].address != address) {
      return {};
    }
    return static_cast<std::uint32_t>(found - layout_.row.begin());
  }

  auto by_from() const {
    return [this](std::uint32_t b) { return branches_[b].from; };
  }

  void read_branches() {
    std::vector<std::int64_t> hits;
    for (std::uint32_t p = 0; p < layout_.row.size(); ++p) {
      const Instruction& instruction = at(p);
      const std::string_view mnemonic = mnemonic_of(instruction.text);
      hits.push_back(instruction.hits);
      flow_.push_back(flow_of(mnemonic));
      if (!jumps_somewhere(mnemonic)) continue;
      const auto target = branch_target(instruction);
      const auto to = target ? place_of(instruction.code_object, *target) : std::nullopt;
      if (!to) {
        ++result_.unknown_targets;
        continue;
      }
      branches_.push_back({p, *to, mnemonic != "s_branch", {}});
    }
    std::ranges::sort(branches_, {}, [](const Branch& b) { return std::tuple(b.to, b.from); });
    solve_taken(branches_, hits, flow_);
    for (std::uint32_t b = 0; b < branches_.size(); ++b) by_place_.push_back(b);
    std::ranges::sort(by_place_, {}, by_from());
  }

  void close_loops() {
    for (const Branch& branch : branches_) {
      if (branch.to > branch.from) continue;
      const std::uint32_t head = layout_.row[branch.to];
      if (result_.loops.empty() || result_.loops.back().head != head) {
        result_.loops.emplace_back().head = head;
        result_.loops.back().iterations = instructions_[head].hits;
      }
      result_.loops.back().branches.push_back(layout_.row[branch.from]);
      result_.loops.back().last = layout_.row[branch.from];
    }
  }

  void nest() {
    std::vector<Loop>& loops = result_.loops;
    const auto first = [&](std::uint32_t k) { return layout_.place_of[loops[k].head]; };
    const auto last = [&](std::uint32_t k) { return layout_.place_of[loops[k].last]; };
    for (std::uint32_t k = 1; k < loops.size(); ++k) {
      std::uint32_t around = k - 1;
      while (around != kNoLoop && last(around) < last(k)) around = loops[around].parent;
      loops[k].parent = around;
      loops[k].depth = around == kNoLoop ? 0 : loops[around].depth + 1;
    }
    result_.of.assign(instructions_.size(), kNoLoop);
    std::vector<std::uint32_t> open;
    std::uint32_t next = 0;
    for (std::uint32_t p = 0; p < layout_.row.size(); ++p) {
      for (; next < loops.size() && first(next) == p; ++next) open.push_back(next);
      while (!open.empty() && last(open.back()) < p) open.pop_back();
      if (!open.empty()) result_.of[layout_.row[p]] = open.back();
    }
  }

  /// What falls into the head and what jumps into the loop, be it in its middle.
  std::optional<std::int64_t> entries(const Loop& loop, std::size_t& budget) const {
    const std::uint32_t head = layout_.place_of[loop.head], last = layout_.place_of[loop.last];
    std::int64_t sum = 0;
    if (head > 0) {
      const auto before = falling_from(head - 1);
      if (!before) return {};
      sum = *before;
    }
    auto branch = std::ranges::lower_bound(branches_, head, {}, &Branch::to);
    for (; branch != branches_.end() && branch->to <= last; ++branch) {
      if (budget == 0) return {};
      --budget;
      if (branch->from >= head && branch->from <= last) continue;
      if (branch->from + 1 == head && branch->to == head) continue;  // Counted as falling.
      if (!branch->taken) return {};
      sum = saturating_add(sum, *branch->taken);
    }
    const bool possible = sum <= loop.iterations && (sum > 0 || loop.iterations == 0);
    return possible ? std::optional(sum) : std::nullopt;
  }

  std::optional<std::int64_t> falling_from(std::uint32_t place) const {
    switch (flow_[place]) {
      case BranchFlow::falls_through:
        return at(place).hits;
      case BranchFlow::ends:
        return 0;
      case BranchFlow::unknown:
        return {};
      case BranchFlow::branches:
        break;
    }
    const auto found = std::ranges::lower_bound(by_place_, place, {}, by_from());
    if (found == by_place_.end() || branches_[*found].from != place) return {};
    const Branch& branch = branches_[*found];
    if (branch.to == place + 1) return at(place).hits;
    return branch.taken ? std::optional(at(place).hits - *branch.taken) : std::nullopt;
  }

  void count_waves() {
    std::int64_t first = 0;
    for (const Instruction& instruction : instructions_) {
      if (mnemonic_of(instruction.text).starts_with("s_endpgm")) result_.waves += instruction.hits;
      if (first == 0) first = instruction.hits;
    }
    if (result_.waves == 0) result_.waves = first;  // Cut off before any wave ended.
  }

  std::span<const Instruction> instructions_;
  Layout layout_;
  std::vector<BranchFlow> flow_;         ///< By place
  std::vector<Branch> branches_;         ///< By target
  std::vector<std::uint32_t> by_place_;  ///< Branches by where they are
  Loops result_;
};

}  // namespace

Loops find_loops(std::span<const Instruction> instructions) {
  return Finder(instructions).find();
}

}  // namespace jaxtrace
