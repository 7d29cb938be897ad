// Decoding XStat and the metadata maps.
#include "readers/stats.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <utility>

#include "readers/inflate.h"
#include "readers/wire.h"
#include "readers/xplane_fields.h"

namespace jaxtrace {
namespace {

using Named = std::pair<std::string_view, StatRole>;

// Spelled as the profiler's xplane_schema.cc spells them, and as older versions did.
constexpr std::array kRoles = {
    Named{"hlo_op", StatRole::hlo_op},
    Named{"hlo_module", StatRole::hlo_module},
    Named{"program_id", StatRole::program_id},
    Named{"name", StatRole::name},
    Named{"prefix", StatRole::prefix},
    Named{"tf_op", StatRole::tf_op},
    Named{"cuda_graph_id", StatRole::graph_id},
    Named{"cuda_graph_exec_id", StatRole::graph_exec_id},
    Named{"cuda_graph_node_id", StatRole::graph_node_id},
    Named{"device_id", StatRole::agent},
    Named{"correlation_id", StatRole::correlation_id},
    Named{"kernel_details", StatRole::kernel_details},
    Named{"memcpy_details", StatRole::memcpy_details},
    Named{"Memset_details", StatRole::memset_details},
    Named{"memset_details", StatRole::memset_details},
    Named{"memalloc_details", StatRole::memory_details},
    Named{"Memalloc_details", StatRole::memory_details},
    Named{"MemFree_details", StatRole::memory_details},
    Named{"memfree_details", StatRole::memory_details},
    Named{"MemoryResidency_details", StatRole::memory_details},
    Named{"step_num", StatRole::number},
    Named{"num_commands", StatRole::number},
    Named{"num_executions", StatRole::number},
    Named{"device", StatRole::number},
    Named{"device_ordinal", StatRole::number},
    Named{"run_id", StatRole::number},
    Named{"iteration", StatRole::number},
    Named{"group_id", StatRole::number},
    Named{"_r", StatRole::number},
    Named{kWrittenGraph, StatRole::hlo_op},
    Named{kWrittenGraphName, StatRole::name},
    Named{kWrittenMatch, StatRole::written},
};

void read_stat_name(std::int64_t key, std::string_view message, PlaneNames& names) {
  StatName& name = names.stats.put(key);
  name.key = key;
  Wire wire(message);
  Field field;
  while (wire.next(field)) {
    if (field.tag == kMetadataName) name.text = field.bytes;
  }
  name.role = role_of(name.text);
}

void read_event_name(std::int64_t key, std::string_view message, PlaneNames& names) {
  EventName& name = names.events.put(key);
  name.key = key;
  Wire wire(message);
  Field field;
  while (wire.next(field)) {
    switch (field.tag) {
      case kMetadataId:
        name.id = static_cast<std::int64_t>(field.value);
        break;
      case kMetadataName:
        name.text = field.bytes;
        break;
      case kEventMetadataDisplayName:
        name.display = field.bytes;
        break;
      case kEventMetadataStats:
        name.message = message;
        break;
      default:
        break;
    }
  }
}

/// A map's entry: an absent key is 0, an absent value an empty message.
std::pair<std::int64_t, std::string_view> read_entry(std::string_view message) {
  std::pair<std::int64_t, std::string_view> entry{0, {}};
  Wire wire(message);
  Field field;
  while (wire.next(field)) {
    if (field.tag == kMapKey) {
      entry.first = static_cast<std::int64_t>(field.value);
    }
    if (field.tag == kMapValue) entry.second = field.bytes;
  }
  return entry;
}

std::optional<std::int64_t> whole(double value) {
  constexpr double kLimit = 9007199254740992.0;  // 2^53: beyond it a double skips integers.
  if (!(std::fabs(value) <= kLimit) || value != std::floor(value)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

template <typename Number>
std::string decimal(Number value) {
  std::array<char, 32> buffer{};
  const auto got = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), got.ptr};
}

}  // namespace

StatRole role_of(std::string_view name) {
  const auto* const found = std::find_if(kRoles.begin(), kRoles.end(),
                                         [&](const Named& named) { return named.first == name; });
  return found == kRoles.end() ? StatRole::other : found->second;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  const char* const end = text.data() + text.size();
  std::int64_t value = 0;
  if (const auto got = std::from_chars(text.data(), end, value);
      got.ec == std::errc{} && got.ptr == end) {
    return value;
  }
  std::uint64_t natural = 0;
  if (const auto got = std::from_chars(text.data(), end, natural);
      got.ec == std::errc{} && got.ptr == end) {
    return static_cast<std::int64_t>(natural);
  }
  return std::nullopt;
}

std::string_view innermost_op(std::string_view op) {
  const std::size_t at = op.rfind("::");
  return at == std::string_view::npos ? op : op.substr(at + 2);
}

PlaneNames read_plane_names(std::string_view plane) {
  PlaneNames names;
  Wire wire(plane);
  Field field;
  while (wire.next(field)) {
    if (field.tag == kPlaneEventMetadata) {
      const auto [key, message] = read_entry(field.bytes);
      read_event_name(key, message, names);
    } else if (field.tag == kPlaneStatMetadata) {
      const auto [key, message] = read_entry(field.bytes);
      read_stat_name(key, message, names);
    }
  }
  return names;
}

std::optional<std::int64_t> whole_number(const Stat& stat, PlaneNames& names) {
  if (stat.tag == kStatDouble) return whole(std::bit_cast<double>(stat.bits));
  return parse_integer(text(stat, names));
}

std::string text(const Stat& stat, PlaneNames& names) {
  std::string value;
  switch (stat.tag) {
    case kStatInt64:
      return decimal(static_cast<std::int64_t>(stat.bits));
    case kStatUint64:
      return decimal(stat.bits);
    case kStatDouble:
      return decimal(std::bit_cast<double>(stat.bits));
    case kStatString:
    case kStatBytes:
      value = stat.text;
      break;
    case kStatRef:
      if (const StatName* name = names.stats.find(static_cast<std::int64_t>(stat.bits))) {
        value = name->text;
      }
      break;
    case kStatCompressed:
      value = inflate(stat.text).value_or("");
      break;
    default:
      break;
  }
  if (value == kNullText) value.clear();
  return value;
}

StringId intern_other(const Stat& stat, PlaneNames& names, TraceBuilder& builder) {
  if (stat.tag == kStatString) {
    return stat.text == kNullText ? StringId::empty : builder.intern(stat.text);
  }
  if (stat.tag == kStatRef) {
    StatName* const name = names.stats.find(static_cast<std::int64_t>(stat.bits));
    if (name == nullptr) return StringId::empty;
    name->id = name->text == kNullText ? StringId::empty : builder.intern(name->text);
    return name->id;
  }
  return builder.intern(text(stat, names));
}

}  // namespace jaxtrace
