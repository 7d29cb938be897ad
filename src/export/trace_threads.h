// Processes and threads of a trace file: numbers, names and the order in which viewers show them.
//
// Numbers are those of the profiler's own trace JSON where they are free: GPU n is process n + 1, a
// host process 701, a stream's thread the stream's number, a host thread's the lower half of its
// id.  With several hosts, process numbers of the k-th (from 0) are 1000 (k + 1) higher and names
// begin with the host's.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jaxtrace/trace.h"

namespace jaxtrace {

/// A thread of the file.
struct TraceThread {
  std::uint32_t process = 0, thread = 0;
};

class TraceThreads {
 public:
  explicit TraceThreads(const Trace& trace) : trace_(trace) {}

  /// The process of a GPU or, with DeviceId::none, of a host's threads; named when first asked for.
  std::uint32_t process(HostId host, DeviceId device);

  /// A new thread, below all that its process has so far; its number is `wish` or the next free.
  TraceThread add(std::uint32_t process, std::uint32_t wish, std::string_view name);

  /// The metadata events, each followed by a comma and a line feed.
  std::string metadata() const;

 private:
  struct ProcessRow {
    std::string name, label;
    std::set<std::uint32_t> taken;
    std::vector<std::pair<std::uint32_t, std::string>> threads;  ///< In the order of the screen
  };

  const Trace& trace_;
  std::map<std::uint32_t, ProcessRow> processes_;
  std::map<std::pair<HostId, DeviceId>, std::uint32_t> known_;
};

}  // namespace jaxtrace
