// Which planes and lines are what, by their names alone.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "readers/survey.h"

namespace jaxtrace {

/// N of `/device:GPU:N`.
std::optional<int> gpu_ordinal(std::string_view plane);

/// Planes whose lines are host threads, merged by the writer (`/host:CPU`) or not.
bool is_host_plane(std::string_view plane);

/// Lines of a GPU plane that are device work, and the one that stands in for them where there is
/// none: `Stream #16(Compute)`, `XLA Ops`.
bool is_stream_line(std::string_view line);
bool is_ops_line(std::string_view line);

/// The lines of a GPU plane that are device work: the streams, or `XLA Ops` if there is none.
struct DeviceLines {
  std::vector<const LineSpan*> work;
  bool derived = false;  ///< `work` is `XLA Ops`.
};
DeviceLines device_lines(const PlaneSpan& plane);

/// The lines of a host plane that are threads; the rest is derived.
std::vector<const LineSpan*> thread_lines(const PlaneSpan& plane);

/// Whether a line repeats what other lines hold: `Steps`, `XLA Modules`, `Framework Ops` …
bool is_derived_line(std::string_view line);

}  // namespace jaxtrace
