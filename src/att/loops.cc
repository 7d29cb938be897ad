// Backward branches to loops, loops into each other.
#include "att/loops.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "att/isa.h"

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

struct Branch {
  std::uint32_t from = 0, to = 0;  ///< Places
  bool conditional = false;
};

bool jumps_somewhere(std::string_view mnemonic) {
  return mnemonic == "s_branch" || mnemonic.starts_with("s_cbranch_") ||
         mnemonic.starts_with("s_setpc") || mnemonic.starts_with("s_swappc") ||
         mnemonic.starts_with("s_call") || mnemonic.starts_with("s_subvector_loop");
}

class Finder {
 public:
  explicit Finder(std::span<const Instruction> instructions)
      : instructions_(instructions), layout_(layout_of(instructions)) {}

  Loops find() {
    read_branches();
    close_loops();
    nest();
    for (Loop& loop : result_.loops) loop.entries = entries(loop);
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

  void read_branches() {
    for (std::uint32_t p = 0; p < layout_.row.size(); ++p) {
      const Instruction& instruction = at(p);
      const std::string_view mnemonic = mnemonic_of(instruction.text);
      if (!jumps_somewhere(mnemonic)) continue;
      const auto target = branch_target(instruction);
      const auto to = target ? place_of(instruction.code_object, *target) : std::nullopt;
      if (!to) {
        ++result_.unknown_targets;
        continue;
      }
      branches_.push_back({p, *to, mnemonic != "s_branch"});
    }
    std::ranges::sort(branches_, {}, [](const Branch& b) { return std::tuple(b.to, b.from); });
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

  std::span<const Branch> branches_to(std::uint32_t place) const {
    const auto begin = std::ranges::lower_bound(branches_, place, {}, &Branch::to);
    const auto end = std::ranges::upper_bound(branches_, place, {}, &Branch::to);
    return {begin, end};
  }

  /// How often the branch was taken, where the hits of what follows it tell.
  std::optional<std::int64_t> taken(std::uint32_t place, bool conditional) const {
    if (!conditional) return at(place).hits;
    if (place + 1 >= layout_.row.size() || !branches_to(place + 1).empty()) return {};
    return at(place).hits - at(place + 1).hits;
  }

  /// Iterations are entries and branches back: either side may be the one that hits tell.
  std::optional<std::int64_t> entries(const Loop& loop) const {
    if (loop.iterations == 0) return 0;
    const std::uint32_t head = layout_.place_of[loop.head];
    std::optional<std::int64_t> back = 0, forward = 0;
    for (const Branch& branch : branches_to(head)) {
      std::optional<std::int64_t>& sum = branch.from >= head ? back : forward;
      const auto times = taken(branch.from, branch.conditional);
      sum = sum && times ? std::optional(*sum + *times) : std::nullopt;
    }
    if (back) forward.reset();
    if (forward && head > 0) {
      const std::string_view before = mnemonic_of(at(head - 1).text);
      if (before.starts_with("s_cbranch_")) return {};
      if (!ends_flow(before)) *forward += at(head - 1).hits;
    }
    const auto found = back ? std::optional(loop.iterations - *back) : forward;
    if (!found || *found < 1 || *found > loop.iterations) return {};
    return found;
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
  std::vector<Branch> branches_;  ///< By target
  Loops result_;
};

}  // namespace

Loops find_loops(std::span<const Instruction> instructions) {
  return Finder(instructions).find();
}

}  // namespace jaxtrace
