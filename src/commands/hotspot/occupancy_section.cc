// Occupancy in words.  Where the GPU or the resources are not known for sure there are several
// variants, and each is said: an average of two GPUs is neither.
#include <fmt/format.h>

#include "commands/hotspot/sections.h"

namespace jaxtrace {
namespace {

/// Waves per SIMD from waves per CU: "2", "6.75".
std::string per_simd(std::int64_t waves) {
  return fmt::format("{:g}", static_cast<double>(waves) / static_cast<double>(kSimdsOfCu));
}

std::string amount(const Limit& limit, std::int64_t number) {
  if (limit.resource == Resource::lds) return for_people(number, Unit::bytes);
  return count_text(number);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

/// "VGPRs (280 of 512 allocated)"
std::vector<std::string> binding(const Occupancy& model) {
  std::vector<std::string> names;
  for (const Limit& limit : model.limits) {
    if (!limit.binding) continue;
    names.push_back(limit.resource == Resource::vgprs || limit.resource == Resource::sgprs ||
                            limit.resource == Resource::lds
                        ? fmt::format("{} ({} of {})", name_of(limit.resource),
                                      amount(limit, limit.allocated),
                                      amount(limit, limit.available))
                        : std::string(name_of(limit.resource)));
  }
  return names;
}

/// "LDS would allow 5, SGPRs 7"
std::string others(const Occupancy& model) {
  std::string text;
  for (const Limit& limit : model.limits) {
    if (limit.binding) continue;
    text += text.empty() ? "; " : ", ";
    text += fmt::format("{}{} {}", name_of(limit.resource), text == "; " ? " would allow" : "",
                        per_simd(limit.workgroups * model.waves_of_workgroup));
  }
  return text;
}

std::string next_level(const Occupancy& model) {
  std::vector<std::string> needs;
  for (const Limit& limit : model.limits) {
    if (!limit.blocks_next) continue;
    if (!limit.next_most || *limit.next_most <= 0) return "";
    needs.push_back(
        fmt::format("{} ≤ {}", name_of(limit.resource), amount(limit, *limit.next_most)));
  }
  if (needs.empty()) return "";
  return fmt::format(" For {} it would take {}.",
                     per_simd((model.workgroups + 1) * model.waves_of_workgroup), joined(needs));
}

std::string variant_text(const OccupancyReport::Variant& variant, bool name_arch) {
  const Occupancy& model = variant.model;
  std::string text;
  if (name_arch) text += fmt::format("On {}: ", name_of(model.arch));
  if (model.workgroups == 0) {
    return text + fmt::format("these numbers cannot be launched at all, because of {}.",
                              joined(binding(model)));
  }
  text += fmt::format("{}{} of 8 waves per SIMD can be resident, limited by {}{}.",
                      model.whole ? "" : "at most ", per_simd(model.waves), joined(binding(model)),
                      others(model));
  text += next_level(model);
  if (!model.unknown.empty()) {
    std::vector<std::string> names;
    for (const Resource resource : model.unknown) names.emplace_back(name_of(resource));
    text += fmt::format(" Not known, so not counted: {}.", joined(names));
  }
  if (model.grid_workgroups && model.device_workgroups && *model.device_workgroups > 0) {
    const double rounds =
        static_cast<double>(*model.grid_workgroups) / static_cast<double>(*model.device_workgroups);
    text += fmt::format(" The grid has {}, {:.2g} times what the GPU holds at once.",
                        counted(*model.grid_workgroups, "workgroup"), rounds);
  }
  if (variant.refuted) text += " More were measured, so these numbers are wrong.";
  return text;
}

std::string measured_text(const MeasuredOccupancy& measured) {
  std::string text =
      fmt::format(" Measured: at most {} on a SIMD", count_text(measured.peak_of_simd));
  if (measured.busy_cycles > 0) {
    text += fmt::format(
        ", {:.2f} on average while it had any",
        static_cast<double>(measured.wave_cycles) / static_cast<double>(measured.busy_cycles));
  }
  return text + fmt::format(" ({} on {}).",
                            counted(static_cast<std::int64_t>(measured.waves), "wave"),
                            counted(measured.simds, "SIMD"));
}

}  // namespace

void add_occupancy(Report& report, Dispatches dispatches) {
  Bullets bullets;
  for (const auto& dispatch : dispatches) {
    const OccupancyReport& occupancy = dispatch->occupancy;
    std::string text = dispatches.size() > 1 ? escape_markdown(dispatch->label) + ": " : "";
    const std::size_t before = text.size();
    const bool several = occupancy.variants.size() > 1;
    for (const auto& variant : occupancy.variants) {
      text += (text.size() == before ? "" : " ") + variant_text(variant, several);
    }
    if (occupancy.variants.empty()) {
      text += fmt::format("occupancy is not modelled for {}.",
                          occupancy.arch.name.empty() ? "this GPU" : occupancy.arch.name);
    }
    if (occupancy.measured) text += measured_text(*occupancy.measured);
    bullets.items.push_back(std::move(text));
  }
  report.blocks.emplace_back(Heading{"Occupancy"});
  if (dispatches.size() == 1) {
    report.blocks.emplace_back(Prose{bullets.items.front()});
  } else {
    report.blocks.emplace_back(std::move(bullets));
  }
}

}  // namespace jaxtrace
