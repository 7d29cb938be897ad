#include "support/world_truth.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace jaxtrace::world {
namespace {

using Work = DeviceOp::Work;

bool runs(const std::vector<DeviceOp>& ops, Work work, Ps begin, Ps end) {
  return std::ranges::any_of(ops, [&](const DeviceOp& op) {
    return op.work == work && op.begin <= begin && op.end >= end;
  });
}

}  // namespace

Truth truth_of(const History& history, int device, Ps begin, Ps end) {
  std::vector<DeviceOp> ops;
  std::vector<Ps> cuts = {begin, end};
  for (const DeviceOp& op : history.ops) {
    if (op.device != device || op.begin == op.end) continue;
    ops.push_back(op);
    for (const Ps cut : {op.begin, op.end, op.asked}) {
      if (cut > begin && cut < end) cuts.push_back(cut);
    }
  }
  std::ranges::sort(cuts);
  std::ranges::sort(ops, {}, [](const DeviceOp& op) { return std::tuple(op.begin, op.stream); });

  Truth truth;
  for (std::size_t i = 1; i < cuts.size(); ++i) {
    const Ps from = cuts[i - 1], to = cuts[i], time = to - from;
    if (time == 0) continue;
    if (runs(ops, Work::compute, from, to)) {
      truth.compute += time;
    } else if (runs(ops, Work::collective, from, to)) {
      truth.collective += time;
    } else if (runs(ops, Work::memcpy, from, to)) {
      truth.copy += time;
    } else {
      truth.idle += time;
      const auto next =
          std::ranges::find_if(ops, [&](const DeviceOp& op) { return op.begin >= to; });
      if (next == ops.end()) {
        truth.tail += time;
        continue;
      }
      // The GPU fell idle when the last of what came before had ended.
      const DeviceOp* last = nullptr;
      for (auto op = ops.begin(); op != next; ++op) {
        if (last == nullptr || op->end >= last->end) last = &*op;
      }
      const Ps fell_idle = last == nullptr ? begin : std::max(begin, last->end);
      if (next->asked >= fell_idle) {
        (to <= next->asked ? truth.host_late : truth.launch_path) += time;
      } else if (last != nullptr && last->call == next->call) {
        truth.in_graph += time;
      } else {
        truth.queued += time;
      }
    }
  }
  return truth;
}

}  // namespace jaxtrace::world
