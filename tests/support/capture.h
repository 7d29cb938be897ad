// Captures for tests: written as text, turned into the bytes of an xplane file, changed in ways
// that must not matter, and read back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "jaxtrace/trace.h"
#include "proto/xplane.pb.h"

namespace jaxtrace {

/// Parses protobuf's text format; throws std::runtime_error if it cannot.
pb::XSpace space_of(const std::string& text);

/// The other way round; throws std::runtime_error for bytes that are no XSpace.
pb::XSpace space_of_bytes(const std::string& bytes);

/// The bytes of a file.
std::string bytes_of(const pb::XSpace& space);
std::string bytes_of(const std::string& text);

/// The same capture with planes, lines, events, metadata and stats in another order.
pb::XSpace shuffled(pb::XSpace space, std::uint32_t seed);

/// The same capture, later: every line that is not empty begins `ns` later.
pb::XSpace shifted(pb::XSpace space, std::int64_t ns);

/// Rows of a Trace as text, one a line, with names instead of numbers, so that two traces that are
/// the same but for the numbering of their strings are the same text.
std::string render(const Trace& trace);

/// Writes and reads a capture of one host, named "host0".
Trace read_space(const pb::XSpace& space);
Trace read_text(const std::string& text);
Trace read_bytes(std::string_view bytes);

/// The folder of real captures; empty if JAXTRACE_CAPTURES is not set.
std::filesystem::path real_captures();

}  // namespace jaxtrace
