// Device events whose times cannot be true.
//
// They keep their rows, as the file has them, and are in no sum.  Neighbours that collide by
// nanoseconds or microseconds are normal and are not damaged.
#pragma once

#include <vector>

#include "jaxtrace/trace.h"

namespace jaxtrace {

/// Per device event: it ends before it begins, lasts longer than its session (an hour, where the
/// session does not say), or has no times at all (begin and duration 0).
std::vector<bool> find_damage(const Trace& trace);

}  // namespace jaxtrace
