#include "support/write_xplane.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <sstream>
#include <string_view>
#include <vector>

#include "support/plane_writer.h"

namespace jaxtrace::synth {
namespace {

constexpr std::int64_t kTimestampNs = 905'441;  // as in the goldens

struct Writer {
  const Recording& recording;
  const WriteOptions& options;
  Random order;
};

template <class T>
void shuffle(Writer& writer, std::vector<T>& parts) {
  if (writer.options.shuffle == 0) return;
  for (std::size_t i = parts.size(); i > 1; --i) {
    std::swap(parts[i - 1], parts[writer.order.below(i)]);
  }
}

std::string_view text(const Writer& writer, StringId id) {
  return writer.recording.strings[id];
}

void add_program(Writer& writer, PlaneWriter& plane, std::uint32_t program, StringId op,
                 std::vector<std::string>& stats) {
  if (program == kNoProgram) return;
  const RecordedProgram& of = writer.recording.programs[program];
  stats.push_back(ref_stat(plane, "tf_op", "XlaModule:"));
  stats.push_back(ref_stat(plane, "hlo_module", of.module));
  stats.push_back(int_stat(plane, "program_id", of.program_id));
  if (op != StringId::empty) stats.push_back(ref_stat(plane, "hlo_op", text(writer, op)));
}

std::vector<std::string> stats_of(Writer& writer, PlaneWriter& plane, const DeviceEvent& event) {
  std::vector<std::string> stats;
  if (event.correlation != 0) {
    stats.push_back(
        int_stat(plane, "correlation_id", static_cast<std::int64_t>(event.correlation)));
  }
  if (writer.recording.style == Style::cuda && writer.options.context_ids) {
    stats.push_back(ref_stat(plane, "context_id", "$$1"));
  }
  if (event.details != StringId::empty) {
    const std::string_view key = event.kind == EventKind::memcpy   ? "memcpy_details"
                                 : event.kind == EventKind::memset ? "Memset_details"
                                 : event.kind == EventKind::memory ? "memalloc_details"
                                                                   : "kernel_details";
    stats.push_back(ref_stat(plane, key, text(writer, event.details)));
  }
  add_program(writer, plane, event.program, event.shown_op, stats);
  if (event.op_name != StringId::empty) {
    stats.push_back(ref_stat(plane, "name", text(writer, event.op_name)));
  }
  if (event.graph_id != 0) {
    const bool whole = event.kind == EventKind::graph_launch;
    stats.push_back(
        uint_stat(plane, whole ? "cuda_graph_exec_id" : "cuda_graph_id", event.graph_id));
  }
  if (event.node_id != 0) stats.push_back(uint_stat(plane, "cuda_graph_node_id", event.node_id));
  return stats;
}

std::vector<std::string> stats_of(Writer& writer, PlaneWriter& plane, const HostEvent& event) {
  std::vector<std::string> stats;
  if (event.correlation != 0) {
    stats.push_back(
        int_stat(plane, "correlation_id", static_cast<std::int64_t>(event.correlation)));
  }
  if (event.device_id >= 0) stats.push_back(int_stat(plane, "device_id", event.device_id));
  add_program(writer, plane, event.program, event.shown_op, stats);
  for (const auto& [key, value] : event.stats) {
    stats.push_back(int_stat(plane, text(writer, key), value));
  }
  return stats;
}

template <class Event>
void add_line(Writer& writer, PlaneWriter& plane, std::int64_t id, std::string_view name,
              const std::vector<Event>& events, StringId Event::*event_name,
              std::vector<std::string>& lines) {
  std::string line;
  put_number_unless_zero(line, 1, id);
  put_bytes(line, 2, name);
  put_number_unless_zero(line, 3, kTimestampNs + writer.options.shift_ns);
  std::string encoded;
  for (const Event& event : events) {
    encoded.clear();
    put_number(encoded, 1, plane.event_id(text(writer, event.*event_name)));
    put_number_unless_zero(encoded, 2, event.start_ps - kTimestampNs * 1000);
    put_number_unless_zero(encoded, 3, event.duration_ps);
    std::vector<std::string> stats = stats_of(writer, plane, event);
    shuffle(writer, stats);
    for (const std::string& stat : stats) put_bytes(encoded, 4, stat);
    put_bytes(line, 4, encoded);
  }
  lines.push_back(std::move(line));
}

/// A plane of `lines` with its metadata, as field 1 of XSpace.
std::string plane_bytes(Writer& writer, PlaneWriter& plane, std::int64_t id, std::string_view name,
                        std::vector<std::string> lines, const std::vector<std::string>& stats,
                        std::vector<std::string> event_metadata = {}) {
  shuffle(writer, lines);
  std::vector<std::string> fields;
  const auto field = [&](std::uint32_t number, std::string_view value) {
    std::string& out = fields.emplace_back();
    put_bytes(out, number, value);
  };
  for (const std::string& line : lines) field(3, line);
  for (std::size_t i = 0; i < plane.event_metadata.size(); ++i) {
    std::string value;
    put_number(value, 1, static_cast<std::int64_t>(i) + 1);
    put_bytes(value, 2, plane.event_metadata[i]);
    std::string entry;
    put_number(entry, 1, static_cast<std::int64_t>(i) + 1);
    put_bytes(entry, 2, value);
    event_metadata.push_back(std::move(entry));
  }
  for (const std::string& entry : event_metadata) field(4, entry);
  for (std::size_t i = 0; i < plane.stat_metadata.size(); ++i) {
    std::string value;
    put_number(value, 1, static_cast<std::int64_t>(i) + 1);
    put_bytes(value, 2, plane.stat_metadata[i]);
    std::string entry;
    put_number(entry, 1, static_cast<std::int64_t>(i) + 1);
    put_bytes(entry, 2, value);
    field(5, entry);
  }
  for (const std::string& stat : stats) field(6, stat);
  shuffle(writer, fields);
  std::string out;
  put_number_unless_zero(out, 1, id);
  put_bytes(out, 2, name);
  for (const std::string& one : fields) out += one;
  return out;
}

std::string metadata_plane(Writer& writer) {
  PlaneWriter plane;
  std::vector<std::string> entries;
  std::int64_t next = 1;
  for (const RecordedProgram& program : writer.recording.programs) {
    const std::int64_t key = writer.options.old_metadata ? program.program_id : next++;
    std::string value;
    put_number(value, 1, key);
    put_bytes(value, 2, fmt::format("{}({})", program.module, program.program_id));
    if (!program.hlo.empty()) {
      std::string stat;
      put_number(stat, 1, plane.stat_id("Hlo Proto"));
      put_bytes(stat, 6, program.hlo);
      put_bytes(value, 5, stat);
    }
    if (!writer.options.old_metadata) {
      put_bytes(value, 5,
                uint_stat(plane, "program_id", static_cast<std::uint64_t>(program.program_id)));
    }
    std::string entry;
    put_number(entry, 1, key);
    put_bytes(entry, 2, value);
    entries.push_back(std::move(entry));
  }
  return plane_bytes(writer, plane, 0, "/host:metadata", {}, {}, std::move(entries));
}

std::string device_plane(Writer& writer, const Device& device) {
  PlaneWriter plane;
  std::vector<std::string> stats;
  // The capabilities of the chips that the goldens were compiled for; the bandwidth of AMD is half
  // of the truth in real files, too.
  if (writer.recording.style == Style::cuda) {
    stats = {ref_stat(plane, "device_vendor", "Nvidia"),
             int_stat(plane, "core_count", 132),
             int_stat(plane, "clock_rate", 1'980'000),
             uint_stat(plane, "memory_bandwidth", 3'352'320'000'000),
             uint_stat(plane, "memory_size", 84'929'347'584),
             int_stat(plane, "compute_cap_major", 9),
             int_stat(plane, "compute_cap_minor", 0),
             ref_stat(plane, "gpu_device_name", "NVIDIA H100 80GB HBM3")};
  } else {
    stats = {ref_stat(plane, "device_vendor", "AMD"),
             int_stat(plane, "core_count", 304),
             int_stat(plane, "clock_rate", 2'100'000),
             uint_stat(plane, "memory_bandwidth", 2'662'400'000'000),
             uint_stat(plane, "memory_size", 205'822'885'888),
             int_stat(plane, "compute_cap_major", 9),
             int_stat(plane, "compute_cap_minor", 4)};
  }
  std::vector<std::string> lines;
  for (const DeviceLine& line : device.lines) {
    add_line(writer, plane, line.id, line_name(writer.recording, line), line.events,
             &DeviceEvent::kernel, lines);
  }
  for (const HostLine& line : device.derived) {
    add_line(writer, plane, line.id, line.name, line.events, &HostEvent::name, lines);
  }
  return plane_bytes(writer, plane, device.ordinal, fmt::format("/device:GPU:{}", device.ordinal),
                     std::move(lines), stats);
}

std::string host_plane(Writer& writer) {
  PlaneWriter plane;
  std::vector<std::string> lines;
  for (const HostLine& line : writer.recording.host_lines) {
    add_line(writer, plane, line.id, line.name, line.events, &HostEvent::name, lines);
  }
  return plane_bytes(writer, plane, 1000, "/host:CPU", std::move(lines), {});
}

std::string environment_plane(Writer& writer) {
  PlaneWriter plane;
  // An arbitrary moment: 2025-11-29.
  const std::vector<std::string> stats = {
      uint_stat(plane, "profile_start_time", 1'764'400'000'000'000'000),
      uint_stat(plane, "profile_stop_time", 1'764'400'003'000'000'000)};
  return plane_bytes(writer, plane, 2000, "Task Environment", {}, stats);
}

}  // namespace

void write_xspace(const Recording& recording, const WriteOptions& options, std::ostream& out) {
  Writer writer{recording, options, Random(options.shuffle)};
  std::vector<std::size_t> planes(recording.devices.size() + 3);
  for (std::size_t i = 0; i < planes.size(); ++i) planes[i] = i;
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

std::string xspace_bytes(const Recording& recording, const WriteOptions& options) {
  std::ostringstream out;
  write_xspace(recording, options, out);
  return std::move(out).str();
}

}  // namespace jaxtrace::synth
