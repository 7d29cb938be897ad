// The one way to fill a Trace: readers push rows in whatever order their file has them, and
// finish() sorts everything into the canonical order, so that the order of planes, lines, events
// and stats in a file never shows in a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "jaxtrace/trace.h"

namespace jaxtrace {

/// One event as a reader sees it.
struct EventRow {
  Picoseconds begin{0};
  Picoseconds duration{0};
  StringId name = StringId::empty;
  AnnotationId annotation = AnnotationId::none;
  DetailsId details = DetailsId::none;
  std::uint64_t correlation = 0;
  std::uint64_t graph_node = 0;
};

class TraceBuilder {
 public:
  TraceBuilder();

  StringId intern(std::string_view text) { return trace_.strings.intern(text); }
  std::string_view text(StringId id) const { return trace_.strings[id]; }

  HostId add_host(std::string_view name, std::string_view file);
  Host& host(HostId id) { return trace_.hosts[static_cast<std::size_t>(id)]; }
  DeviceId add_device(Device device);
  Device& device(DeviceId id) { return trace_.devices[static_cast<std::size_t>(id)]; }
  void add_module(Module module) { trace_.modules.push_back(std::move(module)); }

  /// Opens a lane; the add_event calls up to the next begin_lane are its events.  Lanes with the
  /// same host, device, kind, id and name are merged by finish().
  void begin_lane(Lane lane);

  /// Room for `events` more events: a reader that counts first never pays for growing columns.
  void reserve(std::size_t events);
  void add_event(const EventRow& row);

  /// A stat of the event added last.
  void add_stat(StringId key, std::int64_t value);

  AnnotationId annotation(const Annotation& annotation);

  /// Parses a details text once per distinct (kind, text).
  DetailsId details(Details::Of of, StringId text);
  DetailsId details(Details::Of of, std::string_view text) { return details(of, intern(text)); }

  /// Files a finding; repeats of (code, message, where) are counted, not repeated.
  void note(Severity severity, std::string_view code, std::string message, std::string where = "",
            std::uint64_t count = 1);

  /// A choice that was made for the user, for the head of the report.
  void say(std::string message) { trace_.notes.push_back(std::move(message)); }

  std::size_t event_count() const { return trace_.events.size(); }

  /// Sorts, merges, and hands the Trace out.
  Trace finish() &&;

 private:
  struct AnnotationHash {
    std::size_t operator()(const Annotation& a) const;
  };

  Trace trace_;
  std::unordered_map<Annotation, AnnotationId, AnnotationHash> annotation_ids_;
  std::unordered_map<std::uint64_t, DetailsId> details_ids_;
  std::unordered_map<std::string, std::size_t> finding_rows_;
};

}  // namespace jaxtrace
