// Occupancy in words.  Where the GPU or the resources are not known for sure there are several
// variants, and each is said: an average of two GPUs is neither.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "commands/hotspot/sections.h"

namespace jaxtrace {
namespace {

constexpr std::int64_t kMostWaves = 8;  // Of a SIMD, on every GPU that is modelled.

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
    const std::int64_t waves = limit.workgroups * model.waves_of_workgroup;
    if (limit.binding || waves >= kMostWaves * kSimdsOfCu) continue;
    text += fmt::format("{}{} {}", text.empty() ? "; " : ", ",
                        std::string(name_of(limit.resource)) + (text.empty() ? " would allow" : ""),
                        per_simd(waves));
  }
  return text;
}

bool is_unknown(const Occupancy& model, Resource resource) {
  return std::ranges::find(model.unknown, resource) != model.unknown.end();
}

/// " For 2 it would take VGPRs ≤ 256."; empty where only another kind of workgroup would help.
std::string next_level(const Occupancy& model) {
  std::vector<std::string> needs;
  for (const Limit& limit : model.limits) {
    if (!limit.blocks_next) continue;
    if (limit.resource == Resource::wave_slots || limit.resource == Resource::barriers) return "";
    if (!limit.next_most || *limit.next_most <= 0) return "";
    needs.push_back(
        fmt::format("{} ≤ {}", name_of(limit.resource), amount(limit, *limit.next_most)));
  }
  if (needs.empty()) return "";
  std::int64_t waves = (model.workgroups + 1) * model.waves_of_workgroup;
  // Workgroups of an unknown size are taken for one wave each, and one wave more is no level.
  if (is_unknown(model, Resource::wave_slots))
    waves = (waves + kSimdsOfCu - 1) / kSimdsOfCu * kSimdsOfCu;
  return fmt::format(" For {} it would take {}.", per_simd(waves), joined(needs));
}

std::string unknown_text(const Occupancy& model) {
  if (model.unknown.empty()) return "";
  std::vector<std::string> names;
  for (const Resource resource : model.unknown) {
    names.emplace_back(resource == Resource::wave_slots ? "workgroup size" : name_of(resource));
  }
  return fmt::format(
      " Not known, so not counted: {} (kernel_trace.csv beside the directory would tell).",
      joined(names));
}

std::string variant_text(const OccupancyReport::Variant& variant) {
  const Occupancy& model = variant.model;
  if (model.workgroups == 0) {
    return fmt::format("these numbers cannot be launched at all, because of {}.",
                       joined(binding(model)));
  }
  std::string text = fmt::format("{}{} of {} waves per SIMD can be resident, limited by {}{}.",
                                 model.whole ? "" : "at most ", per_simd(model.waves), kMostWaves,
                                 joined(binding(model)), others(model));
  text += next_level(model);
  text += unknown_text(model);
  if (model.grid_workgroups && model.device_workgroups && *model.device_workgroups > 0) {
    const double rounds =
        static_cast<double>(*model.grid_workgroups) / static_cast<double>(*model.device_workgroups);
    text += fmt::format(
        " The grid has {}, {} what the GPU holds at once.",
        counted(*model.grid_workgroups, "workgroup"),
        rounds < 1 ? for_people(rounds, Unit::ratio) + " of" : fmt::format("{:.1f} times", rounds));
  }
  if (variant.refuted) text += " More were measured, so these numbers are wrong.";
  return text;
}

/// Each variant once, with the GPUs that it is the same for.
std::string variants_text(const OccupancyReport& occupancy) {
  if (occupancy.variants.empty()) {
    return fmt::format("Occupancy is not modelled for {}.",
                       occupancy.arch.name.empty() ? "this GPU" : occupancy.arch.name);
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> texts;
  for (const auto& variant : occupancy.variants) {
    const std::string text = variant_text(variant);
    auto same =
        std::ranges::find(texts, text, &std::pair<std::string, std::vector<std::string>>::first);
    if (same == texts.end()) same = texts.insert(texts.end(), {text, {}});
    std::string arch(name_of(variant.model.arch));
    if (std::ranges::find(same->second, arch) == same->second.end()) {
      same->second.push_back(std::move(arch));
    }
  }
  std::string result;
  for (const auto& [text, archs] : texts) {
    result += fmt::format("{}On {}, {}", result.empty() ? "" : " ", joined(archs), text);
  }
  return result;
}

std::string measured_text(const MeasuredOccupancy& measured) {
  std::string text =
      fmt::format(" Measured: at most {} on a SIMD", count_text(measured.peak_of_simd));
  if (measured.busy_cycles > 0) {
    text += fmt::format(
        ", {:.2f} on average while it had any",
        static_cast<double>(measured.wave_cycles) / static_cast<double>(measured.busy_cycles));
  }
  return text + fmt::format(" ({} on {}).", counted(measured.waves, "wave"),
                            counted(measured.simds, "SIMD"));
}

}  // namespace

void add_occupancy(Report& report, Dispatches dispatches) {
  Bullets bullets;
  for (const auto& dispatch : dispatches) {
    const OccupancyReport& occupancy = dispatch->occupancy;
    std::string text = dispatches.size() > 1 ? escape_markdown(dispatch->label) + ": " : "";
    text += variants_text(occupancy);
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
