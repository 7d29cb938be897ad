// Names of L2 counters, as in the counter_defs.yaml of rocprofiler-sdk.
#include <algorithm>
#include <charconv>

#include "jaxtrace/counters.h"

namespace jaxtrace {
namespace {

constexpr std::string_view kSum = "_sum";

struct Row {
  std::string_view name;  // Metrics of the profiler, which are of no instance, have no "_sum".
  L2Counter counter;
  CounterFamily family;
};

using enum CounterFamily;

constexpr std::array kRows = {
    Row{"TCC_HIT_sum", L2Counter::hit, any},
    Row{"TCC_MISS_sum", L2Counter::miss, any},
    Row{"TCC_REQ_sum", L2Counter::request, any},
    Row{"TCC_BUBBLE_sum", L2Counter::bubble, tcc_ea0},
    Row{"TCC_EA0_RDREQ_sum", L2Counter::read, tcc_ea0},
    Row{"TCC_EA0_RDREQ_32B_sum", L2Counter::read_32, tcc_ea0},
    Row{"TCC_EA0_RDREQ_64B_sum", L2Counter::read_64, tcc_ea0},
    Row{"TCC_EA0_RDREQ_128B_sum", L2Counter::read_128, tcc_ea0},
    Row{"TCC_EA0_RDREQ_DRAM_32B_sum", L2Counter::dram_read_32, tcc_ea0},
    Row{"TCC_EA0_WRREQ_sum", L2Counter::write, tcc_ea0},
    Row{"TCC_EA0_WRREQ_64B_sum", L2Counter::write_64, tcc_ea0},
    Row{"TCC_EA_RDREQ_sum", L2Counter::read, tcc_ea},
    Row{"TCC_EA_RDREQ_32B_sum", L2Counter::read_32, tcc_ea},
    Row{"TCC_EA_WRREQ_sum", L2Counter::write, tcc_ea},
    Row{"TCC_EA_WRREQ_64B_sum", L2Counter::write_64, tcc_ea},
    Row{"GL2C_HIT_sum", L2Counter::hit, gl2c},
    Row{"GL2C_MISS_sum", L2Counter::miss, gl2c},
    Row{"GL2C_REQ_sum", L2Counter::request, gl2c},
    Row{"GL2C_EA_RDREQ_sum", L2Counter::read, gl2c},
    Row{"GL2C_EA_RDREQ_32B_sum", L2Counter::read_32, gl2c},
    Row{"GL2C_EA_RDREQ_64B_sum", L2Counter::read_64, gl2c},
    Row{"GL2C_EA_RDREQ_96B_sum", L2Counter::read_96, gl2c},
    Row{"GL2C_EA_RDREQ_128B_sum", L2Counter::read_128, gl2c},
    Row{"GL2C_MC_WRREQ_sum", L2Counter::write, gl2c},
    Row{"GL2C_EA_WRREQ_64B_sum", L2Counter::write_64, gl2c},
    Row{"FETCH_SIZE", L2Counter::fetch_kib, any},
    Row{"FetchSize", L2Counter::fetch_kib, any},  // rocprof v1 and v2
    Row{"WRITE_SIZE", L2Counter::write_kib, any},
    Row{"WriteSize", L2Counter::write_kib, any},
    Row{"L2CacheHit", L2Counter::hit_percent, any},
};

/// N of "[N]", which is taken off `name`; absent if there is none.
std::optional<std::uint32_t> take_instance(std::string_view& name) {
  if (!name.ends_with(']')) return std::nullopt;
  const std::size_t open = name.rfind('[');
  if (open == std::string_view::npos) return std::nullopt;
  std::uint32_t number = 0;
  const char* const end = name.data() + name.size() - 1;
  const auto [stop, error] = std::from_chars(name.data() + open + 1, end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  name = name.substr(0, open);
  return number;
}

}  // namespace

std::optional<CounterName> l2_counter(std::string_view name) {
  const std::optional<std::uint32_t> instance = take_instance(name);
  const auto row = std::ranges::find_if(kRows, [&](const Row& known) {
    if (known.name == name) return true;
    std::string_view raw = known.name;
    if (!raw.ends_with(kSum)) return false;
    raw.remove_suffix(kSum.size());
    return raw == name;
  });
  if (row == kRows.end()) return std::nullopt;
  return CounterName{row->counter, row->family, row->name == name && !instance, instance};
}

std::string_view counter_name(L2Counter counter, CounterFamily family) {
  for (const Row& row : kRows) {
    const bool fits =
        row.family == family || (row.family == any && family != gl2c) || !row.name.ends_with(kSum);
    if (row.counter == counter && fits) return row.name;
  }
  return {};
}

}  // namespace jaxtrace
