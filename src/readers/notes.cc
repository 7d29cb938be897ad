// Findings that every reader may have; docs/formats.md explains the codes.
#include "readers/notes.h"

#include <fmt/format.h>

#include "readers/plane_kinds.h"

namespace jaxtrace {

void note_oddities(const Oddities& odd, const std::string& where, TraceBuilder& builder) {
  const auto note = [&](std::uint64_t count, Severity severity, const char* code,
                        const char* message) {
    if (count != 0) builder.note(severity, code, message, where, count);
  };
  note(odd.nameless, Severity::error, "event-without-name",
       "events refer to a name that the plane does not have; they are called ?");
  note(odd.unnamed, Severity::error, "event-without-name",
       "events have no name; they are called ?");
  note(odd.aggregated, Severity::note, "aggregated-event",
       "events stand for several occurrences each; their duration is a sum, their begin unknown");
  note(odd.memory, Severity::note, "memory-event-left-out",
       "allocations, releases and the like were left out: they stand on stream lines, but are no "
       "work");
  note(odd.far_off, Severity::error, "time-out-of-range",
       "events lie or last over 53 days away from the session; their times were cut to that");
  note(odd.malformed, Severity::error, "damaged-event",
       "events end in bytes that are no field; what came before them was used");
  note(odd.timeless, Severity::error, "damaged-event",
       "events were left out: their begin or duration is no number");
}

void note_plane_left_out(std::string_view host, std::string_view plane, std::uint64_t events,
                         TraceBuilder& builder) {
  builder.note(Severity::note, "plane-left-out",
               "events were left out: their plane is neither a GPU nor a host",
               fmt::format("{} {}", host, plane), events);
}

void note_line_left_out(std::string_view host, std::string_view line, std::uint64_t events,
                        TraceBuilder& builder) {
  const bool derived = is_derived_line(line);
  builder.note(Severity::note, derived ? "derived-line-left-out" : "line-left-out",
               derived ? "events were left out: their line repeats what other lines hold"
                       : "events were left out: their line is on a GPU plane but is no stream",
               fmt::format("{} {}", host, line), events);
}

void note_ops_read(std::string_view host, std::string_view plane, TraceBuilder& builder) {
  builder.note(Severity::note, "derived-line-read",
               "the plane has no stream, so device work was taken from the line XLA Ops, which a "
               "tool derived",
               fmt::format("{} {}", host, plane));
}

void note_written_back(std::string_view host, std::uint64_t events, TraceBuilder& builder) {
  if (events == 0) return;
  builder.note(Severity::note, "written-back",
               "events carry an instruction that jaxtrace wrote into the file; it was set aside, "
               "so they are read as the tracer recorded them",
               std::string(host), events);
}

void note_no_device_events(std::string_view host, TraceBuilder& builder) {
  builder.note(Severity::data_loss, "no-device-events",
               "the GPUs are listed but no work of theirs was recorded, which says nothing about "
               "whether they were idle",
               std::string(host));
}

}  // namespace jaxtrace
