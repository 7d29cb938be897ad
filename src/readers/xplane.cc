// Puts the two passes together.  Lanes are pushed in the order that a Trace keeps them in, streams
// of all hosts before threads of any, so that finishing it moves nothing in the usual case.
#include "readers/xplane.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "readers/lanes.h"
#include "readers/notes.h"
#include "readers/plane_kinds.h"
#include "readers/tables.h"
#include "readers/unfit.h"

namespace jaxtrace {
namespace {

/// GPU planes by ordinal.
std::vector<const PlaneSpan*> gpu_planes(const XplaneFile& xplane) {
  std::vector<const PlaneSpan*> planes;
  for (const PlaneSpan& plane : xplane.survey.planes) {
    if (gpu_ordinal(plane.name)) planes.push_back(&plane);
  }
  std::stable_sort(planes.begin(), planes.end(), [](const PlaneSpan* a, const PlaneSpan* b) {
    return gpu_ordinal(a->name) < gpu_ordinal(b->name);
  });
  return planes;
}

std::string quoted(std::string_view text) {
  return fmt::format("\"{}\"", text);
}

void read_messages(const XplaneFile& xplane, TraceBuilder& builder) {
  for (const std::string_view error : xplane.survey.errors) {
    builder.note(Severity::error, "profiler-error", "the profiler says: " + quoted(error),
                 xplane.host);
  }
  for (const std::string_view warning : xplane.survey.warnings) {
    if (warning.starts_with(kWrittenCut)) {
      builder.host(xplane.id).partial = true;
      builder.note(Severity::data_loss, "truncated",
                   std::string(warning.substr(kWrittenCut.size())), xplane.host);
      continue;
    }
    // "Detected GPU events dropped on <host>: … N events dropped because …" (xprof).
    const bool lost = warning.find("drop") != std::string_view::npos ||
                      warning.find("lost") != std::string_view::npos;
    builder.note(lost ? Severity::data_loss : Severity::note,
                 lost ? "events-dropped" : "profiler-warning",
                 "the profiler says: " + quoted(warning), xplane.host);
  }
}

void read_damage(const XplaneFile& xplane, TraceBuilder& builder) {
  for (const Damage& damage : xplane.survey.damage) {
    builder.host(xplane.id).partial = true;
    const std::string plane =
        damage.plane.empty() ? "" : fmt::format(", in the plane {}", damage.plane);
    if (damage.truncated) {
      builder.note(Severity::data_loss, "truncated",
                   fmt::format("the file is cut at byte {}{}; every plane, line and event that is "
                               "complete was used",
                               damage.byte, plane),
                   xplane.host);
    } else {
      builder.note(Severity::error, "damaged",
                   fmt::format("the file is damaged at byte {}{}; what could be read was used",
                               damage.byte, plane),
                   xplane.host);
    }
  }
}

/// What is taken off timestamps that count from 1970.
void choose_origin(const XplaneFile& xplane, TraceBuilder& builder) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const PlaneSpan& plane : xplane.survey.planes) {
    if (!gpu_ordinal(plane.name) && !is_host_plane(plane.name)) continue;
    for (const LineSpan& line : plane.lines) {
      if (line.timestamp_ns > kEpochTimestampNs) first = std::min(first, line.timestamp_ns);
    }
  }
  if (first == std::numeric_limits<std::int64_t>::max()) return;

  Host& host = builder.host(xplane.id);
  constexpr std::int64_t kDayNs = 86'400'000'000'000;
  const bool starts_near = host.profile_start_ns && *host.profile_start_ns > kEpochTimestampNs &&
                           first - *host.profile_start_ns < kDayNs &&
                           *host.profile_start_ns - first < kDayNs;
  host.origin_ns = starts_near ? *host.profile_start_ns : first;
  builder.note(
      Severity::note, "epoch-times",
      fmt::format("times count from 1970 in this file; {} ns, {}, were taken off", host.origin_ns,
                  starts_near ? "the start of the session" : "the begin of its first line"),
      xplane.host);
}

