#include "commands/kernels/sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/text.h"
#include "counters/spread.h"
#include "jaxtrace/report.h"

namespace jaxtrace {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

void add_capped(std::int64_t& sum, std::int64_t value) {
  if (__builtin_add_overflow(sum, value, &sum)) sum = kMost;
}

void widen(std::optional<Extent>& extent, const std::optional<std::int64_t>& value) {
  if (!value) return;
  if (!extent) extent = Extent{*value, *value};
  extent->least = std::min(extent->least, *value);
  extent->most = std::max(extent->most, *value);
}

void take(std::optional<std::int64_t>& least, std::optional<std::int64_t>& most, std::int64_t low,
          std::int64_t high) {
  least = least ? std::min(*least, low) : low;
  most = most ? std::max(*most, high) : high;
}

/// A launch that others should be like.
using Launch = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // Device, kernel, shape

class Adding {
 public:
  explicit Adding(std::int64_t skip_first) : skip_first_(skip_first) {}

  void add(const KernelRun& run) {
    add_sums(run.times);
    add_dispatches(run.times);
    add_graphs(run.times);
    check(run);
  }

  KernelSums finish();

 private:
  KernelSumRow& row(const std::string& kernel) {
    const auto [known, added] = rows_.try_emplace(kernel, result_.kernels.size());
    if (added) {
      result_.kernels.emplace_back();
      result_.kernels.back().kernel = kernel;
    }
    return result_.kernels[known->second];
  }

  void add_sums(const KernelTimes& times);
  void add_dispatches(const KernelTimes& times);
  void add_graphs(const KernelTimes& times);
  void check(const KernelRun& run);
  void judge(const KernelTimes& times, std::map<Launch, std::vector<std::int64_t>>& launches);

  std::int64_t skip_first_;
  KernelSums result_;
  std::unordered_map<std::string, std::size_t> rows_;
  std::uint64_t uneven_ = 0;
  WideSpread widest_;
  std::string widest_kernel_;
};

void Adding::add_sums(const KernelTimes& times) {
  for (const KernelSum& sum : times.sums) {
    KernelSumRow& to = row(times.kernels[sum.kernel]);
    add_capped(to.calls, sum.calls);
    add_capped(to.total_ps, sum.total_ps);
    if (sum.least_ps && sum.most_ps) {
      take(to.least_ps, to.most_ps, *sum.least_ps, *sum.most_ps);
    }
  }
}

void Adding::add_dispatches(const KernelTimes& times) {
  std::vector<std::size_t> to(times.kernels.size());
  std::vector<DeviceSumRow> devices(times.devices.size());
  std::vector<std::pair<std::int64_t, std::int64_t>> edges(times.devices.size(), {kMost, 0});
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> seen;
  std::map<Launch, std::vector<std::int64_t>> launches;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    devices[i].device = times.devices[i];
    devices[i].file = std::filesystem::path(times.file).filename().string();
  }
  for (const TimedDispatch& dispatch : times.dispatches) {  // By device, begin.
    if (skip_first_ > 0 && seen[{dispatch.device, dispatch.kernel}]++ < skip_first_) {
      ++result_.skipped;
      continue;
    }
    KernelSumRow& kernel = row(times.kernels[dispatch.kernel]);
    DeviceSumRow& device = devices[dispatch.device];
    const LaunchShape& shape = times.shapes[dispatch.shape];
    ++kernel.calls;
    ++device.calls;
    widen(kernel.grid, shape.grid);
    widen(kernel.workgroup, shape.workgroup);
    widen(kernel.vgprs, shape.vgprs);
    widen(kernel.accum_vgprs, shape.accum_vgprs);
    widen(kernel.sgprs, shape.sgprs);
    widen(kernel.lds_bytes, shape.lds_bytes);
    widen(kernel.scratch_bytes, shape.scratch_bytes);
    if (dispatch.duration_ps < 0) {
      ++kernel.untimed;
      continue;
    }
    add_capped(kernel.total_ps, dispatch.duration_ps);
    add_capped(device.total_ps, dispatch.duration_ps);
    take(kernel.least_ps, kernel.most_ps, dispatch.duration_ps, dispatch.duration_ps);
    auto& [first, last] = edges[dispatch.device];
    std::int64_t end = dispatch.begin_ps;
    add_capped(end, dispatch.duration_ps);
    const std::int64_t from =
        std::max(dispatch.begin_ps, first == kMost ? dispatch.begin_ps : last);
    if (end > from) device.busy_ps += end - from;
    last = first == kMost ? end : std::max(last, end);
    first = std::min(first, dispatch.begin_ps);
    device.span_ps = last - first;
    launches[{dispatch.device, dispatch.kernel, dispatch.shape}].push_back(dispatch.duration_ps);
  }
  for (DeviceSumRow& device : devices) {
    if (device.calls > 0) result_.devices.push_back(std::move(device));
  }
  judge(times, launches);
}

