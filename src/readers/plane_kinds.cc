// Names of planes and lines, from xplane_schema.cc and derived_timeline.cc of XProf.
#include "readers/plane_kinds.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

namespace jaxtrace {
namespace {

constexpr std::string_view kGpuPrefix = "/device:GPU:";
constexpr std::string_view kHostPrefix = "/host:";
constexpr std::string_view kStreamPrefix = "Stream #";
constexpr std::string_view kOpsLine = "XLA Ops";

// Planes under /host: whose lines are no threads.
constexpr std::array<std::string_view, 3> kNotThreads = {
    "/host:metadata", "/host:__ScopeRangeCallStack__", "/host:tfstreamz"};

constexpr std::array<std::string_view, 11> kDerived = {"Steps",
                                                       "XLA Modules",
                                                       "XLA Ops",
                                                       "Async XLA Ops",
                                                       "XLA TraceMe",
                                                       "Framework Ops",
                                                       "Framework Name Scope",
                                                       "Source code",
                                                       "Launch Stats",
                                                       "TensorFlow Ops",
                                                       "TensorFlow Name Scope"};

/// By name, then id: the order of lanes.
void sort_lines(std::vector<const LineSpan*>& lines) {
  std::stable_sort(lines.begin(), lines.end(), [](const LineSpan* a, const LineSpan* b) {
    return std::tie(a->name, a->id) < std::tie(b->name, b->id);
  });
}

}  // namespace

std::optional<int> gpu_ordinal(std::string_view plane) {
  if (!plane.starts_with(kGpuPrefix)) return std::nullopt;
  plane.remove_prefix(kGpuPrefix.size());
  int ordinal = 0;
  const char* const end = plane.data() + plane.size();
  const auto got = std::from_chars(plane.data(), end, ordinal);
  if (got.ec != std::errc{} || got.ptr != end || ordinal < 0) return std::nullopt;
  return ordinal;
}

bool is_host_plane(std::string_view plane) {
  return plane.starts_with(kHostPrefix) &&
         std::find(kNotThreads.begin(), kNotThreads.end(), plane) == kNotThreads.end();
}

bool is_derived_line(std::string_view line) {
  // Per-stream copies are called "XLA Ops - from #16".
  const std::string_view base = line.substr(0, line.find(" - from #"));
  return std::find(kDerived.begin(), kDerived.end(), base) != kDerived.end() ||
         line.ends_with("-Framework Ops");
}

bool is_stream_line(std::string_view line) {
  return line.starts_with(kStreamPrefix);
}

bool is_ops_line(std::string_view line) {
  return line == kOpsLine;
}

DeviceLines device_lines(const PlaneSpan& plane) {
  DeviceLines lines;
  for (const LineSpan& line : plane.lines) {
    if (is_stream_line(line.name)) lines.work.push_back(&line);
  }
  if (lines.work.empty()) {
    for (const LineSpan& line : plane.lines) {
      if (is_ops_line(line.name)) lines.work.push_back(&line);
    }
    lines.derived = !lines.work.empty();
  }
  sort_lines(lines.work);
  return lines;
}

std::vector<const LineSpan*> thread_lines(const PlaneSpan& plane) {
  std::vector<const LineSpan*> lines;
  for (const LineSpan& line : plane.lines) {
    if (!is_derived_line(line.name)) lines.push_back(&line);
  }
  sort_lines(lines);
  return lines;
}

}  // namespace jaxtrace
