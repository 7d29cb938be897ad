// All that is known of a kernel in one row; docs/pmc-l2.md defines each column.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "commands/pmc_l2/report.h"
#include "counters/decide.h"

namespace jaxtrace {
namespace {

/// As long as can be said, where a file's times are absurd.
std::int64_t picoseconds(std::int64_t ns) {
  std::int64_t ps = 0;
  return __builtin_mul_overflow(ns, std::int64_t{1000}, &ps)
             ? std::numeric_limits<std::int64_t>::max()
             : ps;
}

Cell time_cell(const L2Row& row) {
  if (row.timed == 0) return {};
  return picoseconds(row.time_ns);
}

Cell text_cell(std::string_view text) {
  if (text.empty()) return {};
  return std::string(text);
}

template <class Value>
Cell cell(const std::optional<Value>& value) {
  if (!value) return {};
  return Cell(*value);
}

/// A part of what may be absent.
template <class Value, class Get>
Cell cell(const std::optional<Value>& value, const Get& get) {
  if (!value) return {};
  return Cell(std::invoke(get, *value));
}

template <class Verdict>
Cell verdict_cell(const std::optional<Verdict>& verdict) {
  if (!verdict) return {};
  return std::string(text(*verdict));
}

Cell ratio_cell(const std::optional<L2Ratio>& ratio) {
  if (!ratio) return {};
  return ratio->value();
}

void add_range(std::vector<Cell>& row, const std::optional<std::pair<double, double>>& range) {
  row.push_back(cell(range, &std::pair<double, double>::first));
  row.push_back(cell(range, &std::pair<double, double>::second));
}

std::string_view source_text(ByteSource source) {
  switch (source) {
    case ByteSource::requests:
      return "requests";
    case ByteSource::metric:
      return "metric";
    case ByteSource::memory:
      break;
  }
  return "memory";
}

/// Figures whose counters are of several passes.
std::string joined_text(const L2Row& row) {
  std::string text;
  const auto add = [&](const char* name, const auto& figure) {
    if (figure && figure->basis.joined) text += (text.empty() ? "" : " ") + std::string(name);
  };
  add("hit_rate", row.hits);
  add("coverage", row.coverage);
  add("share_32b", row.of_32);
  add("share_64b", row.of_64);
  add("share_128b", row.of_128);
  add("read_bytes", row.read);
  add("written_bytes", row.written);
  return text;
}

std::string missing_text(const L2Row& row) {
  std::string text;
  for (const auto* counters : {&row.missing_hits, &row.missing_read, &row.missing_written}) {
    for (const L2Counter counter : *counters) {
      text += (text.empty() ? "" : " ") + std::string(counter_name(counter, row.family));
    }
  }
  return text;
}

std::vector<Cell> cells(const CounterData& data, const L2Row& row, const L2Options& options) {
  const CountedAgent& agent = data.agents[row.agent];
  std::vector<Cell> cells = {data.kernels[row.kernel],
                             text_cell(agent.name),
                             text_cell(options.arch.empty() ? agent.arch : options.arch),
                             static_cast<std::int64_t>(row.dispatches),
                             time_cell(row),
                             cell(row.hits, &L2Ratio::part),
                             cell(row.hits, &L2Ratio::whole),
                             ratio_cell(row.hits),
                             ratio_cell(row.coverage),
                             ratio_cell(row.of_32),
                             ratio_cell(row.of_64),
                             ratio_cell(row.of_128)};
  const auto low = [](const auto& bytes) { return bytes.bytes.low; };
  cells.push_back(cell(row.read, low));
  cells.push_back(cell(row.read, [](const auto& read) { return read.bytes.high; }));
  cells.push_back(
      cell(row.read, [](const auto& read) { return std::string(source_text(read.source)); }));
  cells.push_back(cell(
      row.read, [](const auto& read) { return static_cast<std::int64_t>(read.basis.dispatches); }));
  cells.push_back(cell(row.dram, low));
  cells.push_back(cell(row.written, low));
  add_range(cells, over_fetch(row, options));
  add_range(cells, bandwidth(past_l2(row)));
  cells.push_back(cell(useful_bandwidth(row, options)));
  cells.push_back(cell(row.peak));
  cells.push_back(cell(share_of_peak(row, options)));
  cells.push_back(verdict_cell(reuse(row)));
  cells.push_back(verdict_cell(requests(row)));
  cells.push_back(verdict_cell(fetch(row, options)));
  cells.push_back(verdict_cell(path(row, options)));
  cells.push_back(text_cell(joined_text(row)));
  cells.push_back(text_cell(missing_text(row)));
  cells.push_back(cell(row.legacy_bytes));
  return cells;
}

}  // namespace

Table l2_table(const CounterData& data, const L2Result& result, const L2Options& options) {
  Table table{.id = "l2",
              .caption = "Kernels by what they read past L2",
              .columns = {{"kernel", Unit::none},
                          {"agent", Unit::none},
                          {"arch", Unit::none},
                          {"dispatches", Unit::count},
                          {"time_ps", Unit::time, "time"},
                          {"hits", Unit::count},
                          {"accesses", Unit::count},
                          {"hit_rate", Unit::ratio, "L2 hits"},
                          {"coverage", Unit::ratio},
                          {"share_32b", Unit::ratio, "32 B"},
                          {"share_64b", Unit::ratio, "64 B"},
                          {"share_128b", Unit::ratio, "128 B"},
                          {"read_bytes_low", Unit::bytes, "read"},
                          {"read_bytes_high", Unit::bytes, "at most"},
                          {"read_source", Unit::none},
                          {"read_dispatches", Unit::count},
                          {"dram_read_bytes", Unit::bytes, "from memory"},
                          {"written_bytes", Unit::bytes, "written"},
                          {"over_fetch_low", Unit::none, "over-fetch ×"},
                          {"over_fetch_high", Unit::none, "at most"},
                          {"bandwidth_low", Unit::bytes_per_second, "bandwidth"},
                          {"bandwidth_high", Unit::bytes_per_second, "at most"},
                          {"useful_bandwidth", Unit::bytes_per_second, "useful"},
                          {"peak_bandwidth", Unit::bytes_per_second, "peak"},
                          {"share_of_peak", Unit::ratio, "of peak"},
                          {"reuse", Unit::none},
                          {"requests", Unit::none},
                          {"fetch", Unit::none},
                          {"path", Unit::none},
                          {"joined", Unit::none, "joined passes"},
                          {"missing", Unit::none},
                          {"legacy_bytes", Unit::bytes, "legacy"}},
              .rows = {}};
  for (const L2Row& row : result.rows) table.rows.push_back(cells(data, row, options));
  return table;
}

}  // namespace jaxtrace
