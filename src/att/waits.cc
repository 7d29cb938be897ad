// Replays waves.  A wait for two counters at once stalls for the later of the two.  Which one that
// was, one execution does not show; the latencies that waits for a single counter showed do.
#include "att/waits.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "att/line_index.h"
#include "att/saturating.h"
#include "att/wait_queues.h"

namespace jaxtrace {
namespace {

constexpr std::int64_t kWaitIssue = 4;  // What a wait costs that has nothing to wait for.

struct Key {
  std::uint32_t wait, operation;
  WaitCounter counter;
  bool operator==(const Key&) const = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    const std::uint64_t both = (std::uint64_t{key.wait} << 32) | key.operation;
    return std::hash<std::uint64_t>{}((both + static_cast<std::uint64_t>(key.counter)) *
                                      0x9e3779b97f4a7c15u);
  }
};

/// What one (wait, operation, counter) came to.
struct Sums {
  WaitDependency all;
  // Executions that waited for this counter alone, and long enough to be a wait.
  std::int64_t alone = 0, alone_needed = 0;
};

/// Executions that waited for these operations, one for each counter.
struct Mixed {
  std::int64_t times = 0, stall = 0;
  std::vector<std::int64_t> distance;
};

bool is_listed(std::string_view isa) {
  return !mnemonic_of(isa).starts_with("s_buffer_load");  // The decoder leaves these out.
}

}  // namespace

struct WaitCollector::Replay {
  Replay(const ThreadTrace& trace, const DetectedArch& arch)
      : instructions(trace.instructions),
        table(queue_table(trace.instructions, arch)),
        index(trace.instructions),
        queues(table) {}

  void record(std::uint32_t row, const WaveStep& step);
  void compare(const Wave& wave, const std::vector<std::vector<std::int64_t>>& found);
  std::array<std::optional<std::int64_t>, kWaitCounters> typical_latency() const;
  void split_mixed();

  const std::vector<Instruction>& instructions;
  QueueTable table;
  LineIndex index;
  WaitQueues queues;
  std::unordered_map<Key, Sums, KeyHash> sums;
  std::map<std::vector<Key>, Mixed, bool (*)(const std::vector<Key>&, const std::vector<Key>&)>
      mixed{[](const std::vector<Key>& a, const std::vector<Key>& b) {
        return std::ranges::lexicographical_compare(a, b, [](const Key& x, const Key& y) {
          return std::tuple(x.wait, x.counter, x.operation) <
                 std::tuple(y.wait, y.counter, y.operation);
        });
      }};
  WaitAnalysis result;
};

void WaitCollector::Replay::record(std::uint32_t row, const WaveStep& step) {
  const auto sums_of = [&](const Awaited& a) -> Sums& {
    Sums& s = sums[{row, a.operation, a.counter}];
    WaitDependency& d = s.all;
    d.wait = row;
    d.operation = a.operation;
    d.counter = a.counter;
    d.left = a.left;
    d.carried = a.operation != kNoOperation && a.operation >= row;
    if (d.times == 0) d.exposed_cycles = 0;
    ++d.times;
    d.distance_cycles = saturating_add(d.distance_cycles, a.distance);
    d.matrix_cycles = saturating_add(d.matrix_cycles, a.matrix_cycles);
    d.matrix_between = saturating_add(d.matrix_between, a.matrix_between);
    d.issue_cycles = saturating_add(d.issue_cycles, a.issue_cycles);
    return s;
  };
  const std::vector<Awaited>& awaited = queues.awaited();
  if (awaited.size() < 2) {
    Awaited nothing;
    nothing.operation = kNoOperation;
    nothing.counter = table.waits_of_row(row).front().counter;
    nothing.left = table.waits_of_row(row).front().left;
    Sums& s = sums_of(awaited.empty() ? nothing : awaited.front());
    s.all.exposed_cycles = saturating_add(*s.all.exposed_cycles, step.stall);
    if (s.all.operation != kNoOperation && step.stall > kWaitIssue) {
      ++s.alone;
      s.alone_needed =
          saturating_add(s.alone_needed, saturating_add(awaited.front().distance, step.stall));
    }
    return;
  }
  std::vector<Key> keys;
  for (const Awaited& a : awaited) {
    sums_of(a);
    keys.push_back({row, a.operation, a.counter});
  }
  Mixed& m = mixed[keys];
  m.distance.resize(keys.size());
  ++m.times;
  m.stall = saturating_add(m.stall, step.stall);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    m.distance[k] = saturating_add(m.distance[k], awaited[k].distance);
  }
}

/// The file has a list for every wait that released something; ours must be the same, in order.
void WaitCollector::Replay::compare(const Wave& wave,
                                    const std::vector<std::vector<std::int64_t>>& found) {
  result.lists += std::max(wave.waits.size(), found.size());
  std::size_t next = 0;
  for (const std::vector<std::int64_t>& ours : found) {
    if (next == wave.waits.size()) return;
    std::vector<std::int64_t> theirs = wave.waits[next++].waits_for;
    theirs.push_back(wave.waits[next - 1].line);
    std::ranges::sort(theirs);
    if (ours == theirs) ++result.lists_equal;
  }
}

