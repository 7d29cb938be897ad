// What the capture lacks, and what in it cannot be true: the reasons to distrust an attribution.
#pragma once

#include <vector>

#include "analysis/launches.h"
#include "attribution/attribution.h"

namespace jaxtrace {

/// Each with its count and share.  Codes are explained in docs/formats.md.  Losses come first, with
/// severity data_loss: every total is then a lower bound.
std::vector<Finding> find_doubts(const Trace& trace, const Attribution& attribution,
                                 const Launches& launches);

/// Losses only: what was launched, or ran, but was not recorded.
void find_losses(const Trace& trace, const Attribution& attribution, const Launches& launches,
                 std::vector<Finding>& findings);

/// "12 of 1,234 events (1.0 %)"
std::string part_of(std::uint64_t part, std::uint64_t whole, std::string_view noun);

/// The name of a host, or nothing if it is the only one.
std::string host_name(const Trace& trace, HostId host);

}  // namespace jaxtrace
