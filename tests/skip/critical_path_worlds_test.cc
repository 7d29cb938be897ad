// The critical path in worlds that know what each piece of work waited for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "jaxtrace/readers.h"
#include "skip/conservation.h"
#include "skip/critical_path.h"
#include "skip/skip_stats.h"
#include "support/capture.h"
#include "support/program.h"
#include "support/world_program.h"
#include "support/world_random.h"
#include "support/write_xplane.h"

namespace jaxtrace {
namespace {

using world::DeviceOp;
using world::History;
using world::Ps;
using world::World;

constexpr std::uint64_t kWorlds = 48;

/// What the path consists of, in groups that a world can tell.
struct Sums {
  Ps compute = 0, transfer = 0, copy = 0, host = 0, wait = 0;
};

/// The walk that knows: every op began when the last of what it waited for had ended.
class TrueWalk {
 public:
  TrueWalk(const World& world, const History& history)
      : world_(world), program_(world::program_of(world)), ops_(history.ops) {
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      at_[{ops_[i].step, ops_[i].place, ops_[i].device}] = i;
    }
  }

  Sums from_the_end(int step, Ps begin, Ps end) {
    sums_ = {};
    begin_ = begin;
    const DeviceOp* op = nullptr;
    for (const DeviceOp& each : ops_) {
      if (each.step == step && each.begin < end && (op == nullptr || each.end > op->end))
        op = &each;
    }
    for (Ps now = std::min(op->end, end); op != nullptr && now > begin_;) {
      if (op->work == DeviceOp::Work::collective) op = last_arrival(*op);
      Ps& work = op->work == DeviceOp::Work::collective ? sums_.transfer
                 : op->work == DeviceOp::Work::memcpy   ? sums_.copy
                                                        : sums_.compute;
      give(work, op->begin, now);
      now = op->begin;
      op = back(*op, now);
    }
    return sums_;
  }

 private:
  const DeviceOp* last_arrival(const DeviceOp& op) const {
    const DeviceOp* last = &op;
    for (int d = 0; d < world_.devices; ++d) {
      const DeviceOp& other = ops_[at_.at({op.step, op.place, d})];
      if (other.begin > last->begin) last = &other;
    }
    return last;
  }

  void give(Ps& sum, Ps from, Ps to) const { sum += std::max<Ps>(0, to - std::max(from, begin_)); }

  /// To what `op` waited for; the time between is the host's or a wait.
  const DeviceOp* back(const DeviceOp& op, Ps& now) {
    const world::Op& of = program_[static_cast<std::size_t>(op.place)];
    const DeviceOp* bound = nullptr;  // On the GPU
    const DeviceOp* ended = nullptr;  // Last on the GPU, whatever it was
    Ps ready = 0;
    for (const DeviceOp& other : ops_) {
      if (other.device != op.device || other.begin >= op.begin || other.end > op.begin) continue;
      if (ended == nullptr || other.end > ended->end) ended = &other;
      const bool waited =
          other.step == op.step && std::ranges::find(of.waits, other.place) != of.waits.end();
      if (!waited && other.stream != op.stream) continue;
      const Ps then = other.end + (waited ? world::kUs : world_.dispatch_gap);
      if (then <= ready) continue;
      ready = then;
      bound = &other;
    }
    const bool by_host = op.asked + world_.latency >= ready;
    const DeviceOp* const before = by_host ? ended : bound;
    const Ps from = before == nullptr ? begin_ : before->end;
    give(by_host && op.asked >= from ? sums_.host : sums_.wait, from, now);
    now = from;
    return before;
  }

