// Captures too large to hold in memory, for the scale tests and the benchmark of the readers.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace jaxtrace::synth {

struct ScaleOptions {
  int devices = 8;
  std::uint64_t kernels = 2'400'000;  ///< Per device
  int graph_slots = 40;               ///< Kernels of one graph launch; 0: direct launches
  std::uint64_t seed = 1;
  bool hlo = true;  ///< With the program's HLO and stats on every event
};

/// One program of `graph_slots` fusions, some sharing kernels, in one command buffer, run over and
/// over.  Planes go out one by one.  `truth` may be null.
void write_scale(const ScaleOptions& options, std::ostream& out, std::ostream* truth);

/// `count` events over eight devices and a host, four stats each: what the benchmark reads.
void write_events(std::uint64_t count, std::uint64_t seed, std::ostream& out);

}  // namespace jaxtrace::synth
