// One walk over the dispatches of each kernel and agent fills every sum at once.
#include "counters/l2.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "counters/samples.h"
#include "counters/spread.h"
#include "jaxtrace/report.h"

namespace jaxtrace {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

void add_capped(std::int64_t& sum, std::int64_t value) {
  if (__builtin_add_overflow(sum, value, &sum)) sum = kMost;
}

void mark(Basis& basis, bool joined) {
  ++basis.dispatches;
  basis.joined = basis.joined || joined;
}

/// Adds part / whole of one dispatch.
void add(std::optional<L2Ratio>& ratio, std::int64_t part, std::int64_t whole, bool joined) {
  if (!ratio) ratio.emplace();
  add_capped(ratio->part, part);
  add_capped(ratio->whole, whole);
  mark(ratio->basis, joined);
}

void add(std::optional<L2Bytes>& bytes, Range range, ByteSource source, const Sample& sample,
         bool joined) {
  if (!bytes) bytes.emplace();
  bytes->source = source;
  add_capped(bytes->bytes.low, range.low);
  add_capped(bytes->bytes.high, range.high);
  mark(bytes->basis, joined);
  if (sample.duration_ns <= 0) return;
  add_capped(bytes->timed_low, range.low);
  add_capped(bytes->timed_high, range.high);
  add_capped(bytes->time_ns, sample.duration_ns);
}

void add_hits(L2Row& row, const Sample& sample) {
  using enum L2Counter;
  if (!sample.has({hit, miss})) return;
  std::int64_t accesses = *of(sample.counts, hit);
  add_capped(accesses, *of(sample.counts, miss));
  add(row.hits, *of(sample.counts, hit), accesses, sample.joins({hit, miss}));
  if (sample.has({request})) {
    add(row.coverage, accesses, *of(sample.counts, request), sample.joins({hit, miss, request}));
  }
}

constexpr std::initializer_list<L2Counter> kReadCounters = {L2Counter::read,     L2Counter::read_32,
                                                            L2Counter::read_64,  L2Counter::read_96,
                                                            L2Counter::read_128, L2Counter::bubble};

void add_reads(L2Row& row, const Sample& sample) {
  const Sizes sizes = request_sizes(row.formula, sample.counts);
  if (sizes.contradict) {
    ++row.contradictions;
    return;
  }
  const bool joined = sample.joins(kReadCounters);
  if (sizes.all) {
    if (sizes.of_32) add(row.of_32, *sizes.of_32, *sizes.all, joined);
    if (sizes.of_64) add(row.of_64, *sizes.of_64, *sizes.all, joined);
    if (sizes.of_128) add(row.of_128, *sizes.of_128, *sizes.all, joined);
  }
  if (const auto bytes = read_bytes(row.formula, sample.counts)) {
    add(row.read, *bytes, ByteSource::requests, sample, joined);
  }
}

/// The profiler's own sum, for kernels without counts of requests.
void add_metric(std::optional<L2Bytes>& bytes, L2Counter counter, const Sample& sample) {
  if (!sample.has({counter})) return;
  const std::int64_t value = *of(sample.counts, counter);
  add(bytes, {value, value}, ByteSource::metric, sample, false);
}

/// What the script before this program computed: requests of at most 64 bytes, times channels.
void add_legacy(L2Row& row, const Sample& sample, const L2Options& options) {
  using enum L2Counter;
  if (!options.ea_channels || !sample.has({read, read_32})) return;
  const std::int64_t small = *of(sample.counts, read_32);
  const std::int64_t bytes = 64 * (*of(sample.counts, read) - small) + 32 * small;
  std::int64_t times = 0;
  if (__builtin_mul_overflow(bytes, *options.ea_channels, &times)) times = kMost;
  std::int64_t sum = row.legacy_bytes.value_or(0);
  add_capped(sum, times);
  row.legacy_bytes = sum;
  ++row.legacy_dispatches;
}

void add_hit_percent(L2Row& row, const Sample& sample) {
  if (!sample.hit_percent) return;
  const double percent = *sample.hit_percent;
  if (!row.hit_percent) row.hit_percent.emplace(percent, percent);
  row.hit_percent->first = std::min(row.hit_percent->first, percent);
  row.hit_percent->second = std::max(row.hit_percent->second, percent);
}

void find_missing(L2Row& row, const Counts& seen) {
  const auto lacks = [&](std::initializer_list<L2Counter> needed) {
    std::vector<L2Counter> missing(needed);
    std::erase_if(missing, [&](L2Counter counter) { return of(seen, counter).has_value(); });
    return missing;
  };
  row.missing_hits = lacks({L2Counter::hit, L2Counter::miss});
  row.missing_read = missing_sizes(row.formula, seen);
  row.missing_written = lacks({L2Counter::write, L2Counter::write_64});
}

/// A ratio over nothing is none.
void drop_empty(std::optional<L2Ratio>& ratio) {
  if (ratio && ratio->whole <= 0) ratio.reset();
}

using Shape = std::tuple<std::uint32_t, std::int64_t, std::int64_t>;  // Recording, grid, workgroup

struct Shapes {
  std::map<Shape, std::vector<std::int64_t>> durations, reads;
};

/// The widest of the spreads of a kernel's launch shapes.
std::optional<WideSpread> widest(const std::map<Shape, std::vector<std::int64_t>>& shapes,
                                 double factor, std::int64_t floor) {
  std::optional<WideSpread> widest;
  for (const auto& [shape, values] : shapes) {
    const auto spread = wide_spread(values, factor, floor);
    if (spread && (!widest || spread->most - spread->least > widest->most - widest->least)) {
      widest = spread;
    }
  }
  return widest;
}

class Analysis {
 public:
  Analysis(const CounterData& data, const L2Options& options) : data_(data), options_(options) {}

