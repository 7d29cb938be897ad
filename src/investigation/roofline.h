// How near each instruction comes to what the GPU could do: operations and bytes a second against
// the vendor's peaks.
//
// A row is an instruction over all its instances, not a kernel: the kernels of one library call
// share its cost once.  So the number of instances decides every rate, and a row says how it was
// found.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/machines.h"
#include "attribution/attribution.h"
#include "attribution/ops.h"
#include "attribution/sums.h"
#include "hlo/cost.h"
#include "investigation/instances.h"

namespace jaxtrace {

/// Why time is not in the roofline.
enum class NotRooflined : std::uint8_t {
  no_instruction,  ///< Device work that belongs to no HLO instruction
  no_hlo,          ///< Of an instruction whose program's HLO is not in the capture
  collective,      ///< Moves data between devices: see collectives.h
  copy,            ///< Copies and fills: bytes alone, by the copy engine
  unknown_cost,    ///< Custom calls and the like, of which the HLO tells no FLOPs or bytes
};
inline constexpr std::size_t kNotRooflined =
    static_cast<std::size_t>(NotRooflined::unknown_cost) + 1;

std::string_view text(NotRooflined reason);

/// What a rate runs into.
enum class Roof : std::uint8_t { compute, memory };

std::string_view text(Roof roof);

struct RooflineRow {
  std::uint32_t op = 0;        ///< Row of Ops::rows, which has program and instruction
  std::int64_t kernels = 0;    ///< Device events of every kind
  Picoseconds total{0};        ///< Of all its kernels
  std::int64_t instances = 0;  ///< On all devices
  InstancesBy by = InstancesBy::executions;
  bool uneven = false;  ///< Instances ran different numbers of kernels: some may not be recorded.

  hlo::OpCost cost;                          ///< Of one instance
  std::optional<NotRooflined> left_out;      ///< Absent: FLOPs and bytes are known.
  std::optional<std::int64_t> flops, bytes;  ///< Of all instances

  std::optional<double> flops_per_s, bytes_per_s;
  std::optional<double> intensity;  ///< FLOPs a byte

  // With peaks only.
  std::optional<double> compute_share;  ///< Of the peak of cost.precision
  std::optional<double> memory_share;   ///< Of the peak bandwidth
  std::optional<Roof> bound;            ///< The peak that its intensity runs into first

  /// Of the peak that bounds it; over 1 is said by a Finding.
  std::optional<double> peak_share() const {
    if (!bound) return {};
    return *bound == Roof::compute ? compute_share : memory_share;
  }
};

struct Roofline {
  std::vector<RooflineRow> rows;  ///< By total, longest first; then op.

  Picoseconds all{0};        ///< All counted device time: what is damaged is left out.
  Picoseconds rooflined{0};  ///< Of the rows that nothing is left out of;
  Picoseconds estimated{0};  ///< of which by an estimated cost
  std::array<Picoseconds, kNotRooflined> left_out{};  ///< With `rooflined`, sums to `all`.

  std::optional<Machine> machine;
  bool chosen = false;          ///< By --machine, not recognised
  std::string no_machine = {};  ///< Why there are no peaks: one sentence

  std::vector<Finding> findings;
};

struct RooflineOptions {
  std::optional<Machine> machine;   ///< --machine
  AttributeOptions attribute = {};  ///< Of which program, if only of one
};

Roofline find_roofline(const Trace& trace, const Attribution& attribution, const Ops& ops,
                       const RooflineOptions& options = {});

}  // namespace jaxtrace
