#include "support/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "support/capture.h"
#include "support/write_xplane.h"

namespace jaxtrace::rows {
namespace {

using synth::EventKind;

struct Interval {
  std::int64_t start_ps = 0, duration_ps = 0;
};

/// "[2,6)", so much later
Interval interval_of(const std::string& word, double later) {
  double begin = 0, end = 0;
  char open = 0, comma = 0, close = 0;
  std::istringstream in(word);
  if (!(in >> open >> begin >> comma >> end >> close) || open != '[' || close != ')') {
    throw std::runtime_error("no interval: " + word);
  }
  return {at(begin + later).count(), us(end).count() - us(begin).count()};
}

struct Builder {
  synth::Recording recording{};
  std::map<std::string, std::uint32_t> programs{};
  std::uint64_t next_id = 900'000;
  int repetition = 0;
  double every = 0;

  double later() const { return repetition * every; }

  std::uint32_t program(const std::string& module) {
    const auto [at_module, added] =
        programs.try_emplace(module, static_cast<std::uint32_t>(programs.size()));
    if (added) recording.programs.push_back({module, 17 + std::int64_t{at_module->second}, ""});
    return at_module->second;
  }

  synth::HostLine& host_line(std::string name) {
    std::ranges::replace(name, '~', ' ');
    for (synth::HostLine& line : recording.host_lines) {
      if (line.name == name) return line;
    }
    const auto id = static_cast<std::int64_t>(recording.host_lines.size()) + 100;
    return recording.host_lines.emplace_back(synth::HostLine{id, name, {}});
  }

  synth::DeviceLine& stream(int gpu, std::int64_t id) {
    while (static_cast<int>(recording.devices.size()) <= gpu) {
      recording.devices.push_back(
          {.ordinal = static_cast<int>(recording.devices.size()), .lines = {}, .derived = {}});
    }
    auto& lines = recording.devices[static_cast<std::size_t>(gpu)].lines;
    for (synth::DeviceLine& line : lines) {
      if (line.id == id) return line;
    }
    return lines.emplace_back(synth::DeviceLine{id, "", {}});
  }

  void row(const std::string& line);
  void host_row(std::istringstream& in);
  void device_row(char kind, std::istringstream& in);
};

void Builder::host_row(std::istringstream& in) {
  std::string lane, times, name;
  in >> lane >> times >> std::ws;
  std::getline(in, name);
  const Interval interval = interval_of(times, later());
  synth::HostEvent event{.start_ps = interval.start_ps, .duration_ps = interval.duration_ps};
  if (name.starts_with("step=")) {
    const std::size_t space = name.find(' ');
    const std::string number = name.substr(5, space - 5);
    event.stats = {
        {recording.strings.intern("step_num"), number == "#" ? repetition : std::stoll(number)},
        {recording.strings.intern("_r"), 1}};
    name.erase(0, space + 1);
  }
  event.name = recording.strings.intern(name);
  host_line(lane).events.push_back(std::move(event));
}

void Builder::device_row(char kind, std::istringstream& in) {
  std::map<std::string, std::string> words;
  std::string word;
  int gpu = 0;
  if (!(in >> word)) throw std::runtime_error("a row without a stream");
  if (word.starts_with("gpu")) {
    gpu = std::stoi(word.substr(3));
    in >> word;
  }
  const std::int64_t stream_id = std::stoll(word.substr(1));
  in >> word;
  const Interval interval = interval_of(word, later());
  while (in >> word) in >> words[word];

  const bool kernel = kind == 'C' || kind == 'X';
  const auto or_else = [&](const char* key, std::string_view other) {
    return words.contains(key) ? words[key] : std::string(other);
  };
  const std::string name = or_else("name", kind == 'C'   ? "loop_add_fusion"
                                           : kind == 'X' ? "ncclDevKernel_AllReduce"
                                           : kind == 'M' ? "MemcpyD2D"
                                                         : "Memset");
  synth::DeviceEvent event{.start_ps = interval.start_ps, .duration_ps = interval.duration_ps};
  event.kernel = recording.strings.intern(name);
  event.kind = kernel ? EventKind::kernel : kind == 'M' ? EventKind::memcpy : EventKind::memset;
  event.details = recording.strings.intern(
      kernel        ? "regs:32 static_shared:0 dynamic_shared:0 grid:64,1,1 block:256,1,1"
      : kind == 'M' ? "kind_src:device kind_dst:device size:4096 dest:0 async:1"
                    : "kind:device num_bytes:4096 async:1");
  if (kernel) event.program = program(or_else("module", "jit_f"));
  if (words.contains("op")) event.shown_op = recording.strings.intern(words["op"]);
  if (words.contains("graph")) event.graph_id = std::stoull(words["graph"]);
  if (words.contains("id") || words.contains("launch")) {
    event.correlation = words.contains("id") ? std::stoull(words["id"]) +
                                                   1000 * static_cast<std::uint64_t>(repetition)
                                             : next_id++;
  }
  if (words.contains("launch")) {
    const Interval call = interval_of(words["launch"], later());
    synth::HostEvent launch{.start_ps = call.start_ps, .duration_ps = call.duration_ps};
    launch.name = recording.strings.intern(or_else("api", kernel        ? "cuLaunchKernel"
                                                          : kind == 'M' ? "MemcpyD2D"
                                                                        : "Memset"));
    launch.correlation = event.correlation;
    launch.device_id = words.contains("handle") ? std::stoll(words["handle"]) : gpu;
    host_line(or_else("on", "python")).events.push_back(std::move(launch));
  }
  stream(gpu, stream_id).events.push_back(std::move(event));
}

void Builder::row(const std::string& line) {
  std::istringstream in(line);
  std::string kind;
  in >> kind;
  if (kind.starts_with('#')) return;
  if (kind == "H") {
    host_row(in);
  } else if (kind.size() == 1 && std::string_view("CXMS").find(kind) != std::string_view::npos) {
    device_row(kind.front(), in);
  } else {
    throw std::runtime_error("no row: " + line);
  }
}

}  // namespace

synth::Recording recording_of(const std::string& rows) {
  Builder builder;
  std::istringstream lines(rows);
  std::string line;
  std::vector<std::string> repeated;
  int times = 0;  // of the block that is open; 0: none is
  while (std::getline(lines, line)) {
    std::istringstream in(line);
    std::string word;
    if (!(in >> word)) continue;
    if (word == "repeat") {
      in >> times >> word >> builder.every;
      if (!in || times < 1) throw std::runtime_error("no repetition: " + line);
    } else if (word == "end") {
      for (builder.repetition = 0; builder.repetition < times; ++builder.repetition) {
        for (const std::string& row : repeated) builder.row(row);
      }
      builder.repetition = times = 0;
      repeated.clear();
    } else if (times > 0) {
      repeated.push_back(line);
    } else {
      builder.row(line);
    }
  }
  synth::sort_events(builder.recording);
  return std::move(builder.recording);
}

Trace trace_of(const std::string& rows) {
  return read_bytes(synth::xspace_bytes(recording_of(rows)));
}

}  // namespace jaxtrace::rows
