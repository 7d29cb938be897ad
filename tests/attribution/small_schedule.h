// Schedule trees written by hand.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "hlo/schedule.h"

namespace jaxtrace::test {

struct Tree {
  hlo::Schedule schedule{.slots = {}, .nodes = {hlo::Node{}}};

  std::uint32_t node(std::uint32_t parent, hlo::Node node) {
    schedule.nodes.push_back(std::move(node));
    const auto row = static_cast<std::uint32_t>(schedule.nodes.size() - 1);
    schedule.nodes[parent].children.push_back(row);
    return row;
  }
  /// A slot whose instruction has its number.
  std::uint32_t slot(std::uint32_t parent) {
    const auto row = static_cast<std::uint32_t>(schedule.slots.size());
    schedule.slots.push_back({.instruction = hlo::InstructionId{row}});
    return node(parent, {.of = hlo::Node::Of::slot, .slot = row});
  }
  /// Returns what runs in each iteration.
  std::uint32_t loop(std::uint32_t parent, std::optional<std::uint64_t> trips) {
    return node(node(parent, {.of = hlo::Node::Of::loop, .trips = trips}), {});
  }
};

}  // namespace jaxtrace::test
