// Idle is what lies between the end of the latest instruction before (or the wave's begin) and the
// first attempt to issue: so the decoder defines it, and so all files checked agree.
#include "att/verify.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace jaxtrace {
namespace {

auto numbers(const Cycles& cycles) {
  return std::tie(cycles.hits, cycles.latency, cycles.stall, cycles.idle);
}

bool exceeds(const Cycles& a, const Cycles& b) {
  return a.hits > b.hits || a.latency > b.latency || a.stall > b.stall || a.idle > b.idle;
}

}  // namespace

void Verifier::add(const Wave& wave) {
  ++waves_;
  std::int64_t end = wave.begin;
  for (const WaveStep& step : wave.steps) {
    lines_[step.line].add(
        {1, step.duration, step.stall, std::max<std::int64_t>(0, step.begin - end)});
    end = std::max(end, step.begin + step.duration);
  }
}

Verification Verifier::finish(const ThreadTrace& trace) const {
  Verification result;
  result.waves = waves_;
  result.all_waves = waves_ > 0 && waves_ >= trace.waves_listed;

  // Instructions outside of any symbol may share a number.
  std::map<std::int64_t, VerifiedLine> lines;
  for (const Instruction& instruction : trace.instructions) {
    if (instruction.damaged) continue;
    lines[instruction.line].in_code.add(cycles_of(instruction));
  }
  for (const auto& [line, cycles] : lines_) lines[line].in_waves = cycles;
  for (auto& [number, line] : lines) {
    line.line = number;
    ++result.lines;
    const bool wrong = result.all_waves ? numbers(line.in_code) != numbers(line.in_waves)
                                        : exceeds(line.in_waves, line.in_code);
    if (wrong && waves_ > 0) result.wrong.push_back(line);
  }
  return result;
}

}  // namespace jaxtrace
