// What is not known says which counters would tell.
#include "commands/pmc_l2/figures.h"

#include <fmt/format.h>

#include <cmath>

#include "counters/decide.h"
#include "jaxtrace/report.h"

namespace jaxtrace {
namespace {

std::string percent(double ratio) {
  return for_people(ratio, Unit::ratio);
}

/// Decimal, like the bandwidths that bytes are compared with: "17.87 GB".
std::string decimal_bytes(std::int64_t bytes) {
  std::string text = for_people(static_cast<double>(bytes), Unit::bytes_per_second);
  text.erase(text.rfind("/s"));
  return text;
}

std::string bytes_text(Range range) {
  if (range.known()) {
    return fmt::format("**{}** ({} bytes)", decimal_bytes(range.low),
                       for_people(range.low, Unit::count));
  }
  return fmt::format("**{} to {}**", decimal_bytes(range.low), decimal_bytes(range.high));
}

std::string rate(std::pair<double, double> range) {
  const std::string low = for_people(range.first, Unit::bytes_per_second);
  if (range.first == range.second) return low;
  return low + " to " + for_people(range.second, Unit::bytes_per_second);
}

std::string times(std::pair<double, double> range) {
  if (range.first == range.second) return fmt::format("{:.2f}×", range.first);
  return fmt::format("{:.2f}× to {:.2f}×", range.first, range.second);
}

/// "TCC_HIT_sum and TCC_MISS_sum"
std::string names(const std::vector<L2Counter>& counters, CounterFamily family) {
  std::string text;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    text += i == 0 ? "" : i + 1 == counters.size() ? " and " : ", ";
    text += counter_name(counters[i], family);
  }
  return text;
}

/// What a reader would not expect of a figure's dispatches; empty if there is nothing.
std::string basis(const L2Row& row, const Basis& of) {
  std::string text;
  if (of.dispatches != row.dispatches) {
    text = fmt::format(", over the {} of {} dispatches that have its counters", of.dispatches,
                       row.dispatches);
  }
  if (of.joined) text += ", joined from different passes";
  return text;
}

std::string hit_item(const L2Row& row, const L2Options& options) {
  if (const auto verdict = reuse(row)) {
    std::string text = fmt::format(
        "L2 hit rate **{}** ({} of {} accesses{}): {}.", percent(row.hits->value()),
        for_people(row.hits->part, Unit::count), for_people(row.hits->whole, Unit::count),
        basis(row, row.hits->basis), advice(*verdict, fetched_again(row, options)));
    if (row.coverage) {
      text += fmt::format(" Hits and misses are {} of the requests to L2.",
                          percent(row.coverage->value()));
    }
    return text;
  }
  std::string text = "L2 hit rate: not known; ";
  if (!row.missing_hits.empty()) {
    text += row.formula == FetchFormula::unknown
                ? "it needs counts of hits and misses"
                : "it needs " + names(row.missing_hits, row.family);
  } else if (row.multiplexed || row.passes_differ) {
    text += "no dispatch has both hits and misses";
  } else {
    text += "hits and misses are 0 in every dispatch";
  }
  if (row.hit_percent) {
    text += fmt::format(
        ". L2CacheHit, a rate for each dispatch, was {:.1f} to {:.1f} %, and rates cannot be added",
        row.hit_percent->first, row.hit_percent->second);
  }
  return text + '.';
}

/// "; needs TCC_EA0_RDREQ_sum", or nothing.
std::string needs_sizes(const L2Row& row) {
  if (row.missing_read.empty()) return {};
  if (row.formula == FetchFormula::unknown) return "; needs counts of read requests by size";
  return "; needs " + names(row.missing_read, row.family);
}

std::string request_item(const L2Row& row) {
  const auto verdict = requests(row);
  if (!verdict) {
    return "Requests of 32 bytes: not known" + needs_sizes(row) + '.';
  }
  std::string text =
      fmt::format("Requests of 32 bytes **{}** ({} of {}{})", percent(row.of_32->value()),
                  for_people(row.of_32->part, Unit::count),
                  for_people(row.of_32->whole, Unit::count), basis(row, row.of_32->basis));
  if (row.of_64) text += fmt::format(", of 64 bytes {}", percent(row.of_64->value()));
  if (row.of_128) text += fmt::format(", of 128 bytes {}", percent(row.of_128->value()));
  return text + fmt::format(": {}.", advice(*verdict));
}

std::string byte_item(const L2Row& row, const L2Options& options) {
  const auto& bytes = past_l2(row);
  if (!bytes) {
    return "Bytes read past L2: not known" + needs_sizes(row) + '.';
  }
  std::string text =
      fmt::format("Read {} {}{}{}", bytes->source == ByteSource::memory ? "from memory" : "past L2",
                  bytes_text(bytes->bytes),
                  bytes->source == ByteSource::metric ? ", by the profiler's FETCH_SIZE" : "",
                  basis(row, bytes->basis));
  if (!bytes->bytes.known()) {
    text += row.formula == FetchFormula::unknown_ea0 && !row.missing_read.empty()
                ? "; which of the two depends on requests of 128 bytes, which " +
                      names(row.missing_read, row.family) + " counts on gfx94*"
            : row.missing_read.empty()
                ? "; whether TCC_BUBBLE counts requests of 128 bytes depends on the GPU: --arch"
                : "; which of the two depends on requests of 128 bytes, which " +
                      names(row.missing_read, row.family) + " would count";
  }
  if (bytes->source == ByteSource::metric && row.formula == FetchFormula::sizes_32_64_128) {
    text += ", which is half of the truth on gfx950 with older SDKs";
  }
  const auto ratio = over_fetch(row, options);
  if (!ratio) {
    text += options.ideal_bytes ? "" : "; over-fetch needs --ideal-gb, what a dispatch has to read";
    return text + '.';
  }
  text += fmt::format(". Over-fetch **{}**", times(*ratio));
  if (const auto verdict = fetch(row, options)) {
    text += fmt::format(": {}", advice(*verdict));
  } else {
    text += ": no verdict from a range";
  }
  return text + '.';
}

std::string bandwidth_item(const L2Row& row, const L2Options& options) {
  const auto moved = bandwidth(past_l2(row));
  if (!moved && row.timed == 0) return "Bandwidth: not known; the file has no times.";
  std::string text;
  if (const auto useful = useful_bandwidth(row, options)) {
    text = fmt::format("Useful bandwidth **{}**", for_people(*useful, Unit::bytes_per_second));
    constexpr double kSame = 0.01;
    if (moved && std::abs(moved->second - *useful) > kSame * *useful) {
      text += fmt::format(" ({} were moved)", rate(*moved));
    }
  } else if (moved) {
    text = fmt::format("Bandwidth of reads **{}**", rate(*moved));
  } else {
    return "Bandwidth: not known without bytes.";
  }
  if (const auto share = share_of_peak(row, options)) {
    text += fmt::format(", {} of the peak of {}", percent(*share),
                        for_people(*row.peak, Unit::bytes_per_second));
  } else if (!row.peak) {
    text += "; its share needs --peak-tbs, the peak of this GPU's memory";
  }
  if (const auto verdict = path(row, options)) text += fmt::format(": {}", advice(*verdict));
  return text + '.';
}

std::string legacy_item(const L2Row& row, const L2Options& options) {
  std::string text = fmt::format("Legacy figure with --ea-channels {}: {} bytes",
                                 *options.ea_channels, for_people(*row.legacy_bytes, Unit::count));
  if (options.ideal_bytes && row.legacy_dispatches > 0) {
    const double ideal =
        static_cast<double>(*options.ideal_bytes) * static_cast<double>(row.legacy_dispatches);
    text += fmt::format(", over-fetch {:.2f}×", static_cast<double>(*row.legacy_bytes) / ideal);
  }
  return text +
         ". It takes every request for at most 64 bytes and multiplies, to make up for requests of "
         "128; kept to compare with older notes.";
}

}  // namespace

std::vector<std::string> figure_items(const L2Row& row, const L2Options& options) {
  std::vector<std::string> items = {hit_item(row, options), request_item(row),
                                    byte_item(row, options), bandwidth_item(row, options)};
  if (row.legacy_bytes) items.push_back(legacy_item(row, options));
  return items;
}

}  // namespace jaxtrace
