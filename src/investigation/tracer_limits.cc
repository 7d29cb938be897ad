// Defaults of xla/backends/profiler/gpu: cupti_collector.h (callback and activity events;
// annotation strings, of which its AnnotationMap keeps so many a device); rocm_collector.h and
// xla_gpu_rocm_max_trace_events (events of each of the two kinds, formerly half as many).
#include "investigation/tracer_limits.h"

namespace jaxtrace {

std::optional<std::uint64_t> limit_reached(Recorded what, std::uint64_t count, bool amd) {
  constexpr std::uint64_t kMi = 1'048'576;
  const auto near = [&](std::uint64_t limit) -> bool {
    return count >= limit - limit / 50 && count <= limit + limit / 50;
  };
  if (what == Recorded::annotations) return count >= kMi ? std::optional(kMi) : std::nullopt;
  if (near(2 * kMi)) return 2 * kMi;
  if (amd && near(4 * kMi)) return 4 * kMi;
  return std::nullopt;
}

}  // namespace jaxtrace
