#include "support/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string_view>
#include <tuple>

namespace jaxtrace::synth {
namespace {

/// What CUPTI's collector calls the kind of an event in a line's name.
std::string_view type_name(const Recording& recording, const DeviceEvent& event) {
  switch (event.kind) {
    case EventKind::kernel:
      return recording.style == Style::cuda ? "Compute" : "Kernel";
    case EventKind::memcpy:
      if (recording.style != Style::cuda) return "MemcpyOther";
      return recording.strings[event.kernel];
    case EventKind::memset:
      return "Memset";
    case EventKind::graph_launch:
      return "CudaGraph";
    case EventKind::memory:
      return "MemoryAlloc";
    case EventKind::overhead:
      return "Generic";
  }
  return "Generic";
}

void put_csv(std::string_view text, std::ostream& out) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) {
    out << text;
    return;
  }
  out << '"';
  for (const char c : text) out << (c == '"' ? "\"\"" : std::string(1, c));
  out << '"';
}

/// Calls `take` with one row after another, so that millions of them need no memory.
template <class Function>
void each_row(const Recording& recording, Function take) {
  TruthRow row{.host = recording.host};
  for (const Device& device : recording.devices) {
    row.device = fmt::format("/device:GPU:{}", device.ordinal);
    for (const DeviceLine& line : device.lines) {
      row.line = line_name(recording, line);
      for (const DeviceEvent& event : line.events) {
        row.start_ps = event.start_ps;
        row.duration_ps = event.duration_ps;
        row.kernel = recording.strings[event.kernel];
        row.hlo_op = recording.strings[event.op];
        row.in_graph = event.in_graph;
        row.within = recording.strings[event.within];
        take(row);
      }
    }
  }
}

}  // namespace

std::string line_name(const Recording& recording, const DeviceLine& line) {
  if (!line.name.empty()) return line.name;
  std::vector<std::string_view> types;
  for (const DeviceEvent& event : line.events) {
    const std::string_view type = type_name(recording, event);
    if (std::ranges::find(types, type) == types.end()) types.push_back(type);
  }
  // Copies first, as the collector's own enumeration has it.
  std::ranges::sort(types, [](std::string_view a, std::string_view b) {
    return std::tuple(a == "Compute" || a == "Kernel", a) <
           std::tuple(b == "Compute" || b == "Kernel", b);
  });
  std::string joined;
  for (const std::string_view type : types) {
    if (!joined.empty()) joined += ',';
    joined += type;
  }
  return joined.empty() ? fmt::format("Stream #{}", line.id)
                        : fmt::format("Stream #{}({})", line.id, joined);
}

void sort_events(Recording& recording) {
  const auto earlier = [](const auto& a, const auto& b) {
    return std::tuple(a.start_ps, -a.duration_ps) < std::tuple(b.start_ps, -b.duration_ps);
  };
  for (Device& device : recording.devices) {
    for (DeviceLine& line : device.lines) std::ranges::stable_sort(line.events, earlier);
  }
  for (HostLine& line : recording.host_lines) std::ranges::stable_sort(line.events, earlier);
}

std::vector<TruthRow> truth_of(const Recording& recording) {
  std::vector<TruthRow> rows;
  each_row(recording, [&](const TruthRow& row) { rows.push_back(row); });
  return rows;
}

void write_truth_header(std::ostream& out) {
  out << "host,device,line,start_ps,duration_ps,kernel,hlo_op,in_graph,within\n";
}

void write_truth(const Recording& recording, std::ostream& out) {
  each_row(recording, [&](const TruthRow& row) {
    put_csv(row.host, out);
    out << ',' << row.device << ',';
    put_csv(row.line, out);
    out << ',' << row.start_ps << ',' << row.duration_ps << ',';
    put_csv(row.kernel, out);
    out << ',';
    put_csv(row.hlo_op, out);
    out << ',' << (row.in_graph ? 1 : 0) << ',';
    put_csv(row.within, out);
    out << '\n';
  });
}

}  // namespace jaxtrace::synth
