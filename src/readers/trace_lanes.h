// Events of a trace JSON to lanes of a Trace, in bounded memory.
//
// Events come in any order of threads (a file that was cut at the writer's limit is in order of
// time), while a TraceBuilder takes one lane at a time: so the rows of each lane are kept until
// there are enough of them.  What an event is depends on the name of its thread.  The profiler
// writes names first; where another writer did not, the events of a thread whose name was not known
// yet are put off, and read when all names are known, in a second pass over the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "jaxtrace/trace_builder.h"
#include "readers/notes.h"
#include "readers/trace_names.h"
#include "readers/trace_rows.h"

namespace jaxtrace {

/// Where the processes of a file belong.
struct TraceHosts {
  std::string file_host;      ///< Of processes that name none.
  std::string path;           ///< For messages.
  bool among_others = false;  ///< The capture has more files, which may name the same hosts.
};

class TraceLanes {
 public:
  TraceLanes(const TraceNames& names, TraceHosts hosts, TraceBuilder& builder);

  /// Adds an event of phase X.
  void add(const TraceEvent& event);

  /// The first pass is over.  True if a second is needed.
  bool begin_second_pass();

  /// All passes are over: hands over what is left, and says what was odd.
  void finish();

  /// The hosts that the file speaks of.
  std::vector<HostId> hosts() const;

 private:
  struct Process {
    HostId host{};
    DeviceId device = DeviceId::none;
    Oddities odd{};
    std::uint64_t device_events = 0;
  };

  struct OpenLane {
    ThreadKey key;
    ThreadRole role = ThreadRole::unknown;
    bool put_off = false;      // To the second pass.
    std::uint64_t events = 0;  // Of those that were put off or left out.
    Process* process = nullptr;
    Lane lane{};
    std::vector<EventRow> rows;
    std::vector<EventStat> numbers;  // EventStat::event is an index into `rows`.
  };

  static bool is_read(const OpenLane& lane);
  OpenLane& lane_of(const ThreadKey& key);
  void add_processes();
  Process& process_of(std::int64_t id);
  void open(OpenLane& lane);
  void read(OpenLane& lane, const TraceEvent& event);
  void flush(OpenLane& lane);
  void flush_all();
  void settle(OpenLane& lane);
  void note_left_out(const OpenLane& lane);
  void note_processes();
  std::string_view host_name(HostId id) const;

  const TraceNames& names_;
  TraceHosts files_;
  TraceBuilder& builder_;
  TraceRows rows_;
  TraceRow row_;
  std::map<std::string, HostId> hosts_;                         // By name.
  std::map<std::pair<HostId, std::string>, DeviceId> devices_;  // By plane.
  std::map<std::int64_t, Process> processes_;
  std::unordered_map<ThreadKey, OpenLane, ThreadKeyHash> lanes_;
  OpenLane* last_ = nullptr;     // The lane of the event before.
  OpenLane* flushed_ = nullptr;  // The lane that the builder has open.
  std::size_t pending_ = 0;      // Rows of all lanes.
  bool second_ = false;
};

}  // namespace jaxtrace
