// A host thread of a world: a clock, and the nested events that a tracer sees on it.
#pragma once

#include <string_view>
#include <vector>

#include "support/world.h"

namespace jaxtrace::world {

inline constexpr Ps kStart = 10'000 * kUs;

struct Thread {
  synth::Recording& recording;
  std::size_t line;      ///< TraceMe and Python
  std::size_t api_line;  ///< Calls of the driver
  Ps now = kStart;
  std::vector<std::size_t> open{};

  std::vector<synth::HostEvent>& events() const { return recording.host_lines[line].events; }

  void begin(std::string_view name) {
    open.push_back(events().size());
    events().push_back({.start_ps = now, .name = recording.strings.intern(name)});
  }
  void stat(std::string_view key, std::int64_t value) const {
    events()[open.back()].stats.emplace_back(recording.strings.intern(key), value);
  }
  void end() {
    synth::HostEvent& event = events()[open.back()];
    event.duration_ps = now - event.start_ps;
    open.pop_back();
  }
  void spend(Ps time) { now += time; }
  void spend(std::string_view name, Ps time) {
    if (time == 0) return;
    begin(name);
    spend(time);
    end();
  }
  void wait(std::string_view name, Ps until) {
    if (until <= now) return;
    spend(name, until - now);
  }
};

}  // namespace jaxtrace::world