  const World& world_;
  std::vector<world::Op> program_;
  const std::vector<DeviceOp>& ops_;
  std::map<std::array<int, 3>, std::size_t> at_;
  Ps begin_ = 0;
  Sums sums_;
};

/// Of the part of a path before the end of its last work.
Sums sums_of(const CriticalPath& path, Ps until) {
  Sums sums;
  for (const PathSegment& segment : path.segments) {
    const Ps length = std::min(segment.window.end.count(), until) - segment.window.begin.count();
    if (length <= 0) continue;
    switch (segment.kind) {
      case PathKind::compute:
        sums.compute += length;
        break;
      case PathKind::transfer:
      case PathKind::collective:
        sums.transfer += length;
        break;
      case PathKind::copy:
        sums.copy += length;
        break;
      case PathKind::host_late:
      case PathKind::launch_path:
        sums.host += length;
        break;
      default:
        sums.wait += length;
    }
  }
  return sums;
}

Ps most_difference(const Sums& a, const Sums& b) {
  Ps most = 0;
  for (Ps Sums::*part : {&Sums::compute, &Sums::transfer, &Sums::copy, &Sums::host, &Sums::wait}) {
    most = std::max(most, std::abs(a.*part - b.*part));
  }
  return most;
}

/// On one GPU with one stream nothing else can be on the path than what the step consists of.
TEST(CriticalPathOnWorlds, IsTheBudgetOfAGpuWithOneStream) {
  int asked = 0;
  for (std::uint64_t seed = 0; seed < kWorlds; ++seed) {
    SCOPED_TRACE(seed);
    World world = world::random_world(seed).world;
    world.devices = 1;
    world.side_stream = false;
    world.collectives = 0;
    world.steps = 6;
    const Trace trace = read_bytes(synth::xspace_bytes(world::run(world).recording));
    const SkipStats stats = skip_stats(trace);
    const Scope scope{trace, stats.works, stats.timelines, stats.steps};
    for (std::size_t s = 0; s < stats.steps.steps.size(); ++s) {
      const StepParts& parts = stats.devices[0].steps[s];
      const CriticalPath path = critical_path(
          scope, align_collectives(trace, stats.works, stats.timelines, stats.steps), s, 0);
      EXPECT_EQ(path.window.length(), parts.step);
      EXPECT_EQ(path.of(PathKind::compute), parts.compute);
      EXPECT_EQ(path.of(PathKind::copy), parts.copy);
      EXPECT_EQ(path.host(), parts.idle.host());
      EXPECT_EQ(path.of(PathKind::graph_internal), parts.idle.of(IdlePart::graph_internal));
      EXPECT_EQ(path.of(PathKind::queued_long), parts.idle.of(IdlePart::queued_long));
      ++asked;
    }
  }
  EXPECT_GE(asked, 200);
}

TEST(CriticalPathOnWorlds, StaysOnItsHost) {
  World world;
  world.devices = 2;
  world.steps = 5;
  world.collectives = 2;
  const std::string bytes = synth::xspace_bytes(world::run(world).recording);
  const ScratchDir directory;
  write_file(directory.path() / "host0.xplane.pb", bytes);
  write_file(directory.path() / "host1.xplane.pb", bytes);
  const Trace both = read_capture(directory.path());
  const SkipStats stats = skip_stats(both);
  ASSERT_EQ(stats.timelines.size(), 4u);
  const AlignedCollectives aligned =
      align_collectives(both, stats.works, stats.timelines, stats.steps);
  const Scope scope{both, stats.works, stats.timelines, stats.steps};
  for (const std::size_t device : {0u, 3u}) {
    const CriticalPath path = critical_path(scope, aligned, 2, device);
    expect_whole(path);
    for (const PathSegment& segment : path.segments) EXPECT_EQ(segment.device / 2, device / 2);
    // Who of the other host arrives when is not known.
    EXPECT_EQ(path.of(PathKind::transfer), Picoseconds{0});
    EXPECT_GT(path.of(PathKind::collective), Picoseconds{0});
  }
}

TEST(CriticalPathOnWorlds, HoldsEveryInstantOnceAndIsTheTrueOne) {
  int asked = 0, right = 0;
  std::string wrong;
  for (std::uint64_t seed = 0; seed < kWorlds; ++seed) {
    SCOPED_TRACE(fmt::format("world {}", seed));
    const World world = world::random_world(seed).world;
    const History history = world::run(world);
    const Trace trace = read_bytes(synth::xspace_bytes(history.recording));
    const SkipStats stats = skip_stats(trace);
    const Scope scope{trace, stats.works, stats.timelines, stats.steps};
    const AlignedCollectives aligned =
        align_collectives(trace, stats.works, stats.timelines, stats.steps);
    TrueWalk truth(world, history);
    for (std::size_t s = 0; s < stats.steps.steps.size(); ++s) {
      const CriticalPath path = critical_path(scope, aligned, s, stats.verdict.device);
      expect_whole(path);
      // Steps that were told by what repeats are not the world's.
      const bool same =
          stats.steps.rule == StepRule::annotation || stats.steps.rule == StepRule::function;
      if (!same || stats.steps.steps[s].fate != StepFate::kept || path.last == kNoEvent) continue;
      const Ps until = std::min(trace.events.begin[path.last] + trace.events.duration[path.last],
                                path.window.end)
                           .count();
      const Sums found = sums_of(path, until);
      const Sums known = truth.from_the_end(static_cast<int>(s), path.window.begin.count(),
                                            path.window.end.count());
      const Ps off = most_difference(found, known);
      const bool good = off * 50 <= path.window.length().count();
      ++asked;
      right += good ? 1 : 0;
      if (good) continue;
      wrong += fmt::format(
          "world {} step {} ({}): {} of {}; compute {} {}, transfer {} {}, "
          "copy {} {}, host {} {}, wait {} {}\n",
          seed, s, name_of(world::random_world(seed).cause), off, path.window.length().count(),
          found.compute, known.compute, found.transfer, known.transfer, found.copy, known.copy,
          found.host, known.host, found.wait, known.wait);
    }
  }
  EXPECT_GE(asked, 200);
  // What a tracer does not show (`device_wait`) may look like a dependency on another stream.
  EXPECT_GE(right, 0.97 * asked) << wrong;
}

}  // namespace
}  // namespace jaxtrace
