// The verdict in sentences.
#pragma once

#include <string>
#include <string_view>

#include "commands/skip_stats/tables.h"

namespace jaxtrace {

std::string_view in_words(HostBound host);  ///< Empty of none
std::string_view in_words(Confidence confidence);

/// "Verdict: **host-bound** (…), confidence low.", or why there is none.
std::string verdict_text(const Found& found);

/// Shares, gaps, remarks, doubts, and what would refute it.
Bullets evidence(const Found& found);

}  // namespace jaxtrace
