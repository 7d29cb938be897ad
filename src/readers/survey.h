// The first pass over an xplane file: which planes and lines it has, and how many events.
//
// Events are skipped by their length, so this costs little; it buys columns that are reserved once,
// and the order of lanes and the origin of time before the first event is stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "readers/mapped_file.h"
#include "readers/meter.h"

namespace jaxtrace {

struct LineSpan {
  std::string_view bytes;  ///< The XLine message, or what there is of it.
  std::int64_t id = 0;
  std::string_view name;
  std::int64_t timestamp_ns = 0;
  std::size_t events = 0;  ///< Complete ones.
};

struct PlaneSpan {
  std::string_view bytes;  ///< The XPlane message, or what there is of it.
  std::string_view name;
  std::vector<LineSpan> lines;
  std::size_t events = 0;  ///< Of all lines.
};

/// A place where the bytes are not what the format says.
struct Damage {
  std::uint64_t byte = 0;
  bool truncated = false;  ///< The file ends there.
  std::string_view plane;  ///< Name of the plane it is in, if any.
};

struct Survey {
  std::vector<PlaneSpan> planes;
  std::vector<std::string_view> errors;    ///< XSpace.errors
  std::vector<std::string_view> warnings;  ///< XSpace.warnings
  std::vector<Damage> damage;
};

/// All views point into `file`.
Survey survey(const MappedFile& file, Meter& meter);

}  // namespace jaxtrace
