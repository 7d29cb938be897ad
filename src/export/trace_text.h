// Pieces of Chrome's trace-event JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "jaxtrace/trace.h"

namespace jaxtrace {

/// Appends `text` between quotes, whatever bytes it is made of: what is no UTF-8 becomes U+FFFD.
void append_json_text(std::string& out, std::string_view text);

/// Appends microseconds with as many of their six decimals as it takes to be exact.
void append_micros(std::string& out, Picoseconds time);

void append_integer(std::string& out, std::int64_t value);

/// Appends `"key":"value"`, with a comma before it unless `out` is empty; nothing for an empty
/// value.
void append_member(std::string& out, std::string_view key, std::string_view value);

/// Likewise a number, as JSON has them.
void append_number(std::string& out, std::string_view key, std::int64_t value);

}  // namespace jaxtrace
