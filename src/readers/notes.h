// What readers say of a capture in the same words, whatever the format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "jaxtrace/trace_builder.h"

namespace jaxtrace {

/// Oddities of events, counted while a plane is read.
struct Oddities {
  std::uint64_t nameless = 0;    ///< Their metadata is missing.
  std::uint64_t unnamed = 0;     ///< They have no name at all.
  std::uint64_t aggregated = 0;  ///< They are sums.
  std::uint64_t far_off = 0;     ///< Their times were cut.
  std::uint64_t malformed = 0;   ///< They end in rubbish.
  std::uint64_t timeless = 0;    ///< They have no begin that is a number, and were left out.
  std::uint64_t memory = 0;      ///< Allocations and the like, left out.
};

/// `where`: host and plane.
void note_oddities(const Oddities& odd, const std::string& where, TraceBuilder& builder);

/// Events of a plane that is neither a GPU nor a host.
void note_plane_left_out(std::string_view host, std::string_view plane, std::uint64_t events,
                         TraceBuilder& builder);

/// Events of a line that is neither a stream nor a thread.
void note_line_left_out(std::string_view host, std::string_view line, std::uint64_t events,
                        TraceBuilder& builder);

/// A plane whose `XLA Ops` stands in for its streams.
void note_ops_read(std::string_view host, std::string_view plane, TraceBuilder& builder);

/// Events that carry what `attribute --write-xplane` wrote, which was set aside.
void note_written_back(std::string_view host, std::uint64_t events, TraceBuilder& builder);

/// A host whose GPUs have no events.
void note_no_device_events(std::string_view host, TraceBuilder& builder);

}  // namespace jaxtrace
