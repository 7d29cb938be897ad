// One device at a time, so that memory does not grow with the devices: first the kernels of each
// instruction in each execution, then what they come to.
#include "investigation/instances.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "hlo/emission.h"

namespace jaxtrace {
namespace {

/// Where a computation stands in the program.
struct Place {
  bool once = true;                         // run at most once in an execution
  std::optional<std::uint64_t> trips = 1U;  // how often at least; absent if unknown
};

/// By computation; absent where no execution enters it, such as a reducer.
using Places = std::vector<std::optional<Place>>;

std::optional<std::uint64_t> product(std::optional<std::uint64_t> a,
                                     std::optional<std::uint64_t> b) {
  std::uint64_t result = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &result)) return {};
  return result;
}

Places find_places(const hlo::Program& program) {
  Places places(program.computations.size());
  std::vector<std::pair<hlo::ComputationId, Place>> open{{program.entry, {}}};
  while (!open.empty()) {
    const auto [at, found] = open.back();
    open.pop_back();
    if (static_cast<std::size_t>(at) >= places.size()) continue;
    std::optional<Place>& place = places[static_cast<std::size_t>(at)];
    // Entered from a second site: looked at once more at most, as it cannot get less certain.
    if (place && !place->once && !place->trips) continue;
    place = place ? Place{false, {}} : found;
    for (const hlo::InstructionId id : program[at].instructions) {
      const hlo::Instruction& i = program[id];
      if (i.opcode == "while") {
        const hlo::LoopParts parts = hlo::loop_parts(program, id);
        const auto trips = hlo::known_trip_count(i);
        open.push_back({parts.body, {false, product(place->trips, trips)}});
        open.push_back({parts.condition, {false, {}}});
      } else if (i.opcode == "fusion") {
        for (const hlo::ComputationId called : i.called) open.push_back({called, *place});
      } else {
        for (const hlo::ComputationId called : hlo::entered(program, id)) {
          open.push_back({called, *place});
        }
      }
    }
  }
  return places;
}

/// What decides how an instruction's kernels are counted.
struct Plan {
  bool once = false;
  std::int64_t trips = 0;     // 0: unknown
  std::int64_t launches = 0;  // kernels of an instance; 0: unknown
  bool kernels_only = true;   // copies and fills beside them do not count
  std::uint32_t program = kNone;
  hlo::ComputationId computation = hlo::ComputationId::none;
};

void count_launches(const hlo::Instruction& instruction, Plan& plan) {
  std::int64_t kernels = 0, others = 0;
  for (const hlo::Launch& launch : instruction.launches) {
    if (launch.optional) return;
    switch (launch.work) {
      case hlo::Work::own_kernel:
      case hlo::Work::collective:
        ++kernels;
        break;
      case hlo::Work::copy:
      case hlo::Work::host_copy:
      case hlo::Work::fill:
        ++others;
        break;
      default:
        return;  // a library's
    }
  }
  plan.launches = kernels > 0 ? kernels : others;
  plan.kernels_only = kernels > 0;
}

std::vector<Plan> make_plans(const Attribution& attribution, const Ops& ops) {
  std::vector<Plan> plans;
  std::map<std::uint32_t, Places> places;
  for (const Op& op : ops.rows) {
    Plan& plan = plans.emplace_back();
    if (op.program == kNone || op.instruction == hlo::InstructionId::none) continue;
    const hlo::Program& hlo = *attribution.programs[op.program].hlo;
    const auto [found, added] = places.try_emplace(op.program);
    if (added) found->second = find_places(hlo);
    plan.program = op.program;
    plan.computation = hlo[op.instruction].computation;
    if (const auto& place = found->second[static_cast<std::size_t>(plan.computation)]) {
      constexpr std::uint64_t kMost = std::uint64_t{1} << 40U;
      plan.once = place->once;
      if (place->trips && *place->trips < kMost) {
        plan.trips = static_cast<std::int64_t>(*place->trips);
      }
    }
    count_launches(hlo[op.instruction], plan);
  }
  return plans;
}

/// Kernels of an instruction in one execution.
struct Hit {
  std::uint32_t execution = kNone;
  std::int64_t kernels = 0;
};

void add_hit(std::vector<Hit>& hits, std::uint32_t execution, std::int64_t kernels) {
  if (hits.empty() || hits.back().execution != execution) hits.push_back({execution, 0});
  hits.back().kernels += kernels;
}

/// Execution, and name of a kernel.
using Named = std::pair<std::uint32_t, StringId>;

/// One row an execution: an instruction may have work on several lanes.
void merge(std::vector<Hit>& hits) {
  const auto out_of_order = std::ranges::adjacent_find(
      hits, [](const Hit& a, const Hit& b) { return a.execution >= b.execution; });
  if (out_of_order == hits.end()) return;
  std::ranges::stable_sort(hits, {}, &Hit::execution);
  std::vector<Hit> merged;
  for (const Hit& hit : hits) add_hit(merged, hit.execution, hit.kernels);
  hits = std::move(merged);
}

class Counter {
 public:
  Counter(const Attribution& attribution, const Ops& ops)
      : plans_(make_plans(attribution, ops)),
        hits_(ops.rows.size()),
        names_(ops.rows.size()),
        found_(ops.rows.size()),
        kernels_(ops.rows.size()) {}

