// Thread traces for tests, written as listings.
#pragma once

#include <string_view>

#include "jaxtrace/thread_trace.h"

namespace jaxtrace {

/// One instruction a line, "address hits latency stall idle text": 0x1914 756 3024 0 0 s_nop 0.
/// A line "; name" begins another kernel, "# file:line" the source of what follows.  Line numbers
/// count from 1.
ThreadTrace listing(std::string_view text);

/// Rows of "text" alone, four bytes apart from 0x1000, each executed once in 4 cycles.
ThreadTrace program(std::string_view text);

/// A wave from "line begin stall duration", one step a line.
Wave wave(std::string_view text);

}  // namespace jaxtrace
