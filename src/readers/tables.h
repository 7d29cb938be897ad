// The planes that hold tables rather than events: programs, devices, the session.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "jaxtrace/trace_builder.h"

namespace jaxtrace {

/// Adds a module for each event metadata of a `/host:metadata` plane.
void read_modules(std::string_view plane, HostId host, TraceBuilder& builder);

/// Fills a device from the stats of its plane; what they do not say stays as it is.
void read_device_stats(std::string_view plane, DeviceId device, TraceBuilder& builder);

/// Start and end of the session from a `Task Environment` plane.
void read_session(std::string_view plane, HostId host, TraceBuilder& builder);

}  // namespace jaxtrace
