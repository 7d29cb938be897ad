// The model, by LLVM's register and barrier limits and the LDS blocks of its kernel descriptor
// (AMDGPUBaseInfo.cpp, AMDGPUUsage), wave64.  LLVM itself clamps to one wave and ignores LDS
// blocks; the hardware does neither.
#include "att/occupancy.h"

#include <fmt/format.h>

#include <algorithm>

#include "att/saturating.h"

namespace jaxtrace {
namespace {

constexpr std::int64_t kWaveSize = 64;
constexpr std::int64_t kWavesOfSimd = 8;
constexpr std::int64_t kWavesOfCu = kWavesOfSimd * kSimdsOfCu;
constexpr std::int64_t kMostWavesOfWorkgroup = 16;  // 1,024 work-items
constexpr std::int64_t kVgprsOfSimd = 512, kVgprBlock = 8;
constexpr std::int64_t kSgprsOfSimd = 800, kSgprBlock = 16;
constexpr std::int64_t kBarriersOfCu = 16;  // Workgroups of one wave need none

struct LdsOfCu {
  std::int64_t bytes, block;
};

LdsOfCu lds_of(Arch arch) {
  return arch == Arch::gfx950 ? LdsOfCu{163840, 1280} : LdsOfCu{65536, 512};
}

std::int64_t rounded_up(std::int64_t value, std::int64_t block) {
  return (value + block - 1) / block * block;
}

std::int64_t rounded_down(std::int64_t value, std::int64_t block) {
  return value / block * block;
}

/// Registers of one kind: all waves of a SIMD share `available`.
Limit register_limit(Resource resource, std::int64_t needed, std::int64_t available,
                     std::int64_t block, std::int64_t waves_of_workgroup) {
  Limit limit;
  limit.resource = resource;
  limit.available = available;
  limit.allocated = rounded_up(std::max<std::int64_t>(1, needed), block);
  limit.workgroups = kSimdsOfCu * (available / limit.allocated) / waves_of_workgroup;
  return limit;
}

/// What each resource may be at most for `target` workgroups; absent if nothing is left.
std::optional<std::int64_t> most_for(const Limit& limit, std::int64_t target, std::int64_t waves,
                                     std::int64_t lds_block) {
  const std::int64_t of_simd = (target * waves + kSimdsOfCu - 1) / kSimdsOfCu;
  std::int64_t most = 0;
  switch (limit.resource) {
    case Resource::vgprs:
      most = rounded_down(limit.available / of_simd, kVgprBlock);
      break;
    case Resource::sgprs:
      most = rounded_down(limit.available / of_simd, kSgprBlock);
      break;
    case Resource::lds:
      most = rounded_down(limit.available / target, lds_block);
      break;
    case Resource::wave_slots:
      most = limit.available / target;
      break;
    case Resource::barriers:
      most = target <= limit.available ? limit.allocated : 0;
      break;
  }
  return most > 0 ? std::optional(most) : std::nullopt;
}

struct Slot {
  std::int64_t engine, cu, simd, slot;
  auto operator<=>(const Slot&) const = default;
};

struct Life {
  std::int64_t engine, cu, simd, begin, end;
};

Slot slot_of(const OccupancyEvent& e) {
  return {e.engine, e.cu, e.simd, e.slot};
}

/// First and last event of each engine; engines are few.
struct Span {
  std::int64_t engine, first, last;
};

std::vector<Span> spans_of(std::span<const OccupancyEvent> events) {
  std::vector<Span> spans;
  for (const OccupancyEvent& e : events) {
    if (spans.empty() || spans.back().engine != e.engine) {
      spans.push_back({e.engine, e.time, e.time});
    }
    spans.back().last = std::max(spans.back().last, e.time);
  }
  return spans;
}

/// Pairs starts and ends of each slot.
std::vector<Life> lives_of(std::span<const OccupancyEvent> sorted, std::span<const Span> spans,
                           MeasuredOccupancy& measured) {
  std::vector<Life> lives;
  std::optional<std::int64_t> begin;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const OccupancyEvent& e = sorted[k];
    const bool first = k == 0 || slot_of(sorted[k - 1]) != slot_of(e);
    const bool last = k + 1 == sorted.size() || slot_of(sorted[k + 1]) != slot_of(e);
    const Span span = *std::ranges::lower_bound(spans, e.engine, {}, &Span::engine);
    const auto live = [&](std::int64_t from, std::int64_t to) {
      lives.push_back({e.engine, e.cu, e.simd, from, to});
    };
    if (first) begin.reset();
    if (e.starts) {
      ++measured.waves;
      if (begin) {  // Its end was lost, and with it when it was.
        ++measured.without_end;
        measured.repeated_slot = true;
      }
      begin = e.time;
      if (last) {
        ++measured.without_end;
        live(e.time, span.last);
      }
    } else if (begin) {
      live(*begin, e.time);
      begin.reset();
    } else {
      ++measured.waves;
      ++measured.without_start;
      if (first) live(span.first, e.time);  // Later ones: nobody knows since when.
    }
  }
  return lives;
}

/// Highest number of lives at once, and the time with any.
struct Sweep {
  std::int64_t peak = 0, busy = 0;
};

Sweep sweep(std::span<const Life> lives) {
  std::vector<std::pair<std::int64_t, int>> steps;
  steps.reserve(2 * lives.size());
  for (const Life& life : lives) {
    if (life.end <= life.begin) continue;
    steps.emplace_back(life.begin, 1);
    steps.emplace_back(life.end, -1);
  }
  std::ranges::sort(steps);
  Sweep result;
  std::int64_t now = 0, since = 0;
  for (const auto& [time, step] : steps) {
    if (now > 0) result.busy = saturating_add(result.busy, saturating_subtract(time, since));
    since = time;
    now += step;
    result.peak = std::max(result.peak, now);
  }
  return result;
}

/// Calls `use` with each run of lives that `same` joins.
template <typename Same, typename Use>
void for_each_run(std::span<const Life> lives, Same same, Use use) {
  for (std::size_t begin = 0; begin < lives.size();) {
    std::size_t end = begin + 1;
    while (end < lives.size() && same(lives[begin], lives[end])) ++end;
    use(lives.subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace

std::string_view name_of(Resource resource) {
  switch (resource) {
    case Resource::vgprs:
      return "VGPRs";
    case Resource::sgprs:
      return "SGPRs";
    case Resource::lds:
      return "LDS";
    case Resource::wave_slots:
      return "wave slots";
    case Resource::barriers:
      return "barriers";
  }
  return "";
}

Occupancy model_occupancy(Arch arch, const KernelNeeds& needs) {
  Occupancy result;
  result.arch = arch;
  const LdsOfCu lds = lds_of(arch);
  std::vector<Limit>& limits = result.limits;
  const std::int64_t waves =
      std::max<std::int64_t>(1, (needs.workgroup_size.value_or(1) + kWaveSize - 1) / kWaveSize);
  result.waves_of_workgroup = waves;
  result.most_of_simd = kWavesOfSimd;

  const auto registers = [&](Resource resource, std::optional<std::int64_t> needed,
                             std::int64_t available, std::int64_t block) {
    if (!needed) return result.unknown.push_back(resource);
    limits.push_back(register_limit(resource, *needed, available, block, waves));
    result.most_of_simd = std::min(result.most_of_simd, available / limits.back().allocated);
  };
  registers(Resource::vgprs, needs.vgprs, kVgprsOfSimd, kVgprBlock);
  registers(Resource::sgprs, needs.sgprs, kSgprsOfSimd, kSgprBlock);
  if (needs.lds_bytes && *needs.lds_bytes > 0) {
    const std::int64_t allocated = rounded_up(*needs.lds_bytes, lds.block);
    limits.push_back(
        {Resource::lds, allocated, lds.bytes, lds.bytes / allocated, {}, false, false});
  } else if (!needs.lds_bytes) {
    result.unknown.push_back(Resource::lds);
  }
  const std::int64_t slots = waves > kMostWavesOfWorkgroup ? 0 : kWavesOfCu / waves;
  limits.push_back({Resource::wave_slots, waves, kWavesOfCu, slots, {}, false, false});
  if (waves > 1) {
    limits.push_back({Resource::barriers, 1, kBarriersOfCu, kBarriersOfCu, {}, false, false});
  }

  result.workgroups = std::ranges::min_element(limits, {}, &Limit::workgroups)->workgroups;
  result.waves = result.workgroups * waves;
  for (Limit& limit : limits) {
    limit.binding = limit.workgroups == result.workgroups;
    limit.next_most = most_for(limit, result.workgroups + 1, waves, lds.block);
    limit.blocks_next = !limit.next_most || limit.allocated > *limit.next_most;
  }
  if (!needs.workgroup_size) result.unknown.push_back(Resource::wave_slots);
  result.whole = result.unknown.empty();

  if (needs.grid_size && needs.workgroup_size && *needs.workgroup_size > 0) {
    result.grid_workgroups = (*needs.grid_size + *needs.workgroup_size - 1) / *needs.workgroup_size;
  }
  if (needs.compute_units) result.device_workgroups = *needs.compute_units * result.workgroups;
  return result;
}

MeasuredOccupancy measure_occupancy(std::span<const OccupancyEvent> events) {
  MeasuredOccupancy measured;
  const std::vector<Span> spans = spans_of(events);
  for (const Span& span : spans) {
    measured.span_cycles =
        std::max(measured.span_cycles, saturating_subtract(span.last, span.first));
  }
  std::vector<std::int64_t> kernels;
  for (const OccupancyEvent& e : events) kernels.push_back(e.kernel);
  std::ranges::sort(kernels);
  kernels.erase(std::unique(kernels.begin(), kernels.end()), kernels.end());
  measured.kernels = static_cast<std::int64_t>(kernels.size());

  std::vector<OccupancyEvent> sorted(events.begin(), events.end());
  std::ranges::stable_sort(sorted, {}, slot_of);
  const std::vector<Life> lives = lives_of(sorted, spans, measured);
  for_each_run(
      lives,
      [](const Life& a, const Life& b) {
        return a.engine == b.engine && a.cu == b.cu && a.simd == b.simd;
      },
      [&](std::span<const Life> simd) {
        const Sweep found = sweep(simd);
        ++measured.simds;
        measured.peak_of_simd = std::max(measured.peak_of_simd, found.peak);
        measured.busy_cycles = saturating_add(measured.busy_cycles, found.busy);
        for (const Life& life : simd) {
          measured.wave_cycles =
              saturating_add(measured.wave_cycles, saturating_subtract(life.end, life.begin));
        }
      });
  for_each_run(
      lives, [](const Life& a, const Life& b) { return a.engine == b.engine && a.cu == b.cu; },
      [&](std::span<const Life> cu) {
        ++measured.cus;
        measured.peak_of_cu = std::max(measured.peak_of_cu, sweep(cu).peak);
      });
  return measured;
}

}  // namespace jaxtrace
