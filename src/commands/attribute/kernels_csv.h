// kernels.csv: one row a device event, by host, device, start.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "attribution/attribution.h"
#include "attribution/ops.h"
#include "attribution/sums.h"

namespace jaxtrace {

/// Rows are ordered by device, start, stream, and their order in the file.  `stacks` adds a last
/// column with all Python frames.  Errors of writing stay in the state of `out`.
void write_kernels_csv(const Trace& trace, const Attribution& attribution, const Ops& ops,
                       const Counted& counted, bool stacks, std::ostream& out);

/// "GPU:0" of a device whose plane is "/device:GPU:0".
std::string_view device_name(const Trace& trace, DeviceId device);

/// "16" of "Stream #16(MemcpyD2D,Compute)"; the whole name if it has no such number.
std::string_view stream_name(std::string_view lane_name);

/// What column user_frame says: yes, library, inherited, inherited-library or none.
std::string_view user_frame(const hlo::Provenance& source);

/// "attention.py:1110 (fused_attn) < model.py:77 (block)": innermost first.
std::string stack_text(const hlo::Provenance& source);

}  // namespace jaxtrace