void Adding::judge(const KernelTimes& times,
                   std::map<Launch, std::vector<std::int64_t>>& launches) {
  constexpr double kTimes = 3;
  constexpr std::int64_t kShortest = 10'000'000;  // 10 µs
  for (auto& [launch, durations] : launches) {
    const auto spread = wide_spread(std::move(durations), kTimes, kShortest);
    if (!spread) continue;
    if (uneven_++ == 0 || spread->most - spread->least > widest_.most - widest_.least) {
      widest_ = *spread;
      widest_kernel_ = times.kernels[std::get<1>(launch)];
    }
  }
}

void Adding::add_graphs(const KernelTimes& times) {
  result_.api_trace = result_.api_trace || times.api_trace;
  std::map<std::int64_t, std::size_t> calls;
  const std::size_t first = result_.graphs.size();
  for (const GraphCall& call : times.graph_calls) {
    calls.emplace(call.correlation, result_.graphs.size());
    result_.graphs.push_back({call, 0, 0, 0});
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> edges(times.graph_calls.size(), {kMost, 0});
  for (const TimedDispatch& dispatch : times.dispatches) {
    const auto call = calls.find(dispatch.correlation);
    if (call == calls.end()) continue;
    GraphSumRow& graph = result_.graphs[call->second];
    ++graph.kernels;
    if (dispatch.duration_ps < 0) continue;
    add_capped(graph.total_ps, dispatch.duration_ps);
    auto& [begin, end] = edges[call->second - first];
    begin = std::min(begin, dispatch.begin_ps);
    end = std::max(end, dispatch.begin_ps + dispatch.duration_ps);
    graph.span_ps = end - begin;
  }
}

struct Total {
  std::int64_t calls = 0, total_ps = 0;
};

std::map<std::string, Total> totals_of(const KernelTimes& times) {
  std::map<std::string, Total> totals;
  for (const KernelSum& sum : times.sums) {
    Total& total = totals[times.kernels[sum.kernel]];
    add_capped(total.calls, sum.calls);
    add_capped(total.total_ps, sum.total_ps);
  }
  for (const TimedDispatch& dispatch : times.dispatches) {
    Total& total = totals[times.kernels[dispatch.kernel]];
    ++total.calls;
    add_capped(total.total_ps, std::max<std::int64_t>(dispatch.duration_ps, 0));
  }
  return totals;
}

Total sum_of(const std::map<std::string, Total>& totals) {
  Total all;
  for (const auto& [name, total] : totals) {
    add_capped(all.calls, total.calls);
    add_capped(all.total_ps, total.total_ps);
  }
  return all;
}

std::string words(const Total& total) {
  return fmt::format("{} calls and {}", for_people(total.calls, Unit::count),
                     for_people(total.total_ps, Unit::time));
}

/// Files of one run have to agree in all they add up to.  Names may be shortened in one of them.
void Adding::check(const KernelRun& run) {
  if (run.others.empty()) return;
  const std::map<std::string, Total> ours = totals_of(run.times);
  const Total all = sum_of(ours);
  for (const KernelTimes& other : run.others) {
    if (other.source == TimesOf::counters) continue;  // Collected in other runs, as a rule.
    const std::map<std::string, Total> theirs = totals_of(other);
    const Total sum = sum_of(theirs);
    if (sum.calls == all.calls && sum.total_ps == all.total_ps) continue;
    std::string message =
        fmt::format("disagrees with {}: {} against {}", run.times.file, words(sum), words(all));
    std::int64_t most = 0;
    for (const auto& [name, total] : theirs) {
      const auto known = ours.find(name);
      const Total mine = known == ours.end() ? Total{} : known->second;
      const std::int64_t apart = std::abs(mine.calls - total.calls);
      if (apart <= most) continue;
      most = apart;
      constexpr std::size_t kLongest = 60;
      message = fmt::format("disagrees with {}: {} against {}; most of all for {}, {} against {}",
                            run.times.file, words(sum), words(all), beginning(name, kLongest),
                            words(total), words(mine));
    }
    result_.findings.push_back({Severity::error, "sources-disagree", message, other.file, 1});
  }
}

KernelSums Adding::finish() {
  for (const KernelSumRow& kernel : result_.kernels) {
    add_capped(result_.calls, kernel.calls);
    add_capped(result_.total_ps, kernel.total_ps);
  }
  std::ranges::sort(result_.kernels, {}, [](const KernelSumRow& kernel) {
    return std::tuple(-kernel.total_ps, std::string_view(kernel.kernel));
  });
  std::ranges::stable_sort(result_.devices, {}, [](const DeviceSumRow& row) {
    return std::tuple(std::string_view(row.device.process), std::string_view(row.device.name),
                      std::string_view(row.file));
  });
  if (uneven_ > 0) {
    constexpr std::size_t kLongest = 60;
    result_.findings.push_back(
        {Severity::note, "relaunches-differ",
         fmt::format("{} launches with one grid took from {} to {}: they did not do the same work, "
                     "or the clock changed, and a mean hides it",
                     widest_.launches, for_people(widest_.least, Unit::time),
                     for_people(widest_.most, Unit::time)),
         beginning(widest_kernel_, kLongest), uneven_});
  }
  return std::move(result_);
}

}  // namespace

KernelSums add_up(const std::vector<KernelRun>& runs, std::int64_t skip_first) {
  Adding adding(skip_first);
  for (const KernelRun& run : runs) adding.add(run);
  return adding.finish();
}

}  // namespace jaxtrace