/// Median over what was waited for alone, by counter.
std::array<std::optional<std::int64_t>, kWaitCounters> WaitCollector::Replay::typical_latency()
    const {
  std::array<std::vector<std::pair<std::int64_t, std::int64_t>>, kWaitCounters> seen;
  for (const auto& [key, s] : sums) {
    if (s.alone == 0) continue;
    seen.at(static_cast<std::size_t>(key.counter)).emplace_back(s.alone_needed / s.alone, s.alone);
  }
  std::array<std::optional<std::int64_t>, kWaitCounters> typical;
  for (std::size_t c = 0; c < kWaitCounters; ++c) {
    std::ranges::sort(seen[c]);
    std::int64_t total = 0, passed = 0;
    for (const auto& [latency, times] : seen[c]) total += times;
    for (const auto& [latency, times] : seen[c]) {
      passed += times;
      if (2 * passed < total) continue;
      typical[c] = latency;
      break;
    }
  }
  return typical;
}

void WaitCollector::Replay::split_mixed() {
  const auto typical = typical_latency();
  std::map<std::uint32_t, std::int64_t> unsplit;
  for (const auto& [keys, m] : mixed) {
    std::size_t latest = keys.size();
    std::int64_t latest_end = 0;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const auto latency = typical.at(static_cast<std::size_t>(keys[k].counter));
      if (!latency || keys[k].operation == kNoOperation) {
        latest = keys.size();
        break;
      }
      const std::int64_t end = *latency - m.distance[k] / m.times;  // From the wait's begin
      if (latest == keys.size() || end > latest_end) latest = k, latest_end = end;
    }
    if (latest < keys.size()) {
      auto& exposed = sums.at(keys[latest]).all.exposed_cycles;
      if (exposed) exposed = saturating_add(*exposed, m.stall);
      result.shares.push_back({keys.front().wait, keys[latest].counter, m.stall});
      continue;
    }
    for (const Key& key : keys) sums.at(key).all.exposed_cycles.reset();
    result.shares.push_back({keys.front().wait, std::nullopt, m.stall});
  }
}

WaitCollector::WaitCollector(const ThreadTrace& trace, const DetectedArch& arch)
    : replay_(std::make_unique<Replay>(trace, arch)) {}

WaitCollector::~WaitCollector() = default;

void WaitCollector::add(const Wave& wave) {
  Replay& r = *replay_;
  ++r.result.waves;
  r.queues.reset();
  std::vector<std::vector<std::int64_t>> found;
  for (const WaveStep& step : wave.steps) {
    const std::uint32_t row = r.index.row(step.line);
    if (row == kNoRow) continue;
    r.queues.step(row, step.begin, step.stall, step.duration);
    if (r.table.rows[row].waits == 0) continue;
    r.record(row, step);
    std::vector<std::int64_t> lines;
    for (const std::uint32_t released : r.queues.released()) {
      if (is_listed(r.instructions[released].text)) {
        lines.push_back(r.instructions[released].line);
      }
    }
    if (lines.empty()) continue;
    lines.push_back(step.line);
    std::ranges::sort(lines);
    found.push_back(std::move(lines));
  }
  r.compare(wave, found);
}

WaitAnalysis WaitCollector::finish() {
  Replay& r = *replay_;
  r.result.dynamic = true;
  r.result.unresolved = r.queues.unresolved();
  // Before the split, what is exposed is what was waited for alone.
  for (const auto& [key, s] : r.sums) {
    if (s.all.exposed_cycles.value_or(0) == 0) continue;
    r.result.shares.push_back({key.wait, key.counter, *s.all.exposed_cycles});
  }
  r.split_mixed();
  for (const auto& [key, s] : r.sums) r.result.dependencies.push_back(s.all);
  std::ranges::sort(r.result.dependencies, {}, [](const WaitDependency& d) {
    return std::tuple(d.wait, d.counter, d.operation);
  });
  merge_shares(r.result.shares);
  return std::move(r.result);
}

void merge_shares(std::vector<WaitShare>& shares) {
  std::ranges::sort(shares, {}, [](const WaitShare& s) {
    return std::tuple(s.wait, !s.counter, s.counter.value_or(WaitCounter::vm), s.cycles);
  });
  std::vector<WaitShare> merged;
  for (const WaitShare& s : shares) {
    if (!merged.empty() && merged.back().wait == s.wait && merged.back().counter == s.counter) {
      merged.back().cycles = saturating_add(merged.back().cycles, s.cycles);
    } else {
      merged.push_back(s);
    }
  }
  shares = std::move(merged);
}

}  // namespace jaxtrace
