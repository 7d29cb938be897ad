// Texts in JSON.
#pragma once

#include <string>
#include <string_view>

namespace jaxtrace {

/// Sets `text` to what `raw`, which stands between two quotes, says: with its escapes resolved, in
/// UTF-8.  Half of a surrogate pair becomes U+FFFD; a backslash before any other character is left
/// out.
void unescape_json(std::string_view raw, std::string& text);

}  // namespace jaxtrace