/// Says which lines and planes with events are not read.
void note_left_out(const XplaneFile& xplane, TraceBuilder& builder) {
  for (const PlaneSpan& plane : xplane.survey.planes) {
    const bool gpu = gpu_ordinal(plane.name).has_value();
    const bool host = is_host_plane(plane.name);
    if (!gpu && !host) {
      if (plane.events == 0) continue;
      note_plane_left_out(xplane.host, plane.name, plane.events, builder);
      continue;
    }
    const std::vector<const LineSpan*> read = gpu ? device_lines(plane).work : thread_lines(plane);
    for (const LineSpan& line : plane.lines) {
      if (line.events == 0 || std::find(read.begin(), read.end(), &line) != read.end()) continue;
      note_line_left_out(xplane.host, line.name, line.events, builder);
    }
  }
}

void read_devices(XplaneFile& xplane, TraceBuilder& builder) {
  for (const PlaneSpan* plane : gpu_planes(xplane)) {
    const auto [found, added] = xplane.devices.try_emplace(plane->name);
    if (added) {
      Device device{};
      device.host = xplane.id;
      device.plane = builder.intern(plane->name);
      device.ordinal = gpu_ordinal(plane->name).value_or(0);
      found->second = builder.add_device(device);
    }
    read_device_stats(plane->bytes, found->second, builder);
  }
}

}  // namespace

XplaneFile open_xplane(const std::filesystem::path& path, std::string host, Meter& meter) {
  XplaneFile xplane{path, std::move(host), MappedFile(path), {}, {}, {}};
  const std::string_view bytes = xplane.file.bytes();
  refuse_other_formats(path, bytes);
  xplane.survey = survey(xplane.file, meter);
  refuse_unusable(path, bytes, xplane.survey);
  return xplane;
}

std::size_t count_events(const XplaneFile& xplane) {
  std::size_t events = 0;
  for (const PlaneSpan& plane : xplane.survey.planes) {
    if (gpu_ordinal(plane.name)) {
      for (const LineSpan* line : device_lines(plane).work) events += line->events;
    } else if (is_host_plane(plane.name)) {
      for (const LineSpan* line : thread_lines(plane)) events += line->events;
    }
  }
  return events;
}

void read_tables(XplaneFile& xplane, TraceBuilder& builder) {
  xplane.id = builder.add_host(xplane.host, xplane.path.string());
  for (const PlaneSpan& plane : xplane.survey.planes) {
    if (plane.name == "/host:metadata") read_modules(plane.bytes, xplane.id, builder);
    if (plane.name == "Task Environment") read_session(plane.bytes, xplane.id, builder);
  }
  read_devices(xplane, builder);
  read_messages(xplane, builder);
  read_damage(xplane, builder);
  choose_origin(xplane, builder);
  note_left_out(xplane, builder);
}

void read_streams(const XplaneFile& xplane, TraceBuilder& builder, Meter& meter) {
  std::size_t events = 0;
  for (const PlaneSpan* plane : gpu_planes(xplane)) {
    const DeviceLines lines = device_lines(*plane);
    std::vector<LaneSource> sources;
    for (const LineSpan* line : lines.work) {
      Lane lane{xplane.id, LaneKind::stream, xplane.devices.at(plane->name),
                builder.intern(line->name), line->id};
      sources.push_back({line, lane, lines.derived});
      events += line->events;
    }
    if (lines.derived) note_ops_read(xplane.host, plane->name, builder);
    read_lanes(xplane.file, *plane, sources, builder, meter);
  }
  if (events == 0) note_no_device_events(xplane.host, builder);
}

void read_threads(const XplaneFile& xplane, TraceBuilder& builder, Meter& meter) {
  std::vector<const PlaneSpan*> planes;
  for (const PlaneSpan& plane : xplane.survey.planes) {
    if (is_host_plane(plane.name)) planes.push_back(&plane);
  }
  for (const PlaneSpan* plane : planes) {
    std::vector<LaneSource> sources;
    for (const LineSpan* line : thread_lines(*plane)) {
      Lane lane{xplane.id, LaneKind::host, DeviceId::none, builder.intern(line->name), line->id};
      sources.push_back({line, lane, false});
    }
    read_lanes(xplane.file, *plane, sources, builder, meter);
  }
}

}  // namespace jaxtrace
