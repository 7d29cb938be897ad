// Stats of planes and of event metadata.  A module's program id has been written in three ways over
// the years; the order in which they are tried is in program_id_of().
#include "readers/tables.h"

#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "readers/stats.h"
#include "readers/wire.h"
#include "readers/xplane_fields.h"

namespace jaxtrace {
namespace {

template <typename Do>
void for_each_stat(std::string_view message, std::uint32_t tag, Do apply) {
  Wire wire(message);
  Field field;
  while (wire.next(field)) {
    if (field.tag == tag) apply(read_stat(field.bytes));
  }
}

std::string_view name_of(const Stat& stat, PlaneNames& names) {
  const StatName* const name = names.stats.find(stat.key);
  return name == nullptr ? std::string_view{} : name->text;
}

/// "jit_step(17)" as "jit_step" and 17.
struct ModuleName {
  std::string_view base;
  std::optional<std::int64_t> number;
};

ModuleName split(std::string_view name) {
  const std::size_t open = name.rfind('(');
  if (open == std::string_view::npos || !name.ends_with(')')) return {name, std::nullopt};
  const char* const begin = name.data() + open + 1;
  const char* const end = name.data() + name.size() - 1;
  std::int64_t number = 0;
  if (const auto got = std::from_chars(begin, end, number);
      got.ec == std::errc{} && got.ptr == end && begin != end) {
    return {name.substr(0, open), number};
  }
  std::uint64_t natural = 0;  // Ids that are hashes use all 64 bits.
  if (const auto got = std::from_chars(begin, end, natural);
      got.ec == std::errc{} && got.ptr == end && begin != end) {
    return {name.substr(0, open), static_cast<std::int64_t>(natural)};
  }
  return {name, std::nullopt};
}

constexpr std::uint32_t kHloModule = wire_tag(1, WireType::bytes);     // HloProto.hlo_module
constexpr std::uint32_t kHloModuleId = wire_tag(5, WireType::varint);  // HloModuleProto.id

/// HloProto.hlo_module.id
std::optional<std::int64_t> hlo_id(std::string_view hlo_proto) {
  std::optional<std::int64_t> id;
  Wire proto(hlo_proto);
  Field field;
  while (proto.next(field)) {
    if (field.tag != kHloModule) continue;
    Wire module(field.bytes);
    Field inner;
    while (module.next(inner)) {
      if (inner.tag == kHloModuleId) id = static_cast<std::int64_t>(inner.value);
    }
  }
  return id;
}

/// jaxlib 0.10 and later say it in a stat, and number the metadata otherwise; earlier ones number
/// the metadata by it, and put it in the name.
std::int64_t program_id_of(const EventName& entry, std::optional<std::int64_t> stat,
                           const ModuleName& name, std::string_view hlo_proto) {
  if (stat) return *stat;
  if (name.number) return *name.number;
  if (entry.key != 0) return entry.key;
  if (entry.id != 0) return entry.id;
  return hlo_id(hlo_proto).value_or(kNoProgram);
}

}  // namespace

void read_modules(std::string_view plane, HostId host, TraceBuilder& builder) {
  PlaneNames names = read_plane_names(plane);
  for (const EventName& entry : names.events.rows()) {
    std::optional<std::int64_t> stated;
    Module module{};
    for_each_stat(entry.message, kEventMetadataStats, [&](const Stat& stat) {
      const std::string_view key = name_of(stat, names);
      if (key == "Hlo Proto" || key == "HLO Proto") {
        module.hlo_proto = stat.tag == kStatBytes ? stat.text : text(stat, names);
      } else if (key == "program_id") {
        stated = integer(stat, names);
      }
    });
    const ModuleName name = split(entry.text.empty() ? entry.display : entry.text);
    module.host = host;
    module.name = builder.intern(name.base);
    module.program_id = program_id_of(entry, stated, name, module.hlo_proto);
    builder.add_module(std::move(module));
  }
}

void read_device_stats(std::string_view plane, DeviceId id, TraceBuilder& builder) {
  using Number = std::pair<std::string_view, std::optional<std::int64_t> Device::*>;
  static constexpr std::array kNumbers = {
      Number{"core_count", &Device::compute_units},
      Number{"clock_rate", &Device::clock_khz},
      Number{"memory_size", &Device::memory_bytes},
      Number{"memory_bandwidth", &Device::bandwidth_bytes_per_s},
      Number{"compute_cap_major", &Device::compute_capability_major},
      Number{"compute_cap_minor", &Device::compute_capability_minor},
  };
  PlaneNames names = read_plane_names(plane);
  for_each_stat(plane, kPlaneStats, [&](const Stat& stat) {
    Device& device = builder.device(id);
    const std::string_view key = name_of(stat, names);
    if (key == "device_vendor") device.vendor = intern(stat, names, builder);
    if (key == "gpu_device_name") device.model = intern(stat, names, builder);
    for (const auto& [name, member] : kNumbers) {
      if (key != name) continue;
      if (const auto value = integer(stat, names)) device.*member = value;
    }
  });
}

void read_session(std::string_view plane, HostId id, TraceBuilder& builder) {
  PlaneNames names = read_plane_names(plane);
  for_each_stat(plane, kPlaneStats, [&](const Stat& stat) {
    Host& host = builder.host(id);
    const std::string_view key = name_of(stat, names);
    if (key == "profile_start_time") host.profile_start_ns = integer(stat, names);
    if (key == "profile_stop_time") host.profile_stop_ns = integer(stat, names);
  });
}

}  // namespace jaxtrace
