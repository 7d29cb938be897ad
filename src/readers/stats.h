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
#include "readers/wire.h"
#include "readers/xplane_fields.h"

namespace jaxtrace {

/// What a stat means to a Trace.
enum class StatRole : std::uint8_t {
  hlo_op,  ///< Five texts of an Annotation;
  hlo_module,
  name,
  prefix,
  tf_op,
  program_id,  ///< and its numbers;
  graph_id,
  graph_exec_id,
  agent,
  graph_node_id,  ///< numbers of an event;
  correlation_id,
  kernel_details,  ///< Details;
  memcpy_details,
  memset_details,
  memory_details,
  number,   ///< kept as an EventStat;
  written,  ///< the stats after it were written by jaxtrace, not by the tracer;
  other,    ///< not read.
};

// What `attribute --write-xplane` writes on an event: the tracer's own hlo_op and name, renamed,
// and after all of the tracer's stats the match, which says that more follow.  Read as roles, they
// make an event what it was before.
inline constexpr std::string_view kWrittenGraph = "jaxtrace_graph";
inline constexpr std::string_view kWrittenGraphName = "jaxtrace_graph_name";
inline constexpr std::string_view kWrittenMatch = "jaxtrace_match";
inline constexpr std::string_view kWrittenConfidence = "jaxtrace_confidence";

/// The role of a stat of this name.
StatRole role_of(std::string_view name);

/// What printf makes of a text that is not there.
inline constexpr std::string_view kNullText = "(null)";

/// A whole number, signed or of 64 bits, in decimal; absent if the text is anything else.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// hlo_op: of nested names, which old writers joined by "::", the innermost.
std::string_view innermost_op(std::string_view op);

inline constexpr StringId kNotInterned{0xffffffff};

/// One entry of XPlane.stat_metadata.  Its name is also the value of stats that refer to it.
struct StatName {
  std::int64_t key = 0;
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
  std::int64_t key = 0;
  std::uint32_t tag = 0;   ///< Of the value: kStatInt64, kStatString …; 0 if it has none.
  std::uint64_t bits = 0;  ///< Of a number or reference.
  std::string_view text;   ///< Of text or bytes.
};

/// An XStat message.
[[gnu::always_inline]] inline Stat read_stat(std::string_view message) {
  Stat stat;
  Wire wire(message);
  Field field;
  while (wire.next(field)) {
    if (field.tag == kStatMetadataId) {
      stat.key = static_cast<std::int64_t>(field.value);
    } else if (field.tag <= kStatCompressed) {  // The last value; all else is unknown.
      stat.tag = field.tag;
      stat.bits = field.value;
      stat.text = field.bytes;
    }
  }
  return stat;
}

/// integer() of what is not an integer on the wire.
std::optional<std::int64_t> whole_number(const Stat& stat, PlaneNames& names);

/// The value as a whole number; absent if it is none.
inline std::optional<std::int64_t> integer(const Stat& stat, PlaneNames& names) {
  if (stat.tag == kStatInt64 || stat.tag == kStatUint64) {
    return static_cast<std::int64_t>(stat.bits);
  }
  return whole_number(stat, names);
}

/// The value as text; numbers in decimal.  Empty if absent, "(null)" or a reference to nothing.
std::string text(const Stat& stat, PlaneNames& names);

/// intern() of what is not a reference to a text that was interned before.
StringId intern_other(const Stat& stat, PlaneNames& names, TraceBuilder& builder);

/// The same, interned; a reference is interned once.
[[gnu::always_inline]] inline StringId intern(const Stat& stat, PlaneNames& names,
                                              TraceBuilder& builder) {
  if (stat.tag == kStatRef) {
    const StatName* const name = names.stats.find(static_cast<std::int64_t>(stat.bits));
    if (name != nullptr && name->id != kNotInterned) return name->id;
  }
  return intern_other(stat, names, builder);
}

}  // namespace jaxtrace