  void see(std::uint32_t op, std::uint32_t execution, Kind kind, StringId name) {
    if (hits_[op].empty()) touched_.push_back(op);
    const Plan& plan = plans_[op];
    const bool counts = !plan.kernels_only || kind == Kind::kernel || kind == Kind::collective;
    add_hit(hits_[op], execution, counts ? 1 : 0);
    if (plan.launches == 0 && (!plan.once || execution == kNone)) {
      names_[op].emplace_back(execution, name);
    }
  }

  void end_device() {
    std::ranges::sort(touched_);
    std::map<std::pair<std::uint32_t, hlo::ComputationId>, std::map<std::uint32_t, std::int64_t>>
        own;  // the most rounds of a computation that a kernel of XLA's own shows, by execution
    for (const std::uint32_t op : touched_) {
      merge(hits_[op]);
      std::ranges::sort(names_[op]);
      if (!names_[op].empty()) own[{plans_[op].program, plans_[op].computation}];
    }
    for (const std::uint32_t op : touched_) {
      const Plan& plan = plans_[op];
      const auto found = own.find({plan.program, plan.computation});
      if (found == own.end() || plan.launches == 0 || !plan.kernels_only) continue;
      auto& rounds = found->second;
      for (const Hit& hit : hits_[op]) {
        std::int64_t& most = rounds[hit.execution];
        most = std::max(most, rounds_of(hit, plan));
      }
    }
    for (const std::uint32_t op : touched_) {
      const Plan& plan = plans_[op];
      const auto beside = own.find({plan.program, plan.computation});
      for (const Hit& hit : hits_[op]) {
        std::int64_t rounds = 0;
        if (beside != own.end()) {
          const auto at = beside->second.find(hit.execution);
          if (at != beside->second.end()) rounds = at->second;
        }
        count(op, hit, rounds);
      }
      hits_[op].clear();
      names_[op].clear();
    }
    touched_.clear();
  }

  std::vector<Instances> take() { return std::move(found_); }

 private:
  static std::int64_t rounds_of(const Hit& hit, const Plan& plan) {
    return (hit.kernels + plan.launches - 1) / plan.launches;
  }

  void count(std::uint32_t op, const Hit& hit, std::int64_t neighbours) {
    const Plan& plan = plans_[op];
    std::int64_t instances = 1;
    InstancesBy by = InstancesBy::executions;
    if (plan.once && hit.execution != kNone) {
      // One, however many kernels.
    } else if (plan.launches > 0) {
      by = InstancesBy::kernels;
      instances = std::max<std::int64_t>(1, rounds_of(hit, plan));
    } else if (neighbours > 0) {
      by = InstancesBy::neighbours;
      instances = std::min(neighbours, std::max<std::int64_t>(1, hit.kernels));
    } else if (plan.trips > 0 && hit.execution != kNone) {
      by = InstancesBy::trips;
      instances = std::min(plan.trips, std::max<std::int64_t>(1, hit.kernels));
    } else {
      by = InstancesBy::guess;
      instances = rarest_name(op, hit.execution);
    }
    Instances& found = found_[op];
    found.count += instances;
    found.by = std::max(found.by, by);
    // As many kernels an instance as in the execution before, to the kernel.
    auto& [kernels, of] = kernels_[op];
    if (of == 0) {
      kernels = hit.kernels;
      of = instances;
    }
    const bool launched =
        plan.launches > 0 && by == InstancesBy::kernels && hit.kernels % plan.launches != 0;
    found.uneven = found.uneven || launched || hit.kernels * of != kernels * instances ||
                   hit.kernels % instances != 0;
  }

  /// Names are sorted by execution here, so that those of one are found at once.
  std::int64_t rarest_name(std::uint32_t op, std::uint32_t execution) const {
    const auto& names = names_[op];
    std::int64_t rarest = 0;
    auto at = std::ranges::lower_bound(names, execution, {}, &Named::first);
    while (at != names.end() && at->first == execution) {
      const auto end =
          std::find_if(at, names.end(), [&](const Named& other) { return other != *at; });
      const std::int64_t count = end - at;
      rarest = rarest == 0 ? count : std::min(rarest, count);
      at = end;
    }
    return std::max<std::int64_t>(rarest, 1);
  }

  std::vector<Plan> plans_;
  std::vector<std::vector<Hit>> hits_;  // by op, of the device at hand
  std::vector<std::vector<Named>> names_;
  std::vector<std::uint32_t> touched_;
  std::vector<Instances> found_;
  std::vector<std::pair<std::int64_t, std::int64_t>> kernels_;  // of the first hit, and instances
};

}  // namespace

std::string_view text(InstancesBy by) {
  constexpr std::array<std::string_view, 5> kTexts = {"executions", "kernels", "neighbours",
                                                      "trips", "guess"};
  return kTexts[static_cast<std::size_t>(by)];
}

std::vector<Instances> count_instances(const Trace& trace, const Attribution& attribution,
                                       const Ops& ops, const Counted& counted) {
  Counter counter(attribution, ops);
  const Lane* before = nullptr;
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    if (before != nullptr && before->device != lane.device) counter.end_device();
    before = &lane;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      const std::uint32_t label = attribution.label[i];
      const std::uint32_t op = ops.of_label[label];
      if (!counted.label[label] || op == kNone) continue;
      counter.see(op, attribution.execution[i], attribution.kind[i], trace.events.name[i]);
    }
  }
  counter.end_device();
  return counter.take();
}

}  // namespace jaxtrace