  L2Result run();

 private:
  L2Row row_of(std::span<const std::uint32_t> dispatches);
  void note_spread(const L2Row& row, const Shapes& shapes);
  void note_row(const L2Row& row);

  /// One finding of a kind for all kernels, with the sentence about the first of them.
  void note(Severity severity, const char* code, const L2Row& row, const std::string& message);

  const CounterData& data_;
  const L2Options& options_;
  L2Result result_;
};

L2Row Analysis::row_of(std::span<const std::uint32_t> dispatches) {
  const CountedDispatch& first = data_.dispatches[dispatches[0]];
  const CountedAgent& agent = data_.agents[first.agent];
  L2Row row;
  row.kernel = first.kernel;
  row.agent = first.agent;
  row.formula = fetch_formula(options_.arch.empty() ? agent.arch : options_.arch, agent.families);
  row.family = family_of(row.formula, agent.families);
  row.peak = options_.peak ? options_.peak : peak_bandwidth(agent.product);

  Counts seen;
  Shapes shapes;
  std::optional<L2Bytes> fetch_metric, write_metric;
  const auto visit = [&](const Sample& sample) {
    ++row.dispatches;
    if (sample.duration_ns >= 0) {
      ++row.timed;
      add_capped(row.time_ns, sample.duration_ns);
      shapes.durations[{sample.recording, sample.grid, sample.workgroup}].push_back(
          sample.duration_ns);
    }
    for (std::size_t i = 0; i < kL2Counters; ++i) {
      if (sample.counts[i]) seen[i] = std::max(seen[i].value_or(0), *sample.counts[i]);
    }
    if (const auto& reads = of(sample.counts, L2Counter::read)) {
      shapes.reads[{sample.recording, sample.grid, sample.workgroup}].push_back(*reads);
    }
    add_hits(row, sample);
    add_reads(row, sample);
    add_metric(fetch_metric, L2Counter::fetch_kib, sample);
    add_metric(write_metric, L2Counter::write_kib, sample);
    if (const auto written = written_bytes(sample.counts)) {
      add(row.written, {*written, *written}, ByteSource::requests, sample,
          sample.joins({L2Counter::write, L2Counter::write_64}));
    }
    if (const auto& units = of(sample.counts, L2Counter::dram_read_32)) {
      add(row.dram, {32 * *units, 32 * *units}, ByteSource::memory, sample, false);
    }
    add_legacy(row, sample, options_);
    add_hit_percent(row, sample);
  };
  const SamplesSeen saw = visit_samples(data_, dispatches, visit);
  row.multiplexed = saw.multiplexed;
  row.passes_differ = saw.passes_differ;
  // What the profiler added up is exact where the sizes of requests leave a range.
  if (fetch_metric && (!row.read || !row.read->bytes.known())) row.read = fetch_metric;
  if (!row.written) row.written = write_metric;
  for (auto* ratio : {&row.hits, &row.coverage, &row.of_32, &row.of_64, &row.of_128}) {
    drop_empty(*ratio);
  }
  find_missing(row, seen);
  if (row.read && row.read->bytes.known() && row.of_32) row.missing_read.clear();
  if (row.written) row.missing_written.clear();
  note_spread(row, shapes);
  note_row(row);
  return row;
}

void Analysis::note(Severity severity, const char* code, const L2Row& row,
                    const std::string& message) {
  const auto known = std::ranges::find(result_.findings, code, &Finding::code);
  if (known != result_.findings.end()) {
    ++known->count;
    return;
  }
  constexpr std::size_t kLongest = 60;
  const std::string& name = data_.kernels[row.kernel];
  result_.findings.push_back({severity, code, message,
                              name.size() <= kLongest ? name : name.substr(0, kLongest) + "…", 1});
}

void Analysis::note_spread(const L2Row& row, const Shapes& shapes) {
  constexpr double kTimes = 3;
  constexpr std::int64_t kShortest = 10'000;  // ns
  if (const auto spread = widest(shapes.durations, kTimes, kShortest)) {
    note(Severity::note, "relaunches-differ", row,
         fmt::format("{} launches with one grid took from {:.1f} to {:.1f} µs: they did not do the "
                     "same work, or the clock changed, and a mean hides it",
                     spread->launches, static_cast<double>(spread->least) / 1e3,
                     static_cast<double>(spread->most) / 1e3));
  }
  constexpr double kReads = 1.5;
  constexpr std::int64_t kFewest = 10'000;  // Requests
  if (const auto spread = widest(shapes.reads, kReads, kFewest)) {
    note(Severity::note, "relaunches-read-differently", row,
         fmt::format("{} launches with one grid made from {} to {} read requests: they did not do "
                     "the same work, or found other data in the caches",
                     spread->launches, spread->least, spread->most));
  }
}

void Analysis::note_row(const L2Row& row) {
  if (row.contradictions > 0) {
    note(Severity::error, "counters-disagree", row,
         fmt::format("{} of {} dispatches have more requests of one size than of all sizes; their "
                     "bytes were left out",
                     row.contradictions, row.dispatches));
  }
  if (row.multiplexed) {
    note(Severity::note, "counters-multiplexed", row,
         "its dispatches do not all have the same counters; each ratio is over those that have all "
         "that it needs");
  }
  const bool lost = (row.missing_hits.empty() && !row.hits) ||
                    (row.missing_read.empty() && !(row.read && row.read->bytes.known()));
  if (row.passes_differ && lost) {
    note(Severity::note, "passes-not-joined", row,
         "the passes did not run the same dispatches of it, so no ratio is made of counters of "
         "different passes");
  }
  const auto speed = bandwidth(past_l2(row));
  if (row.peak && speed && speed->first > *row.peak) {
    note(Severity::error, "over-peak", row,
         fmt::format("moved {} past L2, more than the {} of the memory: it was served by a cache "
                     "beyond L2, or counters and times do not belong together",
                     for_people(speed->first, Unit::bytes_per_second),
                     for_people(*row.peak, Unit::bytes_per_second)));
  }
}

L2Result Analysis::run() {
  std::vector<std::uint32_t> order;
  order.reserve(data_.dispatches.size());
  for (std::uint32_t i = 0; i < data_.dispatches.size(); ++i) {
    const std::string& name = data_.kernels[data_.dispatches[i].kernel];
    if (name.find(options_.kernel) != std::string::npos) order.push_back(i);
  }
  const auto group = [&](std::uint32_t i) {
    return std::pair(data_.dispatches[i].kernel, data_.dispatches[i].agent);
  };
  std::ranges::stable_sort(order, {}, group);
  for (std::size_t at = 0; at < order.size();) {
    std::size_t end = at;
    while (end < order.size() && group(order[end]) == group(order[at])) ++end;
    result_.rows.push_back(row_of(std::span(order).subspan(at, end - at)));
    at = end;
  }
  const auto rank = [&](const L2Row& row) {
    const auto& bytes = past_l2(row);
    return std::tuple(bytes ? -bytes->bytes.high : 1, -row.time_ns,
                      -static_cast<std::int64_t>(row.dispatches),
                      std::string_view(data_.kernels[row.kernel]),
                      std::string_view(data_.agents[row.agent].name), row.agent);
  };
  std::ranges::sort(result_.rows, {}, rank);
  return std::move(result_);
}

}  // namespace

