// Bytes of a capture made safe to show: captures carry whatever a compiler or a user put in names.
#pragma once

#include <string>
#include <string_view>

namespace jaxtrace {

/// Valid UTF-8, each byte that is none of it replaced by U+FFFD, as the Unicode standard does for
/// ill-formed sequences; control bytes spelled out ("\n", "\x1b"), so that the result is one line.
std::string one_line(std::string_view bytes);

/// Code points of valid UTF-8: about the columns it takes on a terminal.
std::size_t width(std::string_view text);

/// At most `limit` code points, with "…" in the middle if it was longer: kernel names tell their
/// family at the front, and scopes and file names their point at the end.
std::string shortened(std::string_view text, std::size_t limit);

}  // namespace jaxtrace
