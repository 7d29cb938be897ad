// A capture in memory, before it is written: what each device and host thread did, what the tracer
// says of it (`shown`), and what is true.
//
// Simulation fills it, mutations damage it, write_xplane.h turns it into a file.  The truth rows
// are made from what is left, so they always speak of the events that are in the file.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "jaxtrace/string_pool.h"

namespace jaxtrace::synth {

/// Whose tracer made the capture.
enum class Style : std::uint8_t {
  cuda,       ///< CUPTI: host launches named as the kernels, graph ids, memcpy events
  rocm,       ///< rocprofiler-sdk: `.kd` names, API lines of their own, copies as kernels
  roctracer,  ///< host launches named as the kernels and without annotation, no `.kd`
};

inline constexpr std::uint32_t kNoProgram = std::numeric_limits<std::uint32_t>::max();

enum class EventKind : std::uint8_t { kernel, memcpy, memset, graph_launch, memory, overhead };

struct DeviceEvent {
  std::int64_t start_ps = 0;  ///< Session clock: line timestamp · 1000 + offset.
  std::int64_t duration_ps = 0;
  StringId kernel = StringId::empty;

  // Truth.
  StringId op = StringId::empty;      ///< The HLO instruction, as a capture without graphs names it
  StringId within = StringId::empty;  ///< The instruction around it: async start, dynamic slice …
  bool in_graph = false;

  // What the tracer writes.
  EventKind kind = EventKind::kernel;
  StringId shown_op = StringId::empty;  ///< Stat hlo_op; empty: not written
  StringId op_name = StringId::empty;   ///< Stat name
  StringId details = StringId::empty;   ///< Stat kernel_details, memcpy_details …
  std::uint32_t program = kNoProgram;   ///< Row of Recording::programs; none: no XLA stats at all
  std::uint64_t correlation = 0;        ///< 0: not written
  std::uint64_t graph_id = 0;           ///< cuda_graph_id, 0: not written
  std::uint64_t node_id = 0;            ///< cuda_graph_node_id, 0: not written
  std::uint32_t call = 0;               ///< Which launch, before ids are given out
  std::uint32_t step = 0;
};

/// A stream.
struct DeviceLine {
  std::int64_t id = 0;
  std::string name;  ///< Empty: "Stream #<id>(<types>)" by what is on it.
  std::vector<DeviceEvent> events;
};

struct HostEvent {
  std::int64_t start_ps = 0;
  std::int64_t duration_ps = 0;
  StringId name = StringId::empty;
  std::uint64_t correlation = 0;
  std::int64_t device_id = -1;          ///< -1: not written
  StringId shown_op = StringId::empty;  ///< ROCm writes the annotation on the launch, too
  std::uint32_t program = kNoProgram;
  std::uint32_t call = 0;  ///< Which launch, before ids are given out; 0 if none.
  std::vector<std::pair<StringId, std::int64_t>> stats{};  ///< step_num, num_commands …
};

struct HostLine {
  std::int64_t id = 0;
  std::string name;
  std::vector<HostEvent> events;
};

struct Device {
  int ordinal = 0;
  std::vector<DeviceLine> lines;
  std::vector<HostLine> derived;  ///< "XLA Ops", "Steps": what XProf adds, never device work.
};

/// What the capture says of a program.
struct RecordedProgram {
  std::string module;
  std::int64_t program_id = 0;
  std::string hlo;  ///< Empty: no "Hlo Proto" stat.
};

/// One *.xplane.pb.
struct Recording {
  std::string host = "host0";
  Style style = Style::cuda;
  StringPool strings;
  std::vector<RecordedProgram> programs;
  std::vector<Device> devices;
  std::vector<HostLine> host_lines;
  std::vector<std::int64_t> step_starts_ps;
  std::vector<std::string> errors, warnings;
};

/// One device event of a file and the instruction that it belongs to.
struct TruthRow {
  std::string host{}, device{}, line{};
  std::int64_t start_ps = 0;
  std::int64_t duration_ps = 0;
  std::string kernel{};
  std::string hlo_op{};  ///< Empty: no instruction's.
  bool in_graph = false;
  std::string within{};  ///< The instruction around it, where that is another: async start …
};

/// By device, line and start, as in the file.
std::vector<TruthRow> truth_of(const Recording& recording);
void write_truth(const Recording& recording, std::ostream& out);

/// host,device,line,start_ps,duration_ps,kernel,hlo_op,in_graph,within
void write_truth_header(std::ostream& out);

/// The name a line has in the file.
std::string line_name(const Recording& recording, const DeviceLine& line);

/// Sorts events by start, longer first, and every host line likewise.
void sort_events(Recording& recording);

}  // namespace jaxtrace::synth
