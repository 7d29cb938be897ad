// What collectives move, and how fast: one row for each collective instruction.
//
// Rates are those that nccl-tests defines, so that they can be compared with a benchmark of the
// same machine.  They are no share of a link's peak: the capture does not say which links there
// are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "attribution/attribution.h"
#include "attribution/ops.h"
#include "hlo/collective_shape.h"

namespace jaxtrace {

struct CollectiveRow {
  std::uint32_t op = 0;  ///< Row of Ops::rows
  hlo::CollectiveKind kind = hlo::CollectiveKind::all_reduce;
  std::int64_t kernels = 0;
  std::int64_t instances = 0;                ///< Summed over devices: each takes part once in each.
  std::optional<std::int64_t> bytes;         ///< Of one instance on one device
  std::optional<std::int64_t> participants;  ///< Devices of a group
  Picoseconds total{0};                      ///< Of all its kernels, waiting for others included

  /// From the latest begin of each collective on; absent where devices cannot be compared.
  std::optional<Picoseconds> transfer;
  std::int64_t compared = 0;  ///< Instances that `transfer` is of

  /// Bytes a second over `transfer`, else over `total`: then a lower bound.
  std::optional<double> algorithm_bandwidth;
  std::optional<double> bus_bandwidth;  ///< That, times the factor of the kind
  bool waiting_included = false;        ///< The rates are over `total`.
};

/// By total, longest first; then op.
std::vector<CollectiveRow> find_collectives(const Trace& trace, const Attribution& attribution,
                                            const Ops& ops, const AttributeOptions& options = {});

/// What nccl-tests multiplies the algorithm bandwidth of `participants` ranks with, so that it can
/// be compared with what a link carries (NVIDIA/nccl-tests, doc/PERFORMANCE.md): all-reduce
/// 2 (n - 1) / n; all-gather, reduce-scatter, all-to-all (n - 1) / n; else 1.  Absent where n is
/// needed and unknown.
std::optional<double> bus_factor(hlo::CollectiveKind kind,
                                 std::optional<std::int64_t> participants);

}  // namespace jaxtrace
