// The two steps that attribute what the tracer did not: graph launches, then whole executions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attribution/attribution.h"
#include "attribution/groups.h"
#include "attribution/labels.h"
#include "attribution/suspects.h"

namespace jaxtrace {

/// What both steps work on: one program, on all devices.
struct Bench {
  const Trace& trace;
  const Launches& launches;
  std::uint32_t program;
  const Suspects& suspects;
  std::vector<Group*> groups;  ///< Those of the program; graph nodes may be put into another order.
  Attribution& out;            ///< label[i] is kNone where nothing is known yet.
  LabelTable& labels;
};

/// Explains each graph launch whose place in the schedule its annotation gives, by learning one map
/// a graph and reading every launch off it.  Exact events are never touched.
void solve_graphs(Bench& bench);

/// Explains what is left, execution by execution, between the events that are known.
void solve_executions(Bench& bench);

/// The annotation that tells which graph an event belongs to: the event's own, else its call's.
StringId graph_of(const Bench& bench, std::uint32_t event);

/// Pieces for events: known ones as anchors, the others with their candidates by name.
std::vector<Piece> pieces_of(const Bench& bench, std::span<const std::uint32_t> events);

/// Some answer would be another if a missing kernel were missing elsewhere: times may tell.
bool undecided(const Alignment& alignment);

/// A hash that stands for "the same kernels in the same order with the same things known".
struct Fingerprint {
  std::uint64_t a = 0, b = 0;
  auto operator<=>(const Fingerprint&) const = default;
};
Fingerprint fingerprint(const Bench& bench, std::span<const std::uint32_t> events);

/// The label for an event that `explained` gives to its slot; `sharers` is how many instructions of
/// the window in question run kernels under this name (0: XLA did not name the kernel).
Label label_of(const Bench& bench, const Explained& explained, StringId name, std::size_t sharers,
               Rule by_order);

}  // namespace jaxtrace
