// The seven steps of the report, one function each.
#pragma once

#include <string_view>

#include "commands/investigate/investigation.h"
#include "jaxtrace/report.h"

namespace jaxtrace {

void add_verdict(Report& report, const Investigation& all);
void add_integrity(Report& report, const Investigation& all);
void add_swimlane(Report& report, const Investigation& all);
void add_attribution(Report& report, const Investigation& all);
void add_roofline(Report& report, const Investigation& all);
void add_changes(Report& report, const Investigation& all);
void add_trust(Report& report, const Investigation& all);

/// Of changes of which none is worth 3 %: what is left.
std::string nothing_to_gain(const Changes& changes);

/// The whole page, at most 250 lines, with everything that JSON holds.
Report page(const Investigation& all, std::string_view version);

/// The least that an agent has to read, in at most 4 KB of JSON: verdict, what fails, what to
/// change, what not to trust, and the command that tells more of each.
Report digest(const Investigation& all, std::string_view version);

}  // namespace jaxtrace
