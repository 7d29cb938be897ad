// Sums first, in integers; rates and shares come from the sums of a row, never from means of rates.
#include "investigation/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/text.h"
#include "analysis/times.h"
#include "hlo/collective_shape.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kNamed = 3;  // Instructions that a finding lists.

bool all_launches(const hlo::Instruction& i, std::initializer_list<hlo::Work> works) {
  return !i.launches.empty() && std::ranges::all_of(i.launches, [&](const hlo::Launch& launch) {
    return std::ranges::find(works, launch.work) != works.end();
  });
}

bool is_collective(const hlo::Instruction& i) {
  return std::ranges::any_of(
             i.launches,
             [](const hlo::Launch& launch) { return launch.work == hlo::Work::collective; }) ||
         hlo::is_collective(i.opcode);
}

bool is_copy(const hlo::Instruction& i) {
  return all_launches(i, {hlo::Work::copy, hlo::Work::host_copy, hlo::Work::fill}) ||
         starts_with_any(i.opcode, {"copy", "send", "recv", "infeed", "outfeed"});
}

/// Costs of the programs that ops are of, each found once.
class Costs {
 public:
  Costs(const Trace& trace, const Attribution& attribution)
      : trace_(trace), attribution_(attribution) {}

  hlo::OpCost of(const Op& op) {
    const AttributedProgram& program = attribution_.programs[op.program];
    const auto [found, added] = costs_.try_emplace(op.program);
    if (added && program.hlo && program.trace_module != kNone) {
      found->second =
          hlo::instruction_costs(*program.hlo, trace_.modules[program.trace_module].hlo_proto);
    }
    const auto at = static_cast<std::size_t>(op.instruction);
    return at < found->second.size() ? found->second[at] : hlo::OpCost{};
  }

 private:
  const Trace& trace_;
  const Attribution& attribution_;
  std::map<std::uint32_t, std::vector<hlo::OpCost>> costs_;
};

std::optional<NotRooflined> why_left_out(const Attribution& attribution, const Op& op,
                                         const hlo::OpCost& cost) {
  if (op.program == kNone || op.instruction == hlo::InstructionId::none) {
    return NotRooflined::no_hlo;
  }
  const hlo::Instruction& i = (*attribution.programs[op.program].hlo)[op.instruction];
  if (is_collective(i)) return NotRooflined::collective;
  // A loop's or branch's own work is the copy of its predicate.
  if (is_copy(i) || i.opcode == "while" || i.opcode == "conditional") return NotRooflined::copy;
  if (!cost.flops || !cost.bytes) return NotRooflined::unknown_cost;
  return {};
}

std::optional<std::int64_t> times(std::optional<std::int64_t> cost, std::int64_t instances) {
  std::int64_t product = 0;
  if (!cost || __builtin_mul_overflow(*cost, instances, &product)) return {};
  return product;
}

std::optional<double> per_second(std::optional<std::int64_t> amount, Picoseconds time) {
  if (!amount || time <= Picoseconds{0}) return {};
  return static_cast<double>(*amount) * 1e12 / static_cast<double>(time.count());
}

void find_rates(RooflineRow& row) {
  row.flops = times(row.cost.flops, row.instances);
  row.bytes = times(row.cost.bytes, row.instances);
  row.flops_per_s = per_second(row.flops, row.total);
  row.bytes_per_s = per_second(row.bytes, row.total);
  if (row.flops && row.bytes && *row.bytes > 0) {
    row.intensity = static_cast<double>(*row.flops) / static_cast<double>(*row.bytes);
  }
}

std::optional<double> share_of(std::optional<double> rate, std::optional<std::int64_t> peak) {
  if (!rate || !peak || *peak <= 0) return {};
  return *rate / static_cast<double>(*peak);
}

/// Where the HLO leaves f32 or tf32 open, names of kernels may say it, and a rate beyond the f32
/// peak does.
void settle_precision(RooflineRow& row, const Machine& machine, bool named_tf32, bool named_f32) {
  const auto tf32 = machine.peak(hlo::Precision::tf32);
  if (!row.cost.precision_open) return;
  if (!tf32 || named_f32) {
    row.cost.precision_open = false;
    return;
  }
  const auto as_f32 = share_of(row.flops_per_s, machine.peak(hlo::Precision::f32));
  const auto as_tf32 = share_of(row.flops_per_s, tf32);
  if (named_tf32 || (as_f32 && *as_f32 > 1 && as_tf32 && *as_tf32 <= 1)) {
    row.cost.precision = hlo::Precision::tf32;
    row.cost.precision_open = false;
  }
}

void find_shares(RooflineRow& row, const Machine& machine) {
  const auto peak = machine.peak(row.cost.precision);
  row.memory_share = share_of(row.bytes_per_s, machine.bytes_per_s);
  if (row.flops && *row.flops > 0) row.compute_share = share_of(row.flops_per_s, peak);
  if (row.flops && *row.flops > 0 && !row.compute_share) return;
  if (!row.compute_share && !row.memory_share) return;
  row.bound =
      row.compute_share.value_or(0) > row.memory_share.value_or(0) ? Roof::compute : Roof::memory;
}

/// A few instructions, by name.
std::string list_of(const Ops& ops, const std::vector<const RooflineRow*>& rows) {
  std::string list;
  for (std::size_t i = 0; i < rows.size() && i < kNamed; ++i) {
    list += fmt::format("{}{} ({:.0f} %)", i > 0 ? ", " : "", ops.rows[rows[i]->op].name,
                        *rows[i]->peak_share() * 100);
  }
  if (rows.size() > kNamed) list += fmt::format(" and {} more", rows.size() - kNamed);
  return list;
}

