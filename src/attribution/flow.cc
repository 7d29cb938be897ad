// Costs of moving through a schedule tree: sums along two paths from their common ancestor.
#include "attribution/flow.h"

#include <algorithm>
#include <limits>

namespace jaxtrace {
namespace {

using Of = hlo::Node::Of;

constexpr std::uint32_t kNoTest = 0xffffffff;

/// What an iteration of a loop of unknown count begins with: the condition, up to the copy of its
/// predicate to the host.  The row of that child, or kNoTest.
std::uint32_t test_of(const hlo::Schedule& schedule, const hlo::Node& loop) {
  if (loop.trips || loop.children.size() != 1) return kNoTest;
  const hlo::Node& iteration = schedule.nodes[loop.children[0]];
  for (std::uint32_t c = 0; c < iteration.children.size(); ++c) {
    const hlo::Node& child = schedule.nodes[iteration.children[c]];
    if (child.of == Of::slot && schedule.slots[child.slot].work == hlo::Work::host_copy &&
        schedule.slots[child.slot].instruction == loop.instruction) {
      return c;
    }
  }
  return kNoTest;
}

/// More rounds than this cost no more: skipping is capped anyway.
std::int64_t times(std::int64_t cost, std::uint64_t rounds) {
  return std::min<std::int64_t>(cost, kFar) *
         static_cast<std::int64_t>(std::min<std::uint64_t>(rounds, kFar));
}

/// Losing many kernels at once (a full buffer) is likelier than losing as many here and there.
Cost capped(std::int64_t cost) {
  if (cost > kFar) cost = kFar + (cost - kFar) / 8;
  return static_cast<Cost>(std::min<std::int64_t>(cost, 4 * kFar));
}

}  // namespace

Flow::Flow(const hlo::Schedule& schedule, std::vector<Cost> miss, bool cyclic)
    : schedule_(&schedule),
      miss_(std::move(miss)),
      prefix_(schedule.nodes.size()),
      full_(schedule.nodes.size(), 0),
      test_(schedule.nodes.size(), kNoTest),
      span_(schedule.nodes.size()),
      path_(schedule.slots.size()),
      loops_of_(schedule.slots.size(), 0),
      cyclic_(cyclic) {
  if (schedule.nodes.empty()) return;
  std::vector<Step> path;
  std::vector<Loop> around;
  if (cyclic) {
    around.push_back({.node = 0,
                      .first = 0,
                      .last = static_cast<std::uint32_t>(schedule.slots.size()),
                      .trips = 0});
  }
  loops_.push_back(around);
  visit(0, path, around);
}

void Flow::visit(std::uint32_t id, std::vector<Step>& path, std::vector<Loop>& around) {
  const hlo::Node& node = schedule_->nodes[id];
  if (node.of == Of::slot) {
    full_[id] = miss_[node.slot];
    span_[id] = {node.slot, node.slot + 1};
    path_[node.slot] = path;
    if (loops_.back() != around) loops_.push_back(around);
    loops_of_[node.slot] = static_cast<std::uint32_t>(loops_.size() - 1);
    return;
  }

  if (node.of == Of::loop && !node.children.empty()) {
    test_[node.children[0]] = test_of(*schedule_, node);
  }
  const bool counted = node.of == Of::loop && around.size() < kMaxLoops;
  const std::size_t loop_row = around.size();
  if (counted)
    around.push_back({.node = id, .first = 0, .last = 0, .trips = node.trips.value_or(0)});

  auto first = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t last = 0;
  std::int64_t sum = 0;
  std::int64_t least = 0;
  prefix_[id].push_back(0);
  for (std::uint32_t c = 0; c < node.children.size(); ++c) {
    path.push_back({.node = id, .child = c});
    visit(node.children[c], path, around);
    path.pop_back();
    const auto [from, to] = span_[node.children[c]];
    if (from < to) {
      first = std::min(first, from);
      last = std::max(last, to);
    }
    sum += full_[node.children[c]];
    least = c == 0 ? full_[node.children[c]] : std::min(least, full_[node.children[c]]);
    prefix_[id].push_back(sum);
  }
  span_[id] = first < last ? std::pair{first, last} : std::pair{0U, 0U};

  switch (node.of) {
    case Of::branch:
      full_[id] = least;
      break;
    case Of::loop:
      // Without a known count it may not run at all.
      full_[id] = times(sum, node.trips.value_or(0));
      break;
    default:
      full_[id] = sum;
  }
  if (counted) {
    around.pop_back();
    // The slots inside were visited before the loop's own range was known.
    for (auto& loops : loops_) {
      if (loops.size() > loop_row && loops[loop_row].node == id) {
        loops[loop_row].first = span_[id].first;
        loops[loop_row].last = span_[id].second;
      }
    }
  }
}

/// Cost of what comes after `place` inside the nodes of its path from `depth` inward.
Cost Flow::pass_after(const Place& place, std::size_t depth) const {
  const auto& path = path_[place.slot];
  const auto& around = loops(place.slot);
  std::int64_t cost = 0;
  std::size_t loop = around.size();
  for (std::size_t d = path.size(); d-- > depth;) {
    const hlo::Node& node = schedule_->nodes[path[d].node];
    if (node.of == Of::sequence || node.of == Of::graph) {
      // The last, failing test ends the last iteration: nothing of its body is missing.
      const std::uint32_t test = test_[path[d].node];
      const bool failed = d > depth && test != kNoTest && path[d].child <= test;
      cost += (failed ? prefix_[path[d].node][test + 1] : full_[path[d].node]) -
              prefix_[path[d].node][path[d].child + 1];
    } else if (node.of == Of::loop && loop > 0 && around[loop - 1].node == path[d].node) {
      --loop;
      if (const std::uint64_t trips = around[loop].trips; trips > 0) {
        const std::uint64_t left = trips - std::min<std::uint64_t>(trips, place.round[loop] + 1);
        cost += times(full_[node.children[0]], left);
      }
    }
  }
  return capped(cost);
}

/// Cost of what comes before `slot` inside the nodes of its path from `depth` inward.
Cost Flow::pass_before(std::uint32_t slot, std::size_t depth) const {
  const auto& path = path_[slot];
  std::int64_t cost = 0;
  for (std::size_t d = depth; d < path.size(); ++d) {
    const Of of = schedule_->nodes[path[d].node].of;
    if (of == Of::sequence || of == Of::graph) cost += prefix_[path[d].node][path[d].child];
  }
  return capped(cost);
}

Cost Flow::enter(std::uint32_t slot) const {
  return pass_before(slot, 0);
}

Cost Flow::leave(const Place& place) const {
  return pass_after(place, 0);
}

void Flow::moves(const Place& from, std::uint32_t slot, std::vector<Move>& moves) const {
  const auto& a = path_[from.slot];
  const auto& b = path_[slot];
  const auto& from_loops = loops(from.slot);
  const auto& to_loops = loops(slot);

  // Straight on: the paths part at a sequence, and the target's child comes later.
  std::size_t fork = 0;
  while (fork < a.size() && fork < b.size() && a[fork].node == b[fork].node &&
         a[fork].child == b[fork].child) {
    ++fork;
  }
  std::size_t shared = 0;  // Loops around both.
  while (shared < from_loops.size() && shared < to_loops.size() &&
         from_loops[shared].node == to_loops[shared].node) {
    ++shared;
  }
  if (slot > from.slot && fork < a.size() && fork < b.size() &&
      schedule_->nodes[a[fork].node].of != Of::branch) {
    const std::int64_t between =
        prefix_[a[fork].node][b[fork].child] - prefix_[a[fork].node][a[fork].child + 1];
    Place to{.slot = slot};
    std::copy_n(from.round.begin(), shared, to.round.begin());
    moves.push_back(
        {to, capped(pass_after(from, fork + 1) + between + pass_before(slot, fork + 1))});
  }

  // Round a loop that holds both: the rest of this iteration, then the next one up to the target.
  for (std::size_t loop = shared; loop-- > 0;) {
    const Loop& round = from_loops[loop];
    if (round.trips > 0 && from.round[loop] + 1 >= round.trips) continue;
    std::size_t depth = 0;  // Of the first step inside the loop.
    if (!(cyclic_ && loop == 0)) {
      while (a[depth].node != round.node) ++depth;
      ++depth;
    }
    Place to{.slot = slot};
    std::copy_n(from.round.begin(), loop, to.round.begin());
    to.round[loop] = from.round[loop] + 1;
    moves.push_back({to, capped(pass_after(from, depth) + pass_before(slot, depth))});
  }
}

}  // namespace jaxtrace
