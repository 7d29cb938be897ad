// Who is to blame for a stretch of time in which a GPU waited for its host.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "skip/coverage.h"
#include "skip/host_class.h"
#include "skip/host_time.h"

namespace jaxtrace {

/// What a host event is, by its name.
struct HostName {
  HostClass cls = HostClass::other;
  bool wait = false;   ///< is_wait()
  bool frame = false;  ///< A frame of the Python tracer
  std::string plain;   ///< As causes are named: plain_host_name, "(thunk)", "(kernel launch)"
};

/// Names are looked at once each.  What it returns lives as long as it.
class HostNames {
 public:
  explicit HostNames(const Trace& trace);
  /// `launches`: the event has a correlation id, so that it is a driver call.
  const HostName& of(StringId name, bool launches = false);
  const HostName& of_event(std::uint32_t event) {
    return of(trace_.events.name[event], trace_.events.correlation[event] != 0);
  }

 private:
  HostName describe(StringId name, bool launches) const;

  const Trace& trace_;
  std::unordered_set<StringId> ops_;
  std::vector<std::uint32_t> rows_;  ///< By name, twice: of `names_` from 1; 0 not yet looked at
  std::deque<HostName> names_;
};

/// A piece of a gap, and what is blamed for it; event kNoEvent: nothing was open.
struct BlamedPiece {
  std::uint32_t thread;  ///< Row of Trace::lanes
  std::uint32_t event;
  Picoseconds time;
};

struct BlamedThread {
  std::uint32_t lane = kNoEvent;
  std::vector<std::uint32_t> lanes;  ///< Its TraceMe lane and its API lanes
  HostThread time;
  Coverage active;        ///< An event was open that did not only wait
  bool observed = false;  ///< It has events other than driver calls
};

class Blamer {
 public:
  Blamer(const Trace& trace, const Works& works, HostNames& names);

  /// Divides `window` among threads and events; sums to it.
  void blame(std::uint32_t launcher, Window window, std::vector<BlamedPiece>& pieces);

  /// A wait, on the launching thread or on the one that feeds it, that was open at `idle_since` and
  /// ended soon after; kNoEvent if none.
  std::uint32_t sync_before(std::uint32_t launcher, Picoseconds idle_since);

  /// What to call time without an event: `(unobserved)` on a thread of which only driver calls
  /// were recorded, `(no event)` else.
  std::string_view nothing_on(std::uint32_t lane);

  const BlamedThread& thread(std::uint32_t lane);

  /// The thread that dispatches on a host and so feeds the launching ones; kNoEvent if none is
  /// seen.
  std::uint32_t feeder(HostId host) const;
  std::uint64_t cut_events() const;

 private:
  const BlamedThread* feeder_of(std::uint32_t launcher);

  const Trace& trace_;
  HostNames& names_;
  std::map<HostId, std::uint32_t> feeders_;  ///< Lanes
  std::map<std::uint32_t, std::set<std::uint32_t>> api_;
  std::map<std::uint32_t, BlamedThread> threads_;
};

}  // namespace jaxtrace
