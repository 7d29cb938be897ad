// A name decides where the capture has one; else the numbers that the driver reports.  What fits
// two rows is neither: half of the truth would look like a slow program.
#include "analysis/machines.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/machine_table.h"
#include "analysis/text.h"

namespace jaxtrace {
namespace {

constexpr std::int64_t kGib = std::int64_t{1} << 30U;

/// Equal but for one part in `parts`.
bool about(std::int64_t a, std::int64_t b, std::int64_t parts) {
  return a > 0 && b > 0 && a < b + b / parts && b < a + a / parts;
}

// Drivers keep a little memory for themselves, and data sheets count it in other units; boost
// clocks differ a little from board to board.  Bandwidths tell SXM from PCIe, which are 5 % apart.
constexpr std::int64_t kRoughly = 15, kNearly = 33;

/// Partitions of a GPU hold one die, two …, and its memory may be dealt out with them.
bool is_part(std::int64_t part, std::int64_t whole, std::int64_t dies) {
  for (std::int64_t n = 1; n <= dies; ++n) {
    if (dies % n == 0 && whole % n == 0 && part == whole / n) return true;
  }
  return false;
}

bool memory_fits(const MachineRow& row, std::int64_t bytes) {
  for (const std::int64_t share : {1, 2, 4, 8}) {
    if (share <= row.dies && about(bytes, row.memory_gib * kGib / share, kRoughly)) return true;
  }
  return false;
}

bool is_of_a_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool has_words(std::string_view model, std::string_view words) {
  for (std::size_t at = model.find(words); at != std::string_view::npos;
       at = model.find(words, at + 1)) {
    const std::size_t end = at + words.size();
    if ((at == 0 || !is_of_a_word(model[at - 1])) &&
        (end == model.size() || !is_of_a_word(model[end]))) {
      return true;
    }
  }
  return false;
}

bool named(const MachineRow& row, std::string_view model) {
  return !row.in_name.empty() && has_words(model, row.in_name) &&
         (row.not_in_name.empty() || !has_words(model, row.not_in_name));
}

/// Whether nothing that the device says speaks against the row.
bool possible(const MachineRow& row, const Device& device) {
  if (device.compute_capability_major && *device.compute_capability_major != row.major)
    return false;
  if (device.compute_capability_minor && *device.compute_capability_minor != row.minor)
    return false;
  return !device.compute_units || is_part(*device.compute_units, row.units, row.dies);
}

/// Whether the numbers alone make it this row.
bool fits(const MachineRow& row, const Device& device) {
  if (row.by_name_only || !possible(row, device)) return false;
  if (!device.compute_capability_major || !device.compute_units || !device.memory_bytes)
    return false;
  if (!memory_fits(row, *device.memory_bytes)) return false;
  if (device.clock_khz && !about(*device.clock_khz, row.clock_khz, kRoughly)) return false;
  // Only NVIDIA's drivers report a bandwidth that is one.
  return row.amd || !device.bandwidth_bytes_per_s ||
         about(*device.bandwidth_bytes_per_s, row.memory_gb_per_s * 1'000'000'000, kNearly);
}

Machine machine_of(const MachineRow& row, std::int64_t units, std::int64_t clock_khz) {
  Machine machine{.name = std::string(row.name), .source = std::string(row.source), .amd = row.amd};
  const std::int64_t scale = row.amd ? units * clock_khz * 1'000 : 1'000'000'000;
  for (std::size_t i = 0; i < row.figures.size(); ++i) {
    if (row.figures[i] > 0) machine.flops_per_s[i] = row.figures[i] * scale;
  }
  machine.bytes_per_s = row.memory_gb_per_s * 1'000'000'000;
  if (units != row.units) {
    machine.name += fmt::format(", {} of {} CUs", units, row.units);
    machine.bytes_per_s = machine.bytes_per_s / row.units * units;
  }
  if (row.amd && clock_khz != row.clock_khz) {
    machine.name += fmt::format(" at {} MHz", clock_khz / 1'000);
  }
  return machine;
}

/// "gfx942", "NVIDIA H100 PCIe", "AMD device of compute capability 9.4 with 20 units"
std::string description(const Trace& trace, const Device& device) {
  if (device.model != StringId::empty) return std::string(trace.strings[device.model]);
  if (!device.compute_capability_major || !device.compute_units) return "a device without a name";
  const std::string_view vendor = trace.strings[device.vendor];
  return fmt::format("{}{}device of compute capability {}.{} with {} units", vendor,
                     vendor.empty() ? "" : " ", *device.compute_capability_major,
                     device.compute_capability_minor.value_or(0), *device.compute_units);
}

/// Limits what a damaged plane can claim, so that nothing overflows.
std::int64_t plausible_clock(const Device& device, std::int64_t nominal) {
  const std::int64_t clock = device.clock_khz.value_or(nominal);
  return clock >= 100'000 && clock <= 10'000'000 ? clock : nominal;
}

}  // namespace

Recognised recognise(const Trace& trace, const Device& device) {
  const std::string model = lower(trace.strings[device.model]);
  const std::string vendor = lower(trace.strings[device.vendor]);
  std::vector<const MachineRow*> found;
  const auto look = [&](auto test) {
    for (const MachineRow& row : machine_rows()) {
      if (!vendor.empty() && contains(vendor, "amd") != row.amd) continue;
      if (test(row)) found.push_back(&row);
    }
  };
  look([&](const MachineRow& row) { return named(row, model) && possible(row, device); });
  // "gfx942" is a name, but no machine's.
  const bool has_name = !model.empty() && !model.starts_with("gfx");
  if (found.empty() && !has_name) {
    look([&](const MachineRow& row) { return fits(row, device); });
  }
  if (found.empty()) {
    return {{}, fmt::format("{} is not in the table of machines", description(trace, device))};
  }
  if (found.size() > 1) {
    return {{},
            fmt::format("{} may be {} or {}", description(trace, device), found[0]->name,
                        found[1]->name)};
  }
  const MachineRow& row = *found.front();
  return {machine_of(row, device.compute_units.value_or(row.units),
                     plausible_clock(device, row.clock_khz)),
          {}};
}

Recognised recognise(const Trace& trace, std::span<const DeviceId> used) {
  Recognised all;
  for (const DeviceId id : used) {
    Recognised one = recognise(trace, trace.devices[static_cast<std::size_t>(id)]);
    if (!one.machine) return one;
    if (all.machine && all.machine->name != one.machine->name) {
      return {{},
              fmt::format("the work ran on different machines, {} and {}", all.machine->name,
                          one.machine->name)};
    }
    all = std::move(one);
  }
  if (!all.machine) all.why_not = "no device has work";
  return all;
}

std::optional<Machine> machine_named(std::string_view name) {
  for (const MachineRow& row : machine_rows()) {
    // "MI210/MI250 GCD" is two.
    const std::string whole = lower(row.name), typed = lower(name);
    const auto slash = whole.find('/');
    if (typed == whole || (slash != std::string::npos &&
                           (typed == whole.substr(0, slash) || typed == whole.substr(slash + 1)))) {
      return machine_of(row, row.units, row.clock_khz);
    }
  }
  return {};
}

std::vector<std::string_view> machine_names() {
  std::vector<std::string_view> names;
  for (const MachineRow& row : machine_rows()) names.push_back(row.name);
  return names;
}

std::vector<std::string_view> machines_like(std::string_view part) {
  std::vector<std::string_view> names;
  if (part.empty()) return names;
  for (const MachineRow& row : machine_rows()) {
    if (contains(lower(row.name), lower(part))) names.push_back(row.name);
  }
  return names;
}

}  // namespace jaxtrace
