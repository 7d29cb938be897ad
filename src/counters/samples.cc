// Passes are separate runs of the program.  That the third dispatch of a kernel in one is the third
// in the other holds only if both ran the kernel in the same dispatches with the same grids; and
// recordings with the same counters are no passes but processes, whose dispatches are all
// different.
#include "counters/samples.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace jaxtrace {
namespace {

struct Run {
  std::span<const std::uint32_t> dispatches;
  std::uint32_t counters = 0;  ///< A bit each
  bool uneven = false;         ///< Not every dispatch has all of them
};

std::uint32_t counters_of(const CounterData& data, const CountedDispatch& dispatch) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < dispatch.values; ++i) {
    bits |= 1U << static_cast<unsigned>(data.values[dispatch.first + i].counter);
  }
  return bits;
}

/// The dispatches of each recording; they come in the order of recordings.
std::vector<Run> runs_of(const CounterData& data, std::span<const std::uint32_t> dispatches) {
  std::vector<Run> runs;
  for (std::size_t at = 0; at < dispatches.size();) {
    const std::uint32_t recording = data.dispatches[dispatches[at]].recording;
    Run run;
    std::size_t end = at;
    for (; end < dispatches.size() && data.dispatches[dispatches[end]].recording == recording;
         ++end) {
      const std::uint32_t bits = counters_of(data, data.dispatches[dispatches[end]]);
      run.uneven = run.uneven || (end > at && bits != run.counters);
      run.counters |= bits;
    }
    run.dispatches = dispatches.subspan(at, end - at);
    runs.push_back(run);
    at = end;
  }
  return runs;
}

bool same_dispatches(const CounterData& data, const Run& a, const Run& b) {
  const auto shape = [&](std::uint32_t row) {
    const CountedDispatch& at = data.dispatches[row];
    return std::tuple(at.dispatch, at.grid, at.workgroup);
  };
  return std::ranges::equal(a.dispatches, b.dispatches, {}, shape, shape);
}

/// Runs to be read side by side.
using Group = std::vector<const Run*>;

/// A run is a pass of another only if nothing else could be: the one with its counters.
std::vector<Group> groups_of(const CounterData& data, const std::vector<Run>& runs,
                             bool& passes_differ) {
  std::vector<Group> groups;
  for (const Run& run : runs) {
    const auto alone = [&](const Run& of) {
      return std::ranges::count(runs, of.counters, &Run::counters) == 1;
    };
    const auto joins = [&](const Group& group) {
      return alone(run) && alone(*group.front()) && same_dispatches(data, *group.front(), run);
    };
    const auto group = std::ranges::find_if(groups, joins);
    if (group != groups.end()) {
      group->push_back(&run);
    } else {
      groups.push_back({&run});
    }
  }
  const auto other_counters = [&](const Run& run) { return run.counters != runs[0].counters; };
  passes_differ = groups.size() > 1 && std::ranges::any_of(runs, other_counters);
  return groups;
}

void take(const CounterData& data, const CountedDispatch& dispatch, Sample& sample) {
  const Recording& recording = data.recordings[dispatch.recording];
  for (std::size_t i = 0; i < dispatch.values; ++i) {
    const CounterValue& value = data.values[dispatch.first + i];
    const auto counter = static_cast<std::size_t>(value.counter);
    if (value.counter == L2Counter::hit_percent) {
      sample.hit_percent = value.value;
      continue;
    }
    if (sample.counts[counter]) continue;  // Of two passes the first counts.
    const bool kib = value.counter == L2Counter::fetch_kib || value.counter == L2Counter::write_kib;
    sample.counts[counter] = std::llround(kib ? value.value * 1024 : value.value);
    sample.pass[counter] = dispatch.recording << 16U | recording.pass[counter];
  }
  sample.recording = dispatch.recording;
  sample.grid = dispatch.grid;
  sample.workgroup = dispatch.workgroup;
  // Bytes a second need the time of the run that counted the bytes.
  const bool reads = sample.counts[static_cast<std::size_t>(L2Counter::read)].has_value();
  const auto read_pass = sample.pass[static_cast<std::size_t>(L2Counter::read)] >> 16U;
  if (sample.duration_ns < 0 || (reads && read_pass == dispatch.recording)) {
    sample.duration_ns = dispatch.duration_ns;
  }
}

}  // namespace

bool Sample::has(std::initializer_list<L2Counter> counters) const {
  return std::ranges::all_of(counters, [&](L2Counter c) { return of(counts, c).has_value(); });
}

bool Sample::joins(std::initializer_list<L2Counter> counters) const {
  std::optional<std::uint32_t> first;
  for (const L2Counter counter : counters) {
    if (!of(counts, counter)) continue;
    const std::uint32_t at = pass[static_cast<std::size_t>(counter)];
    if (first && *first != at) return true;
    first = at;
  }
  return false;
}

SamplesSeen visit_samples(const CounterData& data, std::span<const std::uint32_t> dispatches,
                          const std::function<void(const Sample&)>& visit) {
  SamplesSeen seen;
  const std::vector<Run> runs = runs_of(data, dispatches);
  seen.multiplexed = std::ranges::any_of(runs, &Run::uneven);
  for (const Group& group : groups_of(data, runs, seen.passes_differ)) {
    for (std::size_t i = 0; i < group.front()->dispatches.size(); ++i) {
      Sample sample;
      for (const Run* const run : group) take(data, data.dispatches[run->dispatches[i]], sample);
      visit(sample);
    }
  }
  return seen;
}

}  // namespace jaxtrace
