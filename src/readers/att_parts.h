// What lies beside the instructions of a thread trace.  Each part is optional: what is missing
// leaves the trace as it is, and what is damaged adds a finding.
#pragma once

#include <filesystem>

#include "jaxtrace/thread_trace.h"

namespace jaxtrace {

/// filenames.json and the names of the wave files that exist: gfxip, wave_files, waves_listed, and
/// timing if it says that this was PC sampling.
void read_att_filenames(ThreadTrace& trace);

/// occupancy.json.
void read_att_occupancy(ThreadTrace& trace);

/// realtime.json: clock_hz.
void read_att_clock(ThreadTrace& trace);

/// snapshots.json and, of the files that it names, those that instructions point to.
void read_att_sources(ThreadTrace& trace);

/// *kernel_trace.csv and *agent_info.csv in the directory, else beside it.
void read_att_resources(ThreadTrace& trace);

}  // namespace jaxtrace
