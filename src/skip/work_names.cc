// The names are those of CUDA, HIP, cuBLAS, NCCL, XLA and their like; a library that renames its
// kernels is unknown here, and its events are told by what launched them.
#include "skip/work_names.h"

#include <string>
#include <utility>

#include "analysis/kernel_family.h"
#include "analysis/launches.h"
#include "analysis/text.h"

namespace jaxtrace {
namespace {

bool is_collective_name(std::string_view folded) {
  for (const std::string_view part :
       {"nccl", "rccl", "nvshmem", "rocshmem", "mscclpp", "cross_device_reduce",
        "one_shot_all_reduce", "two_shot_all_reduce", "multimem_", "allreducekernelimpl"}) {
    if (contains(folded, part)) return true;
  }
  return false;
}

/// XLA's own kernels are named after their fusion: "loop_add_fusion_3", "wrapped_copy", "fusion".
bool is_fusion_name(std::string_view folded) {
  return contains(folded, "fusion") || folded.starts_with("wrapped_");
}

}  // namespace

LaunchKind call_kind(std::string_view name) {
  std::string_view call = name;
  for (const std::string_view driver : {"cuda", "cu", "hip"}) {
    if (call.starts_with(driver)) {
      call.remove_prefix(driver.size());
      break;
    }
  }
  if (call.starts_with("Memcpy")) return LaunchKind::memcpy;
  if (call.starts_with("Memset")) return LaunchKind::memset;
  if (is_graph_launch(name)) return LaunchKind::graph;
  return is_launch(name) ? LaunchKind::single : LaunchKind::nonlaunch;
}

WorkKind copy_kind(std::string_view folded) {
  if (contains(folded, "h2d") || contains(folded, "htod") || contains(folded, "hosttodevice")) {
    return WorkKind::h2d;
  }
  if (contains(folded, "d2h") || contains(folded, "dtoh") || contains(folded, "devicetohost")) {
    return WorkKind::d2h;
  }
  if (contains(folded, "d2d") || contains(folded, "dtod") || contains(folded, "devicetodevice")) {
    return WorkKind::d2d;
  }
  if (contains(folded, "p2p") || contains(folded, "peer")) return WorkKind::p2p;
  return WorkKind::unknown;
}

WorkKind copy_kind_of_details(std::string_view details) {
  const auto is_device = [&](std::string_view key) {
    const std::size_t at = details.find(key);
    if (at == std::string_view::npos) return -1;
    return details.substr(at + key.size()).starts_with("device") ? 1 : 0;
  };
  const int from = is_device("kind_src:"), to = is_device("kind_dst:");
  if (from < 0 || to < 0) return WorkKind::unknown;
  if (from == 1) return to == 1 ? WorkKind::d2d : WorkKind::d2h;
  return to == 1 ? WorkKind::h2d : WorkKind::unknown;
}

WorkKind collective_kind(std::string_view name, std::string_view op) {
  switch (collective_primitive(name)) {
    case Primitive::all_reduce:
      return WorkKind::all_reduce;
    case Primitive::all_gather:
      return WorkKind::all_gather;
    case Primitive::reduce_scatter:
      return WorkKind::reduce_scatter;
    case Primitive::broadcast:
      return WorkKind::broadcast;
    default:
      break;
  }
  constexpr std::pair<std::string_view, WorkKind> kOps[] = {
      {"all-reduce", WorkKind::all_reduce},         {"all-gather", WorkKind::all_gather},
      {"reduce-scatter", WorkKind::reduce_scatter}, {"all-to-all", WorkKind::all_to_all},
      {"ragged-all-to-all", WorkKind::all_to_all},  {"collective-broadcast", WorkKind::broadcast},
  };
  for (const auto& [prefix, kind] : kOps) {
    if (op.starts_with(prefix)) return kind;
  }
  return collective_primitive(name) == Primitive::send_recv || !op.empty() ? WorkKind::send_recv
                                                                           : WorkKind::unknown;
}

bool is_collective_op(std::string_view op) {
  for (const std::string_view prefix :
       {"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute",
        "collective-broadcast", "ragged-all-to-all", "send", "recv"}) {
    if (!op.starts_with(prefix)) continue;
    std::string_view rest = op.substr(prefix.size());
    for (const std::string_view half : {"-start", "-done"}) {
      if (rest.starts_with(half)) rest.remove_prefix(half.size());
    }
    if (rest.empty()) return true;
    if (rest.front() == '.') return true;
    if (rest.front() == '-' && rest.size() > 1 && rest[1] >= '0' && rest[1] <= '9') return true;
  }
  return false;
}

NameClass classify_name(std::string_view name) {
  const std::string folded = lower(bare_kernel_name(name));
  if (is_collective_name(folded)) return {WorkClass::collective, collective_kind(name, "")};
  if (is_fusion_name(folded) && !contains(folded, "gemm")) {
    return {WorkClass::compute, WorkKind::fusion};
  }
  switch (kernel_family(name)) {
    case Family::copy:
      return {WorkClass::memcpy, copy_kind(folded)};
    case Family::fill:
      return {WorkClass::memset, WorkKind::unknown};
    case Family::collective:
      return {WorkClass::collective, collective_kind(name, "")};
    case Family::gemm:
    case Family::gemm_helper:
      return {WorkClass::compute, WorkKind::gemm};
    case Family::attention:
      return {WorkClass::compute, WorkKind::attention};
    case Family::convolution:
      return {WorkClass::compute, WorkKind::convolution};
    default:
      break;
  }
  if (contains(folded, "memcpy") || folded.starts_with("memory_copy_") ||
      folded.starts_with("copydeviceto") || folded.starts_with("copyhostto")) {
    return {WorkClass::memcpy, copy_kind(folded)};
  }
  return {};
}

bool is_library_kernel(std::string_view name) {
  switch (kernel_family(name)) {
    case Family::unknown:
    case Family::copy:
    case Family::fill:
    case Family::control:
      return false;
    default:
      // A Triton GEMM that XLA generated is named after its fusion.
      return !is_fusion_name(lower(name));
  }
}

}  // namespace jaxtrace
