// The table shows only columns that hold something, so that it fits a screen; --out has them all.
#include "commands/pmc_l2/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "commands/pmc_l2/figures.h"
#include "counters/collect.h"
#include "report/words.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kMostRows = 20;
constexpr std::size_t kMostDetails = 3;

std::string title_of(const CounterData& data, const L2Result& result, const L2Row& row) {
  const bool one = std::ranges::all_of(
      result.rows, [&](const L2Row& other) { return other.agent == row.agent; });
  return escape_markdown(data.kernels[row.kernel]) +
         (one ? "" : " on " + escape_markdown(data.agents[row.agent].name));
}

/// "gfx942, AMD Instinct MI300X", or what the counters' names tell of the GPU.
std::string gpu_text(const CountedAgent& gpu, const L2Row& row, const L2Options& options) {
  const std::string& arch = options.arch.empty() ? gpu.arch : options.arch;
  if (!arch.empty()) {
    return escape_markdown(arch) + (gpu.product.empty() ? "" : ", " + escape_markdown(gpu.product));
  }
  switch (row.formula) {
    case FetchFormula::sizes_32_64:
      return "gfx90a or older, by the names of its counters";
    case FetchFormula::unknown_ea0:
      return "gfx94* or gfx950, by the names of its counters; --arch says which";
    case FetchFormula::sizes_to_128:
      return "gfx10 or later, by the names of its counters";
    case FetchFormula::bubble:
    case FetchFormula::sizes_32_64_128:
    case FetchFormula::unknown:
      break;
  }
  return "of an architecture not known: no agent_info.csv beside the file, and no --arch";
}

std::string intro(const CounterData& data, const L2Result& result, const L2Options& options) {
  std::uint64_t dispatches = 0;
  std::set<std::uint32_t> kernels, agents;
  for (const L2Row& row : result.rows) {
    dispatches += row.dispatches;
    kernels.insert(row.kernel);
    agents.insert(row.agent);
  }
  std::set<std::string> files;
  for (const Recording& recording : data.recordings) files.insert(recording.file);
  std::string text = fmt::format("{} of {}", counted(dispatches, "dispatch", "dispatches"),
                                 counted(kernels.size(), "kernel", "kernels"));
  constexpr std::size_t kMostAgents = 8;
  std::size_t listed = 0;
  for (const std::uint32_t agent : agents) {
    if (listed == kMostAgents) {
      text += fmt::format(" and {} more", agents.size() - listed);
      break;
    }
    const L2Row& row = *std::ranges::find(result.rows, agent, &L2Row::agent);
    const CountedAgent& gpu = data.agents[agent];
    text += (listed++ == 0 ? " on " : ", ") +
            (gpu.name.empty() ? "a GPU" : escape_markdown(gpu.name)) + " (" +
            gpu_text(gpu, row, options) + ')';
  }
  const char* const ideal =
      options.ideal_bytes && kernels.size() > 1
          ? " --ideal-gb was taken for every kernel; --kernel chooses its own."
          : "";
  return text + fmt::format(
                    ", from {}. Times are those of runs that count, which are slower than "
                    "runs that do not.{}",
                    counted(files.size(), "file", "files"), ideal);
}

/// The columns of the page, of those that hold something.
Table page_table(const Table& full) {
  constexpr std::string_view kShown[] = {
      "kernel",           "agent",           "dispatches",      "time_ps",
      "hit_rate",         "share_32b",       "share_64b",       "share_128b",
      "read_bytes_low",   "read_bytes_high", "dram_read_bytes", "written_bytes",
      "over_fetch_low",   "over_fetch_high", "bandwidth_low",   "bandwidth_high",
      "useful_bandwidth", "share_of_peak",   "joined"};
  const auto column = [&](std::string_view name) {
    return static_cast<std::size_t>(std::ranges::find(full.columns, name, &Column::name) -
                                    full.columns.begin());
  };
  const auto repeats = [&](std::string_view high) {
    const std::size_t at = column(high);
    if (!high.ends_with("_high")) return false;
    // The upper end stands beside the lower one if they ever differ.
    return std::ranges::all_of(full.rows, [&](const auto& row) { return row[at] == row[at - 1]; });
  };
  Table table{.id = full.id, .caption = full.caption, .columns = {}, .rows = {}};
  table.rows.resize(std::min(full.rows.size(), kMostRows));
  for (const std::string_view name : kShown) {
    const std::size_t at = column(name);
    const bool empty = std::ranges::all_of(full.rows, [&](const auto& row) {
      return std::holds_alternative<std::monostate>(row[at]);
    });
    if (empty || repeats(name)) continue;
    table.columns.push_back(full.columns[at]);
    for (std::size_t i = 0; i < table.rows.size(); ++i) table.rows[i].push_back(full.rows[i][at]);
  }
  if (full.rows.size() > kMostRows) {
    table.caption += fmt::format(": the first {} of {}; --out has them all, --kernel chooses",
                                 kMostRows, full.rows.size());
  }
  return table;
}

}  // namespace

Report l2_report(const CounterData& data, const L2Result& result, const L2Options& options) {
  Report report{.title = "L2 and what lies past it", .blocks = {}};
  report.blocks.emplace_back(Prose{intro(data, result, options)});
  report.blocks.emplace_back(page_table(l2_table(data, result, options)));

  const std::size_t details = std::min(result.rows.size(), kMostDetails);
  for (std::size_t i = 0; i < details; ++i) {
    const L2Row& row = result.rows[i];
    report.blocks.emplace_back(Heading{title_of(data, result, row)});
    report.blocks.emplace_back(Bullets{figure_items(row, options)});
  }

  const bool unknown = std::ranges::any_of(result.rows, [](const L2Row& row) {
    return row.formula == FetchFormula::unknown && !row.missing_hits.empty();
  });
  if (unknown) {
    report.blocks.emplace_back(Heading{"To collect next"});
    report.blocks.emplace_back(
        Prose{"Which counters tell more depends on the GPU, which neither the file nor an "
              "agent_info.csv beside it names; with --arch the list stands here."});
    return report;
  }
  const auto passes = passes_to_collect(result.rows);
  if (passes.empty()) return report;
  report.blocks.emplace_back(Heading{"To collect next"});
  report.blocks.emplace_back(
      Prose{"One run for each line, never more than four L2 counters in one:"});
  std::string lines = "```sh";
  for (const auto& pass : passes) {
    lines += "\nrocprofv3 --pmc";
    for (const std::string& name : pass) lines += ' ' + name;
    lines += " -f csv -- COMMAND";
  }
  report.blocks.emplace_back(Prose{lines + "\n```"});
  return report;
}

}  // namespace jaxtrace
