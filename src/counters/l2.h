// What the counters of a kernel on one GPU come to.
//
// Every figure is a sum over a sum, over the dispatches that have all of its counters, and says how
// many those are.  Counters of two passes are put together only where the passes ran the same
// dispatches of the kernel, and the figure is marked then: the passes are different runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "counters/fetch.h"
#include "jaxtrace/counters.h"

namespace jaxtrace {

struct L2Options {
  std::string arch;                         ///< --arch; empty: what agent_info.csv says
  std::string kernel;                       ///< Only kernels whose name holds this
  std::optional<std::int64_t> ideal_bytes;  ///< That a dispatch has to read
  std::optional<std::int64_t> ea_channels;  ///< For the figure of the script before
  std::optional<double> peak;               ///< Bytes a second
};

/// Which dispatches a figure is of.
struct Basis {
  std::uint64_t dispatches = 0;
  bool joined = false;  ///< Its counters come from different passes.
};

struct L2Ratio {
  std::int64_t part = 0;
  std::int64_t whole = 0;  ///< Never 0
  Basis basis;

  double value() const { return static_cast<double>(part) / static_cast<double>(whole); }
};

enum class ByteSource : std::uint8_t {
  requests,  ///< The formula of the architecture
  metric,    ///< FETCH_SIZE, WRITE_SIZE
  memory,    ///< TCC_EA0_RDREQ_DRAM_32B
};

struct L2Bytes {
  Range bytes;
  ByteSource source = ByteSource::requests;
  Basis basis;
  std::int64_t timed_low = 0, timed_high = 0;  ///< Of the dispatches that have times,
  std::int64_t time_ns = 0;                    ///< and their durations.
};

struct L2Row {
  std::uint32_t kernel = 0;
  std::uint32_t agent = 0;
  FetchFormula formula = FetchFormula::unknown;
  CounterFamily family = CounterFamily::any;
  std::uint64_t dispatches = 0;
  std::int64_t time_ns = 0;  ///< Of those that have times
  std::uint64_t timed = 0;
  std::optional<L2Ratio> hits;                  ///< Of hits and misses
  std::optional<L2Ratio> coverage;              ///< Hits and misses, of all requests
  std::optional<L2Ratio> of_32, of_64, of_128;  ///< Of read requests; 96 is in none
  std::optional<L2Bytes> read, dram, written;
  std::optional<std::int64_t> legacy_bytes;  ///< --ea-channels
  std::uint64_t legacy_dispatches = 0;
  std::optional<std::pair<double, double>> hit_percent;  ///< Least and most L2CacheHit
  std::vector<L2Counter> missing_hits, missing_read, missing_written;
  std::optional<double> peak;  ///< Bytes a second
  bool multiplexed = false;    ///< Dispatches of one pass have different counters
  bool passes_differ = false;  ///< Passes ran different dispatches, so they were not put together
  std::uint64_t contradictions = 0;  ///< Dispatches with more requests of a size than in all
};

/// Low and high of bytes over what is needed; absent without an ideal or without bytes.
std::optional<std::pair<double, double>> over_fetch(const L2Row& row, const L2Options& options);

/// What `bytes` moved in a second; absent without times.
std::optional<std::pair<double, double>> bandwidth(const std::optional<L2Bytes>& bytes);

/// Less of the ideal than this was not all that the kernel had to read.
inline constexpr double kLeastOfIdeal = 0.95;

/// What the kernel needed, in a second; absent without bytes, which tell that the ideal is its own,
/// and where less was moved.
std::optional<double> useful_bandwidth(const L2Row& row, const L2Options& options);

/// The traffic that memory is compared with: what it was asked to read, or what passed L2.
const std::optional<L2Bytes>& past_l2(const L2Row& row);

struct L2Result {
  std::vector<L2Row> rows;  ///< Most bytes first, then time, dispatches, names.
  std::vector<Finding> findings;
};

L2Result analyse_l2(const CounterData& data, const L2Options& options);

/// The vendor's figure for a product, in bytes a second; absent if not known.
std::optional<double> peak_bandwidth(std::string_view product);

}  // namespace jaxtrace