void find_impossible(const Ops& ops, Roofline& roofline) {
  for (const Roof roof : {Roof::compute, Roof::memory}) {
    std::vector<const RooflineRow*> rows;
    for (const RooflineRow& row : roofline.rows) {
      if (!row.left_out && row.bound == roof && row.peak_share().value_or(0) > 1) {
        rows.push_back(&row);
      }
    }
    if (rows.empty()) continue;
    const bool guessed = std::ranges::any_of(
        rows, [](const RooflineRow* row) { return row->by == InstancesBy::guess || row->uneven; });
    const std::string who =
        fmt::format("{} instruction{}", rows.size(), rows.size() == 1 ? "" : "s");
    const std::string machine =
        fmt::format("{} ({})", roofline.machine->name,
                    roofline.chosen ? "which --machine says" : "recognised by what it reports");
    const char* guess = guessed ? "; the number of instances is uncertain for some" : "";
    Finding finding =
        roof == Roof::compute
            ? Finding{Severity::error, "flops-over-peak",
                      fmt::format(
                          "{} would do more FLOPs a second than the {} can: {}; suspect the "
                          "number of instances, kernels that were not recorded, or the "
                          "machine{}",
                          who, machine, list_of(ops, rows), guess),
                      "", rows.size()}
            : Finding{
                  Severity::note, "bytes-over-bandwidth",
                  fmt::format("{} would move more bytes a second than the memory of the {} can: "
                              "{}; part of it comes from a cache, or suspect the number of "
                              "instances or the machine{}",
                              who, machine, list_of(ops, rows), guess),
                  "", rows.size()};
    roofline.findings.push_back(std::move(finding));
  }
}

/// What names of kernels say of an open precision.
struct NamesSay {
  bool tf32 = false, f32 = false;
};

void look_at_name(std::string_view kernel, NamesSay& says) {
  const std::string name = lower(kernel);
  if (contains(name, "tf32") || contains(name, "xf32")) {
    says.tf32 = true;
  } else if (contains(name, "sgemm") || contains(name, "f32f32_f32f32")) {
    says.f32 = true;
  }
}

}  // namespace

std::string_view text(NotRooflined reason) {
  constexpr std::array<std::string_view, kNotRooflined> kTexts = {
      "no instruction", "no HLO", "collective", "copy", "unknown cost"};
  return kTexts[static_cast<std::size_t>(reason)];
}

std::string_view text(Roof roof) {
  return roof == Roof::compute ? "compute" : "memory";
}

Roofline find_roofline(const Trace& trace, const Attribution& attribution, const Ops& ops,
                       const RooflineOptions& options) {
  const Counted counted = counted_labels(attribution, options.attribute);
  Roofline roofline;
  std::vector<RooflineRow> rows(ops.rows.size());
  std::vector<std::set<StringId>> names(ops.rows.size());  // of those with an open precision
  Costs costs(trace, attribution);
  const std::vector<Instances> instances = count_instances(trace, attribution, ops, counted);
  for (std::uint32_t op = 0; op < rows.size(); ++op) {
    RooflineRow& row = rows[op];
    row.op = op;
    row.instances = instances[op].count;
    row.by = instances[op].by;
    row.uneven = instances[op].uneven;
    if (ops.rows[op].program != kNone && ops.rows[op].instruction != hlo::InstructionId::none) {
      row.cost = costs.of(ops.rows[op]);
    }
    row.left_out = why_left_out(attribution, ops.rows[op], row.cost);
  }

  std::vector<DeviceId> used;
  for (const Lane& lane : trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      const std::uint32_t label = attribution.label[i];
      if (!counted.label[label]) continue;
      const Picoseconds duration = trace.events.duration[i];
      if (used.empty() || used.back() != lane.device) used.push_back(lane.device);
      add_time(roofline.all, duration);
      const std::uint32_t op = ops.of_label[label];
      if (op == kNone) {
        const bool no_hlo = attribution.labels[label].rule == Rule::no_hlo;
        add_time(roofline.left_out[static_cast<std::size_t>(no_hlo ? NotRooflined::no_hlo
                                                                   : NotRooflined::no_instruction)],
                 duration);
        continue;
      }
      RooflineRow& row = rows[op];
      ++row.kernels;
      add_time(row.total, duration);
      add_time(row.left_out ? roofline.left_out[static_cast<std::size_t>(*row.left_out)]
                            : roofline.rooflined,
               duration);
      if (!row.left_out && row.cost.estimate) add_time(roofline.estimated, duration);
      if (row.cost.precision_open) names[op].insert(trace.events.name[i]);
    }
  }

  if (options.machine) {
    roofline.machine = options.machine;
    roofline.chosen = true;
  } else {
    Recognised recognised = recognise(trace, used);
    roofline.machine = std::move(recognised.machine);
    roofline.no_machine = std::move(recognised.why_not);
  }
  for (RooflineRow& row : rows) {
    if (row.kernels == 0) continue;
    find_rates(row);
    if (roofline.machine && !row.left_out) {
      NamesSay says;
      for (const StringId name : names[row.op]) look_at_name(trace.strings[name], says);
      settle_precision(row, *roofline.machine, says.tf32, says.f32);
      find_shares(row, *roofline.machine);
    }
    roofline.rows.push_back(row);
  }
  std::ranges::stable_sort(roofline.rows, std::ranges::greater{}, &RooflineRow::total);
  if (roofline.machine) find_impossible(ops, roofline);
  return roofline;
}

}  // namespace jaxtrace
