// Any bytes may become a swimlane: the critical path of every step fills it, and the drawing stays
// small.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "commands/investigate/swimlane.h"
#include "fuzz/memory_file.h"
#include "jaxtrace/error.h"
#include "jaxtrace/readers.h"

namespace {

using namespace jaxtrace;

void require_whole(const CriticalPath& path) {
  Picoseconds now = path.window.begin, sum{0};
  for (const PathSegment& segment : path.segments) {
    require(segment.window.begin == now && segment.window.end > now);
    now = segment.window.end;
  }
  require(path.segments.empty() || now == path.window.end);
  for (const Picoseconds time : path.time) sum += time;
  require(sum == path.window.length());
}

void run(const Trace& trace) {
  const SkipStats stats = skip_stats(trace);
  const Scope scope{trace, stats.works, stats.timelines, stats.steps};
  const AlignedCollectives aligned =
      align_collectives(trace, stats.works, stats.timelines, stats.steps);
  constexpr std::size_t kMostSteps = 50;
  for (std::size_t s = 0; s < std::min(stats.steps.steps.size(), kMostSteps); ++s) {
    require_whole(critical_path(scope, aligned, s, stats.verdict.device));
  }
  const auto step = shown_step(stats.steps);
  if (!step) return;
  const CriticalPath path = critical_path(scope, aligned, *step, stats.verdict.device);
  const Swimlane lanes = swimlane(trace, stats, aligned, path);
  const std::string drawn = svg(lanes), text = ascii(lanes);
  require(drawn.empty() == path.segments.empty());
  require(drawn.size() < 2'000'000);
  require(std::ranges::count(text, '\n') <= 30);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file(data, size);
  try {
    run(read_capture(file.path()));
  } catch (const InputError&) {
    // Most inputs are no captures.
  }
  return 0;
}
