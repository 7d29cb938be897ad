// Executions of a compiled program on some devices, as a profiler would record them.
//
// The devices walk the thunk sequence in lockstep, launch by launch, so a collective can end at the
// same moment everywhere; loops of unknown length and branches go the same way on all of them, by
// the seed.  Only the order, the names and the ids matter: durations are invented.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/recording.h"
#include "support/thunks.h"

namespace jaxtrace::synth {

struct SimulationOptions {
  Style style = Style::cuda;
  int devices = 1;
  int steps = 4;
  std::uint64_t seed = 1;
  std::string host = "host0";

  bool graphs = true;           ///< Command buffers run as graphs; else thunk by thunk.
  bool node_ids = true;         ///< CUDA: cuda_graph_node_id on graph kernels
  bool telemetry = false;       ///< Graph kernels carry their true hlo_op.
  int warm_up_steps = 0;        ///< Steps at the start that run command buffers thunk by thunk
  int rerecord_at_step = -1;    ///< From this step on, graphs have other ids.
  bool control_kernels = true;  ///< set_while_condition where a loop is inside a graph
  bool command_buffer_events = false;  ///< TraceMe `command_buffer::execute` with num_commands
  bool thunk_events = false;           ///< TraceMe per direct thunk, named as its instruction
  bool profiling_warning = false;      ///< TraceMe "WARNING: CommandBuffer disabled when profiling"

  bool predicate_copies = true;  ///< D2H copy of a predicate; rocprofiler-sdk never shows it
  bool vary_helpers = false;     ///< Convolutions launch another number of helpers each time.
  bool op_names = true;          ///< Stat `name` on what was launched directly
  std::int64_t least_trips = 2;  ///< Of a loop whose length the HLO does not say; 0 is legal
  std::int64_t most_trips = 6;
};

/// Runs every program once a step, in the order given.
Recording simulate(const std::vector<Program>& programs, const SimulationOptions& options);

}  // namespace jaxtrace::synth
