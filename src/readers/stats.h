// XStat: a named value, and the names a plane's ids stand for.
//
// Writers disagree on types: the same stat is an int64 in one version, a uint64 or text in another,
// and text that looks like a number was turned into one.  So every value can be asked for as
// either.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "jaxtrace/trace_builder.h"
#include "readers/id_table.h"

namespace jaxtrace {

/// What a stat means to a Trace.
enum class StatRole : std::uint8_t {
  other,
  hlo_op,
  hlo_module,
  program_id,
  name,
  prefix,
  tf_op,
  graph_id,
  graph_exec_id,
  graph_node_id,
  correlation_id,
  kernel_details,
  memcpy_details,
  memset_details,
  memory_details,
  number,  ///< Kept as an EventStat.
};

inline constexpr StringId kNotInterned{0xffffffff};

/// One entry of XPlane.stat_metadata.  Its name is also the value of stats that refer to it.
struct StatName {
  std::string_view text;
  StatRole role = StatRole::other;
  StringId id = kNotInterned;
};

/// One entry of XPlane.event_metadata.
struct EventName {
  std::int64_t key = 0;
  std::int64_t id = 0;
  std::string_view text;
  std::string_view display;
  std::string_view message;  ///< The XEventMetadata, for its stats; empty if it has none.
  StringId interned = kNotInterned;
};

struct PlaneNames {
  IdTable<StatName> stats;
  IdTable<EventName> events;
};

/// The maps of a plane, wherever in it they are.
PlaneNames read_plane_names(std::string_view plane);

struct Stat {
  enum class Kind : std::uint8_t {
    none,
    integer,
    natural,
    real,
    text,
    bytes,
    reference,
    compressed
  };
  std::int64_t key = 0;
  Kind kind = Kind::none;
  std::uint64_t bits = 0;
  std::string_view text;
};

/// An XStat message; kind none if it has no value that can be read.
Stat read_stat(std::string_view message);

/// The value as a whole number; absent if it is none.
std::optional<std::int64_t> integer(const Stat& stat, PlaneNames& names);

/// The value as text; numbers in decimal.  Empty if absent, "(null)" or a reference to nothing.
std::string text(const Stat& stat, PlaneNames& names);

/// The same, interned; a reference is interned once.
StringId intern(const Stat& stat, PlaneNames& names, TraceBuilder& builder);

}  // namespace jaxtrace
