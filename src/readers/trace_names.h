// Who is who in a trace JSON: its metadata events give processes and threads their names.
//
//   {"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}}
//   {"ph":"M","pid":1,"tid":16,"name":"thread_name","args":{"name":"Stream #16(Compute)"}}
//
// A process is a plane of the profile, a thread a line of it; numbers mean nothing beyond the file.
// Tools that put several hosts into one file call a process "<host> /device:GPU:0".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "readers/trace_events.h"

namespace jaxtrace {

struct TraceProcess {
  std::string name;        ///< As written.
  std::string host;        ///< What stands before the plane; usually empty.
  std::string plane;       ///< "/device:GPU:0", "/host:CPU"; `name` if it is neither.
  std::optional<int> gpu;  ///< N of `/device:GPU:N`.
  bool is_host = false;    ///< Its threads are threads of a host.
};

struct ThreadKey {
  std::int64_t process = 0;
  std::int64_t thread = 0;

  auto operator<=>(const ThreadKey&) const = default;
};

struct ThreadKeyHash {
  std::size_t operator()(const ThreadKey& key) const {
    return static_cast<std::size_t>(
        (static_cast<std::uint64_t>(key.process) << 32U ^ static_cast<std::uint64_t>(key.thread)) *
            0x9e3779b97f4a7c15ULL >>
        8U);
  }
};

/// What the events of a thread are.
enum class ThreadRole : std::uint8_t {
  unknown,   ///< It has no name, or its process has none.
  stream,    ///< Device work.
  ops,       ///< Instructions, which a tool derived from the streams.
  thread,    ///< What a host thread did.
  left_out,  ///< Something else.
};

class TraceNames {
 public:
  /// Takes what an event of phase M says.  Of two names the first counts.
  void learn(const TraceEvent& event);

  ThreadRole role_of(const ThreadKey& key) const;

  /// nullptr if it has no name.
  const TraceProcess* process(std::int64_t id) const;
  const std::map<std::int64_t, TraceProcess>& processes() const { return processes_; }

  /// nullptr if it has no name; a name may be empty.
  const std::string* thread(const ThreadKey& key) const;

  /// Whether one of the threads of a process is a stream.
  bool has_streams(std::int64_t process) const { return streams_.contains(process); }

  /// Threads that were given two different names.
  std::uint64_t shared() const { return shared_.size(); }

 private:
  std::map<std::int64_t, TraceProcess> processes_;
  std::unordered_map<ThreadKey, std::string, ThreadKeyHash> threads_;
  std::set<std::int64_t> streams_;
  std::set<ThreadKey> shared_;
};

}  // namespace jaxtrace
