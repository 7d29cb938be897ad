// A swimlane under construction: the order of work is that of its functions.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "commands/investigate/bars.h"
#include "commands/investigate/swimlane.h"
#include "commands/investigate/swimlane_words.h"

namespace jaxtrace {

/// A lane, and what is on it before merging.
struct RawLane {
  SwimLane lane;
  std::vector<RawBar> raw;
};

struct SwimlaneBuilder {
  const Trace& trace;
  const SkipStats& stats;
  const AlignedCollectives& collectives;
  const CriticalPath& path;
  InstructionOf instruction;
  HostNames names;
  Blamer blamer;
  Swimlane out{};
  std::vector<RawLane> lanes{};
  std::vector<std::size_t> gpus{};                        // Rows of the timelines
  std::map<std::uint32_t, std::size_t> lane_of_thread{};  // Row of Trace::lanes to row of `lanes`
  std::map<std::size_t, std::size_t> lane_of_stream{};    // Likewise
  std::map<std::size_t, std::size_t> idle_of{};           // Row of the timelines to row of `lanes`
  std::size_t path_lane = 0;

  SwimlaneBuilder(const Trace& of, const SkipStats& in, const AlignedCollectives& aligned,
                  const CriticalPath& along, InstructionOf instruction_of)
      : trace(of),
        stats(in),
        collectives(aligned),
        path(along),
        instruction(std::move(instruction_of)),
        names(of),
        blamer(of, in.works, names) {}

  BarLabel label(std::uint32_t event) const { return event_label(trace, event, instruction); }
  bool in_step(std::uint32_t event) const { return stats.steps.step_of[event] == path.step; }
  HostId host() const { return trace.devices[device_row(path.device)].host; }
  std::size_t device_row(std::size_t timeline) const {
    return static_cast<std::size_t>(stats.timelines[timeline].device);
  }

  void choose_gpus();
  void choose_axis();
  bool is_seen(std::uint32_t thread);
  void add_threads();
  void add_thread(std::uint32_t thread, bool two_lanes);
  void add_path();
  void add_gpu(std::size_t gpu);
  void add_streams(std::size_t gpu, std::size_t group);
  void place_path();
  void add_arrivals();
  void add_flows();
  void add_flow(std::uint32_t event);
  void finish_bars();
  void add_ticks();
  std::size_t add_lane(SwimLane::Kind kind, std::size_t group, std::string label);
  void add_raw(std::size_t lane, Window window, BarClass cls, std::uint32_t event);
};

}  // namespace jaxtrace
