// Whether a file is one that this program wrote, and so may be replaced by the next of its kind.
//
// Both kinds of file carry the names that others give theirs (`host0.trace.json.gz`,
// `host0.xplane.pb`), and lie where others put them, so a name says nothing: the content does.
#pragma once

#include <filesystem>
#include <string_view>

namespace jaxtrace {

/// How trace JSON of ours begins, after what viewers want to find there.
inline constexpr std::string_view kTraceFileMark = R"("otherData":{"written_by":"jaxtrace)";

/// An empty file, or trace JSON of ours, compressed or not.  False if it cannot be read.
bool is_own_trace_file(const std::filesystem::path& file);

/// An empty file, or an XSpace of ours to which something was added.  Where nothing was, it is the
/// input byte for byte, and nobody's.  False if it cannot be read.
bool is_own_xplane(const std::filesystem::path& file);

/// False if one cannot be read.
bool same_content(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace jaxtrace