const std::optional<L2Bytes>& past_l2(const L2Row& row) {
  return row.dram ? row.dram : row.read;
}

std::optional<std::pair<double, double>> over_fetch(const L2Row& row, const L2Options& options) {
  const auto& bytes = past_l2(row);
  if (!bytes || !options.ideal_bytes) return std::nullopt;
  const double ideal =
      static_cast<double>(*options.ideal_bytes) * static_cast<double>(bytes->basis.dispatches);
  return std::pair(static_cast<double>(bytes->bytes.low) / ideal,
                   static_cast<double>(bytes->bytes.high) / ideal);
}

std::optional<std::pair<double, double>> bandwidth(const std::optional<L2Bytes>& bytes) {
  if (!bytes || bytes->time_ns <= 0) return std::nullopt;
  const double seconds = static_cast<double>(bytes->time_ns) / 1e9;
  return std::pair(static_cast<double>(bytes->timed_low) / seconds,
                   static_cast<double>(bytes->timed_high) / seconds);
}

std::optional<double> useful_bandwidth(const L2Row& row, const L2Options& options) {
  if (!options.ideal_bytes || !past_l2(row) || row.time_ns <= 0) return std::nullopt;
  if (over_fetch(row, options)->second < kLeastOfIdeal) return std::nullopt;
  const double bytes = static_cast<double>(*options.ideal_bytes) * static_cast<double>(row.timed);
  return bytes / (static_cast<double>(row.time_ns) / 1e9);
}

L2Result analyse_l2(const CounterData& data, const L2Options& options) {
  return Analysis(data, options).run();
}

std::optional<double> peak_bandwidth(std::string_view product) {
  struct Peak {
    std::string_view product;
    double bytes_per_second;
  };
  // AMD's data sheets; an MI250X is two GPUs to its programs, each with half of it.
  constexpr Peak kPeaks[] = {{"MI210", 1.638e12}, {"MI250", 1.638e12}, {"MI300A", 5.3e12},
                             {"MI300X", 5.3e12},  {"MI325X", 6.0e12},  {"MI350X", 8.0e12},
                             {"MI355X", 8.0e12}};
  for (const Peak& peak : kPeaks) {
    if (product.find(peak.product) != std::string_view::npos) return peak.bytes_per_second;
  }
  return std::nullopt;
}

}  // namespace jaxtrace
