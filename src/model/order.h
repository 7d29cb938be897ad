// The canonical order of a Trace's rows.
#pragma once

#include "jaxtrace/trace.h"

namespace jaxtrace {

/// Puts hosts, devices, lanes, events, stats and modules in the order that trace.h promises, merges
/// lanes that are one, and renumbers what refers to them.
void put_in_order(Trace& trace);

}  // namespace jaxtrace
