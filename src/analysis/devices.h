// What holds of a GPU, as several analyses ask it.
#pragma once

#include <cstdint>
#include <vector>

#include "jaxtrace/trace.h"

namespace jaxtrace {

bool is_amd(const Trace& trace, const Device& device);

/// By device: how many different annotations its events have.
std::vector<std::uint64_t> annotations_of_devices(const Trace& trace);

}  // namespace jaxtrace
