// The chain of work and waiting that a step's length consists of: walked back from what ends last
// in the step to its begin, so that every instant of the step has exactly one holder.
//
// Dependencies are not recorded.  What a kernel waited for is taken to be what ended last before it
// on its stream; if that is long over, on its GPU; a collective waited for its last arrival.  The
// host is on the path where the launch came after that end.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skip/aligned.h"
#include "skip/blame.h"
#include "skip/idle.h"
#include "skip/latency.h"

namespace jaxtrace {

enum class PathKind : std::uint8_t {
  compute,
  transfer,    ///< A collective from its last arrival on
  collective,  ///< A collective whose other GPUs are not known: waiting and transfer, undivided
  copy,        ///< memcpy and memset
  // Nothing that the walk knows of was running; the parts of idle.h.
  host_late,
  launch_path,
  graph_internal,
  queued_short,
  queued_long,
  unknown,
};
inline constexpr std::size_t kPathKinds = 10;

std::string_view name_of(PathKind kind);  ///< "compute", "host_late" …

/// Whether the time is the host's: host_late, launch_path.
bool is_host(PathKind kind);

struct PathSegment {
  Window window;
  PathKind kind = PathKind::compute;
  std::uint32_t device = 0;  ///< Row of the timelines: of `event`
  /// The work; of a wait, the device event that ends it.
  std::uint32_t event = kNoEvent;
  /// Row of Trace::lanes: the launching thread, where the kind is the host's; else kNoEvent.
  std::uint32_t thread = kNoEvent;
};

struct CriticalPath {
  std::size_t step = 0;
  /// Row of the timelines whose step it is; only GPUs of its host are on the path.
  std::size_t device = 0;
  Window window;                      ///< The step on `device`; empty if it has no work there
  std::vector<PathSegment> segments;  ///< By begin; they fill `window` without gap or overlap
  std::array<Picoseconds, kPathKinds> time{};  ///< By kind; sums to `window` exactly

  std::uint32_t last = kNoEvent;  ///< The device event of the step that ends last
  std::size_t last_device = 0;    ///< Its GPU
  std::uint64_t guesses = 0;      ///< Steps of the walk to another stream, which nothing proves
  std::uint64_t handovers = 0;    ///< Collectives at which the path goes to another GPU
  std::vector<Picoseconds> on_device;  ///< By row of the timelines: work and waits on that GPU

  Picoseconds of(PathKind kind) const { return time[static_cast<std::size_t>(kind)]; }
  Picoseconds host() const { return of(PathKind::host_late) + of(PathKind::launch_path); }
};

/// Of one step as `device` has it: from its first event to the first of the next step.  If the step
/// has no work there, of the GPU on which it is longest.  Without steps, of the whole capture of
/// that GPU's host.
CriticalPath critical_path(const Scope& scope, const AlignedCollectives& collectives,
                           std::size_t step, std::size_t device, Picoseconds short_gap = kShortGap);

/// What host events fill the path's host_late time, longest first, as Causes names them; sums to
/// it.
struct PathCause {
  std::uint32_t thread = kNoEvent;  ///< Row of Trace::lanes
  std::string event;
  HostClass cls = HostClass::none;
  Picoseconds time{0};
};
std::vector<PathCause> path_causes(const CriticalPath& path, Blamer& blamer, HostNames& names);

}  // namespace jaxtrace
