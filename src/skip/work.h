// What each device event is (compute, collective, copy …) and which host call launched it, how
// surely.
//
// The launching API outranks the kernel's name: on AMD, device-to-device copies and fills are
// kernels of the runtime, and other tools count them as compute.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/launches.h"
#include "jaxtrace/trace.h"

namespace jaxtrace {

/// In the order in which time is given away where several are at work at once.
enum class WorkClass : std::uint8_t { compute, collective, memcpy, memset, other };
inline constexpr std::size_t kWorkClasses = 5;

enum class WorkKind : std::uint8_t {
  unknown,
  gemm,
  attention,
  convolution,
  fusion,
  custom,
  h2d,
  d2h,
  d2d,
  p2p,
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  send_recv,
  broadcast,
  copy,  ///< A copy that is a collective's
};

enum class Join : std::uint8_t {
  none,       ///< No host call has its correlation id, or it has none.
  weak,       ///< The call shares the id without being a launch: a wait, a callback.
  ambiguous,  ///< The call was made for another device.
  strong,
};

enum class LaunchKind : std::uint8_t { none, single, graph, memcpy, memset, nonlaunch };

/// Columns by device event.
struct Works {
  std::vector<WorkClass> cls;
  std::vector<WorkKind> kind;
  std::vector<Join> join;
  std::vector<LaunchKind> launch_kind;
  std::vector<std::uint32_t> fan_out;      ///< Events of the same call on this device; 0 if no join
  std::vector<std::uint32_t> graph_index;  ///< 0 for the first event of its call on this device
  std::vector<bool> timed;                 ///< Counts as time: not damaged, and longer than zero.
  Launches launches;                       ///< The host calls, and the program runs they are in.
  std::vector<bool> damaged;

  /// Rows of Trace::lanes: the thread whose TraceMe events surround the call; for each device event
  /// with a call.
  std::vector<std::uint32_t> thread;

  /// Launching host calls, and those of them whose correlation id belongs to no device event.
  std::uint64_t calls = 0, calls_without_work = 0;
};

Works find_works(const Trace& trace);

std::string_view name_of(WorkClass cls);
std::string_view name_of(WorkKind kind);
std::string_view name_of(Join join);
std::string_view name_of(LaunchKind kind);

/// What a device event takes from its launch.  Only the first event of a call has a latency of its
/// own; the others of a graph wait for each other.
inline bool has_latency(const Works& works, std::size_t event) {
  return works.join[event] == Join::strong && works.graph_index[event] == 0;
}

}  // namespace jaxtrace
