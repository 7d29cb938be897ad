// The trace model: everything jaxtrace knows about one capture.
//
// Readers fill a Trace once, through TraceBuilder; from then on it is constant.  Analyses take a
// `const Trace&` and return a result, so they can be tested without a file and run in any order.
//
// Rows live in columns only where they are many.  A large capture holds tens of millions of events,
// and an analysis reads two or three fields of each, so the fields of an event are spread over
// parallel vectors.  What repeats from event to event (what the tracer said of the program, launch
// dimensions) is kept once and referred to.  Every other table is a vector of plain structs.
//
// These headers are internal: what is stable is the command line, the exit codes and the outputs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "jaxtrace/finding.h"
#include "jaxtrace/string_pool.h"

namespace jaxtrace {

/// Trace time.  Profilers record picoseconds; 64 bits of them span 106 days, but not the years
/// since 1970, so times count from the start of the profiling session (Host::origin_ns).
using Picoseconds = std::chrono::duration<std::int64_t, std::pico>;

/// Rows of Trace tables.  Distinct types, so that a lane cannot be looked up with a device's
/// number.
enum class HostId : std::uint16_t {};
enum class DeviceId : std::uint32_t { none = 0xffffffff };
enum class AnnotationId : std::uint32_t { none = 0 };  ///< Row 0 is the empty annotation.
enum class DetailsId : std::uint32_t { none = 0 };     ///< Row 0 is "no details".

inline constexpr std::int64_t kNoProgram = -1;
inline constexpr std::int64_t kNoAgent = -1;

/// One profiled process: one *.xplane.pb.  Correlation ids and program ids mean nothing outside it.
struct Host {
  StringId name = StringId::empty;  ///< File name without `.xplane.pb`; unique within the capture.
  StringId file = StringId::empty;  ///< Path as given by the user, for messages.
  std::int64_t origin_ns = 0;  ///< What was taken off each line's timestamp; 0 in ordinary files.
  std::optional<std::int64_t> profile_start_ns;  ///< Since 1970, from the "Task Environment" plane.
  std::optional<std::int64_t> profile_stop_ns;
  bool partial = false;  ///< The file was cut or damaged; what could be read was.
};

/// One GPU of one host, as its plane describes it.  Absent where the plane does not say.
struct Device {
  HostId host;
  StringId plane = StringId::empty;  ///< "/device:GPU:0"
  int ordinal = 0;
  StringId vendor = StringId::empty;  ///< "Nvidia", "AMD", empty
  StringId model = StringId::empty;   ///< gpu_device_name: "NVIDIA H100 80GB HBM3", "gfx942", empty
  std::optional<std::int64_t> compute_units;
  std::optional<std::int64_t> clock_khz;
  std::optional<std::int64_t> memory_bytes;
  std::optional<std::int64_t> bandwidth_bytes_per_s;  ///< Half of the truth on AMD; see formats.md.
  std::optional<std::int64_t> compute_capability_major;
  std::optional<std::int64_t> compute_capability_minor;
};

enum class LaneKind : std::uint8_t {
  stream,  ///< A GPU stream or queue: its events are device work.
  host,    ///< A host thread: TraceMe, Python and driver-API events.
};

/// One row of a timeline.  Its events are the rows [first, first + count) of Trace::events, by
/// begin time, then longer first.
struct Lane {
  HostId host;
  LaneKind kind;
  DeviceId device = DeviceId::none;  ///< none for host lanes
  StringId name = StringId::empty;   ///< "Stream #16(MemcpyD2D,Compute)", "py_xla_execute/-7346000"
  std::int64_t id = 0;  ///< XLine.id: stream number, or a thread's hash (often negative)
  std::size_t first = 0;
  std::size_t count = 0;
};

/// What the tracer wrote on an event about the XLA program it belongs to.  Few are distinct.
struct Annotation {
  /// "loop_fusion.1", "command_buffer_6", "call.2"; empty if none.
  StringId hlo_op = StringId::empty;
  StringId hlo_module = StringId::empty;  ///< "jit_step"
  StringId op_name = StringId::empty;     ///< stat `name`: XLA's op_name without `prefix`
  StringId prefix = StringId::empty;  ///< stat `prefix`: the part of op_name common to the module
  StringId tf_op = StringId::empty;   ///< "XlaModule:"
  std::int64_t program_id = kNoProgram;
  std::uint64_t graph_id = 0;  ///< cuda_graph_id, 0 if none
  std::uint64_t graph_exec_id =
      0;  ///< cuda_graph_exec_id: the event stands for a whole graph launch

  /// device_id of a host call: a device's ordinal, or with rocprofiler-sdk the handle of an agent.
  /// kNoAgent for device work, whose lane says where it ran.
  std::int64_t agent = kNoAgent;

  bool operator==(const Annotation&) const = default;
};

/// kernel_details, memcpy_details, memset_details …: one distinct text, and what it says.
struct Details {
  enum class Of : std::uint8_t { nothing, kernel, memcpy, memset, memory };
  Of of = Of::nothing;
  StringId text = StringId::empty;         ///< As written; never empty but in row 0.
  std::optional<std::uint64_t> bytes;      ///< `size` of a copy, `num_bytes` of a memset
  std::uint32_t grid[3] = {0, 0, 0};       ///< In workgroups (blocks); 0 where not said
  std::uint32_t block[3] = {0, 0, 0};      ///< In work-items (threads)
  std::optional<std::uint32_t> registers;  ///< Absent if missing or impossible (over 1024)
};

/// What happened, when.  Column i of every vector describes event i; the events of a lane are
/// contiguous, and the events of all stream lanes come before those of all host lanes.
struct Events {
  std::vector<Picoseconds> begin;
  std::vector<Picoseconds> duration;  ///< As the file says, be it negative: see analysis/damage.h.
  std::vector<StringId> name;
  std::vector<AnnotationId> annotation;
  std::vector<DetailsId> details;
  std::vector<std::uint64_t> correlation;  ///< Joins device work to its host call; 0 if none.

  /// cuda_graph_node_id.  Empty if no event of the capture has one, else 0 where there is none.
  std::vector<std::uint64_t> graph_node;

  std::size_t size() const { return begin.size(); }
};

/// A whitelisted numeric stat of a host event: step_num, num_commands, num_executions, device,
/// run_id, device_ordinal, iteration, group_id …  Sorted by event, then key text.
struct EventStat {
  std::size_t event = 0;
  StringId key = StringId::empty;
  std::int64_t value = 0;
};

/// A compiled program whose HLO the capture carries.
struct Module {
  HostId host;
  StringId name = StringId::empty;  ///< "jit_step", without "(17)"
  std::int64_t program_id = kNoProgram;
  std::string hlo_proto;  ///< Serialized HloProto; empty if the capture lists the module only.
};

struct Trace {
  StringPool strings;
  std::vector<Host> hosts;      ///< By name.
  std::vector<Device> devices;  ///< By host, then ordinal; also those without events.
  std::vector<Lane> lanes;      ///< Stream lanes first, by device, name, id; then host lanes.
  Events events;
  std::size_t device_events = 0;  ///< Events [0, device_events) are those of stream lanes.
  std::vector<Annotation> annotations;
  std::vector<Details> details;
  std::vector<EventStat> stats;
  std::vector<Module> modules;     ///< By host, then program id.
  std::vector<std::string> notes;  ///< What was chosen where there was a choice (which run, …).
  std::vector<Finding> findings;
};

}  // namespace jaxtrace
