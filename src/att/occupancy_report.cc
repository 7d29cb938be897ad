// Model and measurement of one directory together, for every GPU and every set of resources that it
// may have been.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "att/occupancy.h"

namespace jaxtrace {
namespace {

/// A number that can be: what a damaged file says beyond is not known.
std::optional<std::int64_t> within(std::optional<std::int64_t> value, std::int64_t least) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  return value && *value >= least && *value <= kMost ? value : std::nullopt;
}

KernelNeeds needs_of(const RegisterCount& registers, const DispatchResources* resources) {
  KernelNeeds needs;
  needs.vgprs = registers.vgprs;
  needs.sgprs = within(registers.sgprs, 0);
  if (resources == nullptr) return needs;
  needs.workgroup_size = within(resources->workgroup_size, 1);
  needs.lds_bytes = within(resources->lds_bytes, 0);
  needs.grid_size = within(resources->grid_size, 1);
  needs.compute_units = within(resources->compute_units, 1);
  return needs;
}

bool is_same(const KernelNeeds& a, const KernelNeeds& b) {
  return a.workgroup_size == b.workgroup_size && a.vgprs == b.vgprs && a.sgprs == b.sgprs &&
         a.lds_bytes == b.lds_bytes && a.grid_size == b.grid_size;
}

bool is_refuted(const Occupancy& model, const std::optional<MeasuredOccupancy>& measured) {
  // Waves of another kernel on the same CU would count against this one.
  if (!measured || measured->kernels != 1) return false;
  return measured->peak_of_cu > model.waves || measured->peak_of_simd > model.most_of_simd;
}

/// Two readings of the register count are left: a measurement above the larger one's occupancy
/// proves the smaller.
void settle_registers(Arch arch, const std::optional<MeasuredOccupancy>& measured,
                      OccupancyReport::Variant& variant) {
  if (!variant.refuted || !variant.registers.otherwise) return;
  KernelNeeds needs = variant.needs;
  needs.vgprs = variant.registers.otherwise;
  const Occupancy model = model_occupancy(arch, needs);
  if (is_refuted(model, measured)) return;
  std::erase_if(variant.registers.findings,
                [](const Finding& f) { return f.code == "vgpr-count-ambiguous"; });
  variant.registers.vgprs = needs.vgprs;
  variant.registers.vgpr_source = "VGPR_Count, by the measured occupancy";
  variant.registers.otherwise.reset();
  variant.needs = needs;
  variant.model = model;
  variant.refuted = false;
}

void add_variant(const ThreadTrace& trace, Arch arch, const DispatchResources* resources,
                 OccupancyReport& report) {
  OccupancyReport::Variant variant;
  variant.resources = resources;
  variant.registers = count_registers(arch, report.scan, resources);
  variant.needs = needs_of(variant.registers, resources);
  for (const OccupancyReport::Variant& other : report.variants) {
    if (other.model.arch == arch && is_same(other.needs, variant.needs)) return;
  }
  variant.model = model_occupancy(arch, variant.needs);
  variant.refuted = is_refuted(variant.model, report.measured);
  settle_registers(arch, report.measured, variant);
  for (const Finding& f : variant.registers.findings) report.findings.push_back(f);
  if (variant.model.workgroups == 0) {
    std::string short_of;
    for (const Limit& limit : variant.model.limits) {
      if (!limit.binding) continue;
      if (!short_of.empty()) short_of += " and ";
      short_of +=
          fmt::format("{} ({} of {})", name_of(limit.resource), limit.allocated, limit.available);
    }
    report.findings.push_back(
        {Severity::error, "kernel-cannot-launch",
         fmt::format("with these numbers {} cannot run one workgroup for want of {}, yet it ran: "
                     "the GPU or the numbers are wrong",
                     name_of(arch), short_of),
         trace.name});
  } else if (variant.refuted) {
    report.findings.push_back(
        {Severity::error, "occupancy-contradiction",
         fmt::format("{} waves were resident on one compute unit ({} on one SIMD), more than the "
                     "{} ({}) that the model allows on {}: the GPU or the resources are wrong",
                     report.measured->peak_of_cu, report.measured->peak_of_simd,
                     variant.model.waves, variant.model.most_of_simd, name_of(arch)),
         trace.name});
  }
  report.variants.push_back(std::move(variant));
}

/// The same sentence need not stand there for every variant.
void remove_repeats(std::vector<Finding>& findings) {
  std::vector<Finding> kept;
  for (Finding& f : findings) {
    const bool known = std::ranges::any_of(kept, [&](const Finding& k) {
      return k.code == f.code && k.message == f.message && k.where == f.where;
    });
    if (!known) kept.push_back(std::move(f));
  }
  findings = std::move(kept);
}

}  // namespace

OccupancyReport occupancy_of(const ThreadTrace& trace, std::string_view asked) {
  OccupancyReport report;
  report.arch = detect_arch(trace, asked);
  report.scan = scan_registers(trace.instructions);
  report.findings = report.arch.findings;
  if (!trace.occupancy.empty()) report.measured = measure_occupancy(trace.occupancy);
  for (const Arch arch : report.arch.candidates) {
    if (trace.resources.empty()) add_variant(trace, arch, nullptr, report);
    for (const DispatchResources& r : trace.resources) add_variant(trace, arch, &r, report);
  }
  if (report.arch.candidates.empty()) {
    report.findings.push_back(
        {Severity::note, "occupancy-not-modelled",
         fmt::format("occupancy is modelled for gfx90a, gfx942 and gfx950, not for {}",
                     report.arch.name),
         trace.name});
  }
  remove_repeats(report.findings);
  return report;
}

}  // namespace jaxtrace
