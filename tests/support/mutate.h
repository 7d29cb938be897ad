// Damage to a recording: what tracers lose, mix up or leave out.  Each is a function of the
// recording and a seed; truth rows made afterwards speak of what is left.
#pragma once

#include <cstdint>
#include <string_view>

#include "support/recording.h"

namespace jaxtrace::synth {

/// Graph-level tracing: one CudaGraphExec event a launch instead of its kernels.
void collapse_graphs(Recording& recording);

/// Drops device events, each with the given probability.
void drop_events(Recording& recording, double share, std::uint64_t seed);

/// The same on one device only.
void drop_events_of(Recording& recording, int device, double share, std::uint64_t seed);

/// Lets neighbours within one graph launch run in the other order: start times no longer follow the
/// schedule, node ids still do.
void reorder_in_graphs(Recording& recording, double share, std::uint64_t seed);

void strip_hlo_op(Recording& recording);       ///< From device events and host launches
void strip_annotations(Recording& recording);  ///< hlo_op, hlo_module, program_id, name
void strip_program_id(Recording& recording);   ///< The protos stay, events name no program
void strip_correlation_ids(Recording& recording);
void strip_node_ids(Recording& recording);
void strip_graph_ids(Recording& recording);
void strip_host_events(Recording& recording);
void strip_hlo_protos(Recording& recording);
void strip_schedules(Recording& recording);
void strip_buffer_assignments(Recording& recording);

/// The tracer's own mistake: pairs of neighbouring direct kernels get the correlation id of a
/// stream wait and lose every XLA stat.
void wrong_correlations(Recording& recording, int pairs, std::uint64_t seed);

/// Nothing of this device before step `step`.
void join_late(Recording& recording, int device, std::uint32_t step);

/// Keeps what lies inside [begin, end], as the profiler does with its session.
void cut(Recording& recording, std::int64_t begin_ps, std::int64_t end_ps);

/// "XLA Ops", "XLA Modules" and "Steps" lines on every device plane, repeating its kernels' time.
void add_derived_lines(Recording& recording);

/// Allocations and overhead records, on lines of their own.
void add_memory_events(Recording& recording, int count, std::uint64_t seed);

/// Copies of device_put between executions: outside every program, without annotation.
void add_foreign_copies(Recording& recording, int count, std::uint64_t seed);

}  // namespace jaxtrace::synth
