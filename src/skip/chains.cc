// Windows of every length over the kernels' names, counted by a hash that is checked against the
// names themselves.
#include "skip/chains.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analysis/times.h"
#include "skip/host_class.h"
#include "skip/work_names.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kMostKernels = 50'000;
constexpr std::size_t kMostChains = 200;  // Listed

/// Kernels of a device, stream by stream; no chain crosses the begin of a segment.
struct Sequence {
  std::vector<std::uint32_t> events;
  std::vector<bool> begins_segment;
  bool limited = false;
};

/// When the threads of a host waited.
std::map<std::uint32_t, std::vector<Picoseconds>> find_waits(const Trace& trace,
                                                             const Works& works) {
  std::map<std::uint32_t, std::vector<Picoseconds>> waits;
  for (std::size_t i = 0; i < trace.device_events; ++i) {
    if (works.thread[i] != kNoEvent) waits.try_emplace(works.thread[i]);
  }
  for (auto& [l, begins] : waits) {
    std::unordered_map<StringId, bool> is_wait_name;
    const Lane& lane = trace.lanes[l];
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      const auto [at, added] = is_wait_name.try_emplace(trace.events.name[i], false);
      if (added) at->second = is_wait(trace.strings[trace.events.name[i]]);
      if (at->second) begins.push_back(trace.events.begin[i]);
    }
  }
  return waits;
}

Sequence make_sequence(const Scope& scope, std::size_t device) {
  const Trace& trace = scope.trace;
  const Works& works = scope.works;
  const auto waits = find_waits(trace, works);
  Sequence out;
  const auto waited_between = [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t first = works.launches.call[a], second = works.launches.call[b];
    if (first == kNoEvent || second == kNoEvent || works.thread[a] != works.thread[b]) return false;
    const auto& begins = waits.at(works.thread[a]);
    const auto after = std::ranges::lower_bound(begins, trace.events.begin[first]);
    return after != begins.end() && *after < trace.events.begin[second];
  };
  for (const std::size_t l : scope.timelines[device].lanes) {
    bool begins = true;
    for (const std::uint32_t event : lane_order(trace, works, l)) {
      if (!is_kept(scope.steps, event)) {
        begins = true;
        continue;
      }
      if (out.events.size() == kMostKernels) {
        out.limited = true;
        return out;
      }
      if (!begins) {
        const std::uint32_t last = out.events.back();
        begins =
            scope.steps.step_of[last] != scope.steps.step_of[event] || waited_between(last, event);
      }
      out.events.push_back(event);
      out.begins_segment.push_back(begins);
      begins = false;
    }
  }
  return out;
}

/// One distinct chain: where it was met first, and everywhere.
struct Found {
  std::size_t length = 0;
  std::vector<std::size_t> places;
};

bool is_fusable(const Trace& trace, const Works& works, std::uint32_t event) {
  return works.cls[event] == WorkClass::compute &&
         !is_library_kernel(trace.strings[trace.events.name[event]]);
}

std::vector<Found> find_repeats(const Scope& scope, const Sequence& sequence,
                                const std::map<StringId, std::uint64_t>& counts, double threshold,
                                std::size_t longest) {
  const auto name = [&](std::size_t i) { return scope.trace.events.name[sequence.events[i]]; };
  std::vector<Found> out;
  for (std::size_t length = 2; length <= longest; ++length) {
    std::unordered_map<std::uint64_t, Found> found;
    std::size_t run = 0;  // Kernels of the present segment so far
    for (std::size_t i = 0; i < sequence.events.size(); ++i) {
      run = sequence.begins_segment[i] ? 1 : run + 1;
      if (run < length) continue;
      const std::size_t first = i + 1 - length;
      std::uint64_t hash = length;
      for (std::size_t k = first; k <= i; ++k) {
        hash = (hash ^ static_cast<std::uint64_t>(name(k))) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 29U;
      }
      Found& at = found[hash];
      if (!at.places.empty()) {
        bool same = true;
        for (std::size_t k = 0; k < length && same; ++k) {
          same = name(at.places[0] + k) == name(first + k);
        }
        if (!same) continue;
      }
      at.length = length;
      at.places.push_back(first);
    }
    for (auto& [hash, at] : found) {
      if (at.places.size() < 2) continue;
      const auto of_first = static_cast<double>(counts.at(name(at.places[0])));
      if (static_cast<double>(at.places.size()) >= threshold * of_first)
        out.push_back(std::move(at));
    }
  }
  return out;
}

}  // namespace

Chains find_chains(const Scope& scope, std::size_t device, double threshold, std::size_t longest) {
  const Trace& trace = scope.trace;
  const Sequence sequence = make_sequence(scope, device);
  const std::vector<std::uint32_t>& events = sequence.events;
  Chains out;
  out.kernels = events.size();
  out.launches = events.size();
  out.limited = sequence.limited;
  out.host_gaps.resize(scope.steps.steps.size());

  std::map<StringId, std::uint64_t> counts;
  for (const std::uint32_t event : events) ++counts[trace.events.name[event]];
  std::vector<Found> found = find_repeats(scope, sequence, counts, threshold, longest);
  const auto saved = [](const Found& f) { return f.places.size() * (f.length - 1); };
  std::ranges::sort(found, [&](const Found& a, const Found& b) {
    return std::tuple(b.length, saved(b), a.places[0]) <
           std::tuple(a.length, saved(a), b.places[0]);
  });

  std::vector<bool> used(events.size(), false);
  for (const Found& f : found) {
    Chain chain;
    chain.count = f.places.size();
    for (std::size_t k = 0; k < f.length; ++k) {
      const std::uint32_t event = events[f.places[0] + k];
      chain.kernels.push_back(trace.events.name[event]);
      chain.fusable = chain.fusable && is_fusable(trace, scope.works, event);
    }
    chain.first_count = counts.at(chain.kernels[0]);
    for (const std::size_t place : f.places) {
      const auto begin = used.begin() + static_cast<std::ptrdiff_t>(place);
      const auto end = begin + static_cast<std::ptrdiff_t>(f.length);
      const bool chosen = chain.fusable && std::find(begin, end, true) == end;
      if (chosen) {
        std::fill(begin, end, true);
        ++chain.chosen;
      }
      for (std::size_t k = 0; k < f.length; ++k) {
        const std::uint32_t event = events[place + k];
        add_time(chain.time, trace.events.duration[event]);
        if (k == 0) continue;
        const std::uint32_t last = events[place + k - 1];
        const Window window{trace.events.begin[last] + trace.events.duration[last],
                            trace.events.begin[event]};
        if (window.length() <= Picoseconds{0}) continue;
        add_time(chain.gaps, window.length());
        if (const std::uint32_t step = scope.steps.step_of[event]; chosen && step != kNoStep) {
          out.host_gaps[step] += split_gap(trace, scope.works, {window, last, event}).host();
        }
      }
    }
    out.launches_fused += chain.chosen * (f.length - 1);
    out.chains.push_back(std::move(chain));
  }
  out.launches_fused = out.launches - out.launches_fused;
  std::stable_partition(out.chains.begin(), out.chains.end(),
                        [](const Chain& c) { return c.chosen > 0; });
  if (out.chains.size() > kMostChains) out.chains.resize(kMostChains);
  return out;
}

}  // namespace jaxtrace
