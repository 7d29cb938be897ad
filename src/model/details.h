// What the tracers pack into one text: kernel_details, memcpy_details, memset_details and so on.
#pragma once

#include <string_view>

#include "jaxtrace/trace.h"

namespace jaxtrace {

/// Reads `key:value` words, in any order.  Unknown keys and values that are no numbers are passed
/// over.  `Details::text` is left empty: whoever interns the text sets it.
Details parse_details(Details::Of of, std::string_view text);

}  // namespace jaxtrace
