// Hardware counters of kernel dispatches, as far as they tell of the L2 cache and what lies past
// it.
//
// A value keeps the dispatch it was read in, because a ratio is only true over dispatches that have
// both of its counters: passes leave some out, and a tool that multiplexes leaves out many.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jaxtrace/finding.h"
#include "jaxtrace/readers.h"

namespace jaxtrace {

/// What a counter counts, whatever its architecture calls it.
enum class L2Counter : std::uint8_t {
  hit,
  miss,
  request,       ///< All accesses at the tag lookup, of which hit and miss are a part
  read,          ///< Read requests from L2 to the fabric, of any size
  read_32,       ///< Of those: 32 bytes,
  read_64,       ///< 64,
  read_96,       ///< 96,
  read_128,      ///< 128;
  bubble,        ///< on gfx94* also 128: TCC_BUBBLE
  dram_read_32,  ///< What memory itself was read, in units of 32 bytes: gfx950
  write,         ///< Write requests, of 32 or 64 bytes
  write_64,      ///< Of those: 64 bytes
  fetch_kib,     ///< FETCH_SIZE: the profiler's own sum of what was read, in units of 1,024 bytes
  write_kib,     ///< WRITE_SIZE
  hit_percent,   ///< L2CacheHit: a rate for each dispatch, which cannot be added up
};
inline constexpr std::size_t kL2Counters = static_cast<std::size_t>(L2Counter::hit_percent) + 1;

/// How an architecture names its L2 counters.
enum class CounterFamily : std::uint8_t {
  tcc_ea,   ///< TCC_HIT, TCC_EA_RDREQ: gfx906, gfx908, gfx90a
  tcc_ea0,  ///< TCC_HIT, TCC_EA0_RDREQ: gfx94*, gfx950
  gl2c,     ///< GL2C_HIT, GL2C_EA_RDREQ: gfx10 and later
  any,      ///< TCC_HIT, FETCH_SIZE: does not say
};

/// A counter's name, understood.
struct CounterName {
  L2Counter counter;
  CounterFamily family = CounterFamily::any;
  bool sum = false;  ///< Over all instances of the cache: "_sum", or a metric of the profiler
  std::optional<std::uint32_t> instance;  ///< N of "TCC_HIT[N]"
};

/// Absent if it is none of L2.
std::optional<CounterName> l2_counter(std::string_view name);

/// The name of the sum over instances: "TCC_EA0_RDREQ_32B_sum"; empty if the family has none.
std::string_view counter_name(L2Counter counter, CounterFamily family);

/// A GPU that kernels ran on.  Empty or absent where no agent_info.csv says it.
struct CountedAgent {
  std::string name;     ///< "Agent 4": the number as the file has it
  std::string arch;     ///< "gfx942"
  std::string product;  ///< "AMD Instinct MI300X"

  /// Those that the names of its counters were of, in order.
  std::vector<CounterFamily> families{};
};

/// Where dispatches with comparable numbers come from: one process in one file.
struct Recording {
  std::string file;                     ///< As given by the user
  std::optional<std::int64_t> process;  ///< Absent if the file does not say
  bool wide = false;                    ///< A row a dispatch, joined from passes by another tool

  /// In which pass of the recording each counter was read: 0 but in wide files.
  std::array<std::uint16_t, kL2Counters> pass{};
};

struct CountedDispatch {
  std::uint32_t kernel = 0;
  std::uint32_t agent = 0;
  std::uint32_t recording = 0;
  std::uint32_t values = 0;     ///< How many of CounterData::values,
  std::size_t first = 0;        ///< from this one on, by counter
  std::int64_t dispatch = 0;    ///< Unique within agent and recording
  std::int64_t grid = -1;       ///< Work-items; -1 if not said
  std::int64_t workgroup = -1;  ///< Likewise
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = -1;  ///< -1 if there are no times, or impossible ones
};

struct CounterValue {
  L2Counter counter = L2Counter::hit;
  double value = 0;  ///< Finite, not negative, and whole but for the last three counters
};

struct CounterData {
  std::vector<std::string> kernels;  ///< Without the descriptor suffix ".kd"
  std::vector<CountedAgent> agents;
  std::vector<Recording> recordings;        ///< In the order of the files, then by process
  std::vector<CountedDispatch> dispatches;  ///< By recording, agent, dispatch
  std::vector<CounterValue> values;
  std::vector<std::string> other_counters;  ///< Names of a few of the rest, in order
  std::vector<Finding> findings;
};

/// Reads counter files, whole directories of them where a directory is given.  Throws InputError
/// when a file is missing or is none, and when there is no counter of L2 in all of them.
CounterData read_counters(std::span<const std::filesystem::path> inputs,
                          const ReadOptions& options = {});

}  // namespace jaxtrace
