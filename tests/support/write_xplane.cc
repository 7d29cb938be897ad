#include "support/write_xplane.h"

#include <fmt/format.h>

#include <numeric>
#include <ostream>
#include <sstream>
#include <string_view>
#include <vector>

#include "support/plane_writer.h"
#include "support/random.h"
#include "support/wire_out.h"

namespace jaxtrace::synth {
namespace {

constexpr std::int64_t kTimestampNs = 905'441;  // as in the goldens

struct Writer {
  const Recording& recording;
  const WriteOptions options;
  Random order;
};

template <class T>
void shuffle(Writer& writer, std::vector<T>& parts) {
  if (writer.options.shuffle == 0) return;
  for (std::size_t i = parts.size(); i > 1; --i) {
    std::swap(parts[i - 1], parts[writer.order.below(i)]);
  }
}

void add_program(Writer& writer, PlaneWriter& plane, std::uint32_t program, StringId op,
                 Stats& stats) {
  if (program == kNoProgram) return;
  const RecordedProgram& of = writer.recording.programs[program];
  add_ref(plane, stats, "tf_op", "XlaModule:");
  add_ref(plane, stats, "hlo_module", of.module);
  add_int(plane, stats, "program_id", of.program_id);
  if (op != StringId::empty) add_ref(plane, stats, "hlo_op", writer.recording.strings, op);
}

void add_stats(Writer& writer, PlaneWriter& plane, const DeviceEvent& event, Stats& stats) {
  const StringPool& strings = writer.recording.strings;
  if (event.correlation != 0) {
    add_int(plane, stats, "correlation_id", static_cast<std::int64_t>(event.correlation));
  }
  if (writer.recording.style == Style::cuda && writer.options.context_ids) {
    add_ref(plane, stats, "context_id", "$$1");
  }
  if (event.details != StringId::empty) {
    const std::string_view key = event.kind == EventKind::memcpy   ? "memcpy_details"
                                 : event.kind == EventKind::memset ? "Memset_details"
                                 : event.kind == EventKind::memory ? "memalloc_details"
                                                                   : "kernel_details";
    add_ref(plane, stats, key, strings, event.details);
  }
  add_program(writer, plane, event.program, event.shown_op, stats);
  if (event.op_name != StringId::empty) add_ref(plane, stats, "name", strings, event.op_name);
  if (event.graph_id != 0) {
    const bool whole = event.kind == EventKind::graph_launch;
    add_uint(plane, stats, whole ? "cuda_graph_exec_id" : "cuda_graph_id", event.graph_id);
  }
  if (event.node_id != 0) add_uint(plane, stats, "cuda_graph_node_id", event.node_id);
}

void add_stats(Writer& writer, PlaneWriter& plane, const HostEvent& event, Stats& stats) {
  if (event.correlation != 0) {
    add_int(plane, stats, "correlation_id", static_cast<std::int64_t>(event.correlation));
  }
  if (event.device_id >= 0) add_int(plane, stats, "device_id", event.device_id);
  add_program(writer, plane, event.program, event.shown_op, stats);
  for (const auto& [key, value] : event.stats) {
    add_int(plane, stats, writer.recording.strings[key], value);
  }
}

template <class Event>
std::string line_bytes(Writer& writer, PlaneWriter& plane, std::int64_t id, std::string_view name,
                       const std::vector<Event>& events, StringId Event::*event_name) {
  std::string line;
  put_number_unless_zero(line, 1, id);
  put_bytes(line, 2, name);
  put_number_unless_zero(line, 3, kTimestampNs + writer.options.shift_ns);
  std::string encoded;
  Stats stats;
  std::vector<std::size_t> order;
  for (const Event& event : events) {
    encoded.clear();
    stats.clear();
    put_number(encoded, 1, plane.events(writer.recording.strings, event.*event_name));
    put_number_unless_zero(encoded, 2, event.start_ps - kTimestampNs * 1000);
    put_number_unless_zero(encoded, 3, event.duration_ps);
    add_stats(writer, plane, event, stats);
    order.resize(stats.ends.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(writer, order);
    for (const std::size_t i : order) put_bytes(encoded, 4, stats[i]);
    put_bytes(line, 4, encoded);
  }
  return line;
}

/// A field of XPlane.
struct Field {
  std::uint32_t number;
  std::string value;
};

void add_metadata(const Numbering& names, std::uint32_t field, std::vector<Field>& fields) {
  for (std::size_t i = 0; i < names.names.size(); ++i) {
    std::string value;
    put_number(value, 1, static_cast<std::int64_t>(i) + 1);
    put_bytes(value, 2, names.names[i]);
    std::string entry;
    put_number(entry, 1, static_cast<std::int64_t>(i) + 1);
    put_bytes(entry, 2, value);
    fields.push_back({field, std::move(entry)});
  }
}

/// The content of a plane: `fields` are its lines and the event metadata it has already.
std::string plane_bytes(Writer& writer, const PlaneWriter& plane, std::int64_t id,
                        std::string_view name, std::vector<Field> fields, const Stats& stats = {}) {
  add_metadata(plane.events, 4, fields);
  add_metadata(plane.stats, 5, fields);
  for (std::size_t i = 0; i < stats.ends.size(); ++i) fields.push_back({6, std::string(stats[i])});
  shuffle(writer, fields);
  std::string out;
  put_number_unless_zero(out, 1, id);
  put_bytes(out, 2, name);
  for (Field& field : fields) {
    put_bytes(out, field.number, field.value);
    field.value = {};  // a line of millions of events need not be held twice
  }
  return out;
}

std::string metadata_plane(Writer& writer) {
  PlaneWriter plane;
  std::vector<Field> entries;
  std::int64_t next = 1;
  for (const RecordedProgram& program : writer.recording.programs) {
    const std::int64_t key = writer.options.old_metadata ? program.program_id : next++;
    std::string value;
    put_number(value, 1, key);
    put_bytes(value, 2, fmt::format("{}({})", program.module, program.program_id));
    if (!program.hlo.empty()) {
      std::string stat;
      put_number(stat, 1, plane.stats("Hlo Proto"));
      put_bytes(stat, 6, program.hlo);
      put_bytes(value, 5, stat);
    }
    if (!writer.options.old_metadata) {
      Stats stats;
      add_uint(plane, stats, "program_id", static_cast<std::uint64_t>(program.program_id));
      put_bytes(value, 5, stats[0]);
    }
    std::string entry;
    put_number(entry, 1, key);
    put_bytes(entry, 2, value);
    entries.push_back({4, std::move(entry)});
  }
  return plane_bytes(writer, plane, 0, "/host:metadata", std::move(entries));
}

/// The capabilities of the chips that the goldens were compiled for; the bandwidth of AMD is half
/// of the truth in real files, too.
Stats capabilities(PlaneWriter& plane, Style style) {
  Stats out;
  const bool cuda = style == Style::cuda;
  add_ref(plane, out, "device_vendor", cuda ? "Nvidia" : "AMD");
  add_int(plane, out, "core_count", cuda ? 132 : 304);
  add_int(plane, out, "clock_rate", cuda ? 1'980'000 : 2'100'000);
  add_uint(plane, out, "memory_bandwidth", cuda ? 3'352'320'000'000 : 2'662'400'000'000);
  add_uint(plane, out, "memory_size", cuda ? 84'929'347'584 : 205'822'885'888);
  add_int(plane, out, "compute_cap_major", 9);
  add_int(plane, out, "compute_cap_minor", cuda ? 0 : 4);
  if (cuda) add_ref(plane, out, "gpu_device_name", "NVIDIA H100 80GB HBM3");
  return out;
}

std::string device_plane(Writer& writer, const Device& device) {
  PlaneWriter plane;
  const Stats stats = capabilities(plane, writer.recording.style);
  std::vector<Field> lines;
  for (const DeviceLine& line : device.lines) {
    const std::string name = line_name(writer.recording, line);
    lines.push_back(
        {3, line_bytes(writer, plane, line.id, name, line.events, &DeviceEvent::kernel)});
  }
  for (const HostLine& line : device.derived) {
    lines.push_back(
        {3, line_bytes(writer, plane, line.id, line.name, line.events, &HostEvent::name)});
  }
  return plane_bytes(writer, plane, device.ordinal, fmt::format("/device:GPU:{}", device.ordinal),
                     std::move(lines), stats);
}

std::string host_plane(Writer& writer) {
  PlaneWriter plane;
  std::vector<Field> lines;
  for (const HostLine& line : writer.recording.host_lines) {
    lines.push_back(
        {3, line_bytes(writer, plane, line.id, line.name, line.events, &HostEvent::name)});
  }
  return plane_bytes(writer, plane, 1000, "/host:CPU", std::move(lines));
}

std::string environment_plane(Writer& writer) {
  PlaneWriter plane;
  Stats stats;  // an arbitrary moment: 2025-11-29
  add_uint(plane, stats, "profile_start_time", 1'764'400'000'000'000'000);
  add_uint(plane, stats, "profile_stop_time", 1'764'400'003'000'000'000);
  return plane_bytes(writer, plane, 2000, "Task Environment", {}, stats);
}

}  // namespace

void write_xspace(const Recording& recording, const WriteOptions& options, std::ostream& out) {
  Writer writer{recording, options, Random(options.shuffle)};
  std::vector<std::size_t> planes(recording.devices.size() + 3);
  std::iota(planes.begin(), planes.end(), std::size_t{0});
  shuffle(writer, planes);
  std::string head;
  for (const std::size_t i : planes) {
    std::string plane;
    if (i == 0) {
      plane = metadata_plane(writer);
    } else if (i <= recording.devices.size()) {
      plane = device_plane(writer, recording.devices[i - 1]);
    } else {
      plane = i + 1 < planes.size() ? host_plane(writer) : environment_plane(writer);
    }
    head.clear();
    put_varint(head, (1 << 3) | 2);
    put_varint(head, plane.size());
    out << head << plane;
  }
  std::string tail;
  for (const std::string& error : recording.errors) put_bytes(tail, 2, error);
  for (const std::string& warning : recording.warnings) put_bytes(tail, 3, warning);
  put_bytes(tail, 4, recording.host);
  out << tail;
}

std::string encode_metadata_plane(const Recording& recording) {
  Writer writer{recording, {}, Random(0)};
  return metadata_plane(writer);
}

std::string encode_device_plane(const Recording& recording, const Device& device) {
  Writer writer{recording, {}, Random(0)};
  return device_plane(writer, device);
}

std::string encode_host_plane(const Recording& recording) {
  Writer writer{recording, {}, Random(0)};
  return host_plane(writer);
}

std::string xspace_bytes(const Recording& recording, const WriteOptions& options) {
  std::ostringstream out;
  write_xspace(recording, options, out);
  return std::move(out).str();
}

}  // namespace jaxtrace::synth
