// A recording as the bytes of an *.xplane.pb, laid out as jax.profiler writes it.
//
// Planes go to the stream one by one, so that a file may be larger than memory; only one plane is
// held at a time.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "support/recording.h"

namespace jaxtrace::synth {

struct WriteOptions {
  std::uint64_t shuffle = 0;  ///< Not 0: planes, lines, stats and metadata in a seeded order
  bool old_metadata = false;  ///< JAX up to 0.9: metadata key is the program id, no such stat
  bool context_ids = true;    ///< CUDA: context_id "$$1"
  std::int64_t shift_ns = 0;  ///< Added to every line's timestamp
};

void write_xspace(const Recording& recording, const WriteOptions& options, std::ostream& out);

/// Single planes (the content of XSpace.planes), for captures made piece by piece.
std::string encode_metadata_plane(const Recording& recording);
std::string encode_device_plane(const Recording& recording, const Device& device);
std::string encode_host_plane(const Recording& recording);

std::string xspace_bytes(const Recording& recording, const WriteOptions& options = {});

}  // namespace jaxtrace::synth
