// The k-th time that one execution runs a collective on one device is the k-th time on every other.
// Kernels of a collective end together and wait for the last to begin, so what they share begins
// with that one.  Devices are only compared if they are all of its participants and share a clock.
#include "investigation/collectives.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/times.h"
#include "investigation/instances.h"

namespace jaxtrace {
namespace {

/// One time on one device.
struct Part {
  std::uint32_t execution;
  Picoseconds begin, end;
};

/// Of one collective instruction, by device.
using Parts = std::map<DeviceId, std::vector<Part>>;

struct Transfer {
  Picoseconds time{0};
  std::int64_t compared = 0;
};

Transfer find_transfer(const Trace& trace, Parts& parts, std::int64_t participants) {
  Transfer sum;
  if (participants < 2 || static_cast<std::int64_t>(parts.size()) != participants) return sum;
  const auto host_of = [&](DeviceId id) {
    return trace.devices[static_cast<std::size_t>(id)].host;
  };
  // (execution, occurrence within it) → one part a device
  std::map<std::pair<std::uint32_t, std::size_t>, std::vector<Part>> meetings;
  for (auto& [device, times] : parts) {
    if (host_of(device) != host_of(parts.begin()->first)) return sum;
    std::ranges::stable_sort(times, {}, [](const Part& part) {
      return std::tuple(part.execution, part.begin, part.end);
    });
    std::size_t occurrence = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      occurrence = i > 0 && times[i].execution == times[i - 1].execution ? occurrence + 1 : 0;
      meetings[{times[i].execution, occurrence}].push_back(times[i]);
    }
  }
  for (const auto& [key, meeting] : meetings) {
    if (static_cast<std::int64_t>(meeting.size()) != participants) continue;
    const Picoseconds arrival = std::ranges::max(meeting, {}, &Part::begin).begin;
    // What was over before all were there was another collective: some record is missing.
    if (std::ranges::min(meeting, {}, &Part::end).end <= arrival) continue;
    for (const Part& part : meeting) add_time(sum.time, part.end - arrival);
    sum.compared += participants;
  }
  return sum;
}

std::optional<double> rate(std::optional<std::int64_t> bytes, std::int64_t instances,
                           Picoseconds time) {
  if (!bytes || time <= Picoseconds{0}) return {};
  return static_cast<double>(*bytes) * static_cast<double>(instances) * 1e12 /
         static_cast<double>(time.count());
}

/// The collectives of the programs that ops are of, by op; kNone where it is none.
std::vector<std::optional<hlo::CollectiveShape>> find_shapes(const Trace& trace,
                                                             const Attribution& attribution,
                                                             const Ops& ops) {
  std::map<std::uint32_t, std::map<hlo::InstructionId, hlo::CollectiveShape>> of_program;
  std::vector<std::optional<hlo::CollectiveShape>> shapes;
  for (const Op& op : ops.rows) {
    shapes.emplace_back();
    if (op.program == kNone || op.instruction == hlo::InstructionId::none) continue;
    const AttributedProgram& program = attribution.programs[op.program];
    if (program.trace_module == kNone) continue;
    const auto [found, added] = of_program.try_emplace(op.program);
    if (added) {
      for (const hlo::CollectiveShape& shape :
           hlo::collective_shapes(*program.hlo, trace.modules[program.trace_module].hlo_proto)) {
        found->second.emplace(shape.instruction, shape);
      }
    }
    const auto at = found->second.find(op.instruction);
    if (at != found->second.end()) shapes.back() = at->second;
  }
  return shapes;
}

}  // namespace

std::optional<double> bus_factor(hlo::CollectiveKind kind,
                                 std::optional<std::int64_t> participants) {
  using hlo::CollectiveKind;
  if (kind == CollectiveKind::several) return {};
  const bool reduces = kind == CollectiveKind::all_reduce;
  const bool needs_n = reduces || kind == CollectiveKind::all_gather ||
                       kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::all_to_all;
  if (!needs_n) return 1.0;
  if (!participants || *participants < 2) return {};
  const auto n = static_cast<double>(*participants);
  return (reduces ? 2.0 : 1.0) * (n - 1) / n;
}

std::vector<CollectiveRow> find_collectives(const Trace& trace, const Attribution& attribution,
                                            const Ops& ops, const AttributeOptions& options) {
  const Counted counted = counted_labels(attribution, options);
  const auto shapes = find_shapes(trace, attribution, ops);
  if (std::ranges::none_of(shapes, [](const auto& shape) { return shape.has_value(); })) return {};
  const std::vector<Instances> instances = count_instances(trace, attribution, ops, counted);

  std::vector<CollectiveRow> rows(ops.rows.size());
  std::vector<Parts> parts(ops.rows.size());
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      const std::uint32_t label = attribution.label[i];
      const std::uint32_t op = ops.of_label[label];
      if (!counted.label[label] || op == kNone || !shapes[op]) continue;
      ++rows[op].kernels;
      add_time(rows[op].total, trace.events.duration[i]);
      if (!has_plausible_time(trace, i)) continue;
      parts[op][lane.device].push_back(
          {attribution.execution[i], trace.events.begin[i], end_of(trace, i)});
    }
  }

  std::vector<CollectiveRow> out;
  for (std::uint32_t op = 0; op < rows.size(); ++op) {
    CollectiveRow& row = rows[op];
    if (row.kernels == 0) continue;
    row.op = op;
    row.kind = shapes[op]->kind;
    row.bytes = shapes[op]->bytes;
    row.participants = shapes[op]->participants;
    row.instances = instances[op].count;
    if (row.kernels == row.instances && row.participants) {
      const Transfer transfer = find_transfer(trace, parts[op], *row.participants);
      row.compared = transfer.compared;
      if (transfer.compared > 0) row.transfer = transfer.time;
    }
    row.waiting_included = !row.transfer;
    row.algorithm_bandwidth = row.transfer ? rate(row.bytes, row.compared, *row.transfer)
                                           : rate(row.bytes, row.instances, row.total);
    const auto factor = bus_factor(row.kind, row.participants);
    if (factor && row.algorithm_bandwidth) row.bus_bandwidth = *row.algorithm_bandwidth * *factor;
    out.push_back(row);
  }
  std::ranges::stable_sort(out, std::ranges::greater{}, &CollectiveRow::total);
  return out;
}

}  // namespace jaxtrace
