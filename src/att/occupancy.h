// How many waves of a kernel a compute unit can hold, what keeps it from holding more, and how many
// it did hold.
//
// Workgroups are placed whole: everything is computed in workgroups of a CU, and waves per SIMD are
// what follows from it.  A count of 0 says that the numbers contradict the GPU; it is never raised
// to 1.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "att/arch.h"
#include "att/registers.h"
#include "jaxtrace/finding.h"
#include "jaxtrace/thread_trace.h"

namespace jaxtrace {

inline constexpr std::int64_t kSimdsOfCu = 4;

/// What one workgroup of a kernel needs.
struct KernelNeeds {
  std::optional<std::int64_t> workgroup_size;  ///< Work-items
  std::optional<std::int64_t> vgprs;           ///< Unified, of one wave, before rounding
  std::optional<std::int64_t> sgprs;           ///< Of one wave, before rounding
  std::optional<std::int64_t> lds_bytes;       ///< Of one workgroup, before rounding
  std::optional<std::int64_t> grid_size;       ///< Work-items
  std::optional<std::int64_t> compute_units;   ///< Of the GPU
};

enum class Resource : std::uint8_t { vgprs, sgprs, lds, wave_slots, barriers };
/// "VGPRs", "SGPRs", "LDS", "wave slots", "barriers".
std::string_view name_of(Resource resource);

/// What one resource allows.
struct Limit {
  Resource resource = Resource::vgprs;
  std::int64_t allocated = 0;             ///< Registers of a wave, bytes or 1 of a workgroup
  std::int64_t available = 0;             ///< Of a SIMD (registers) or of a CU (all else)
  std::int64_t workgroups = 0;            ///< That fit on a CU
  std::optional<std::int64_t> next_most;  ///< What it may be at most for one workgroup more
  bool binding = false;                   ///< None allows fewer
  bool blocks_next = false;               ///< Has to change for one workgroup more
};

struct Occupancy {
  Arch arch = Arch::other;
  bool whole = false;             ///< All needs were known; else an upper bound
  std::vector<Resource> unknown;  ///< What is not known, and so not counted
  std::int64_t waves_of_workgroup = 1;
  std::int64_t workgroups = 0;    ///< Per CU; 0: cannot be launched with these numbers
  std::int64_t waves = 0;         ///< Per CU; a quarter of it per SIMD
  std::int64_t most_of_simd = 0;  ///< That one SIMD may hold, where waves spread unevenly
  std::vector<Limit> limits;      ///< By resource
  std::optional<std::int64_t> grid_workgroups;
  std::optional<std::int64_t> device_workgroups;  ///< That fit on the whole GPU at once
};

/// Without a workgroup size one wave is taken for a workgroup, which gives an upper bound.
/// Empty needs give 8 waves a SIMD.  `arch` must be one that is modelled.
Occupancy model_occupancy(Arch arch, const KernelNeeds& needs);

/// Waves that were resident, from occupancy.json.  Absent parts of a wave are clipped: an end
/// without a start counts from the first event of its engine, a start without an end to the last.
struct MeasuredOccupancy {
  std::uint64_t waves = 0;
  std::uint64_t without_start = 0, without_end = 0;
  std::int64_t kernels = 0;         ///< Kernels that had waves: their ids are not those of the rows
  std::int64_t simds = 0, cus = 0;  ///< That had waves
  std::int64_t peak_of_simd = 0, peak_of_cu = 0;
  std::int64_t wave_cycles = 0;  ///< Σ of the waves' lives
  std::int64_t busy_cycles = 0;  ///< Σ over SIMDs of the time with a wave at all
  std::int64_t span_cycles = 0;  ///< Longest of the engines, first start to last end
  bool repeated_slot = false;    ///< A slot was started twice without an end between
};

MeasuredOccupancy measure_occupancy(std::span<const OccupancyEvent> events);

/// What `hotspot` says of one directory.
struct OccupancyReport {
  DetectedArch arch;
  RegisterScan scan;
  struct Variant {
    const DispatchResources* resources = nullptr;  ///< Of the trace; null if it has none
    Occupancy model;
    RegisterCount registers;
    KernelNeeds needs;
    bool refuted = false;  ///< More waves were measured than it allows
  };
  std::vector<Variant> variants;  ///< One for each candidate and each variant of the resources;
                                  ///< empty where the GPU is not modelled
  std::optional<MeasuredOccupancy> measured;
  std::vector<Finding> findings;
};

/// Everything above together.  `asked` is the --arch of the command line, or empty.
OccupancyReport occupancy_of(const ThreadTrace& trace, std::string_view asked);

}  // namespace jaxtrace
