// Trace files as viewers take them: parsed without forgiveness, with exact times, and checked for
// what makes a viewer drop or misplace an event.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jaxtrace/trace.h"

namespace jaxtrace {

/// An element of traceEvents.
struct ViewedEvent {
  std::string phase, name, cat, cname, bind;
  std::int64_t process = -1, thread = -1, id = -1;
  std::int64_t begin = -1, duration = -1;   ///< Picoseconds
  std::map<std::string, std::string> args;  ///< Numbers as written
};

struct ViewedTrace {
  std::vector<ViewedEvent> events;
  std::map<std::int64_t, std::string> processes;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> threads;

  const std::string& process_of(const ViewedEvent& event) const;
  const std::string& thread_of(const ViewedEvent& event) const;

  /// Slices of threads whose name begins so.
  std::vector<const ViewedEvent*> slices(std::string_view thread) const;
};

/// Throws std::runtime_error at what is no JSON, not UTF-8, or no trace; and at times that are no
/// decimals of picoseconds.
ViewedTrace view_trace(const std::string& json);

/// What a viewer would stumble over, one sentence each; empty if all is well.
std::vector<std::string> faults_of(const ViewedTrace& trace);

}  // namespace jaxtrace
