#include "commands/kernels/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "analysis/kernel_pattern.h"
#include "commands/kernels/att_yaml.h"
#include "report/words.h"

namespace jaxtrace {
namespace {

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string intro(const std::vector<KernelRun>& runs, const KernelSums& sums) {
  std::string text =
      fmt::format("{} of {} took **{}**", counted(sums.calls, "call"),
                  counted(sums.kernels.size(), "kernel"), for_people(sums.total_ps, Unit::time));
  if (!sums.devices.empty() && runs.size() == 1) {
    text += fmt::format(" on {}", counted(sums.devices.size(), "GPU"));
  }
  text += ", from ";
  constexpr std::size_t kMost = 4;
  for (std::size_t i = 0; i < std::min(runs.size(), kMost); ++i) {
    text += (i == 0 ? "" : ", ") + escape_markdown(file_name(runs[i].times.file));
  }
  if (runs.size() > kMost) text += fmt::format(" and {} more", runs.size() - kMost);
  text += ". Shares are of that sum of durations";
  if (sums.skipped > 0) {
    text += fmt::format(", without the first launches of each kernel ({})",
                        counted(sums.skipped, "call"));
  }
  text += '.';
  if (std::ranges::any_of(
          runs, [](const KernelRun& run) { return run.times.source == TimesOf::counters; })) {
    text += " They were taken while counters were collected, which slows kernels down.";
  }
  return text;
}

/// What was compared and agrees.
std::string checked(const std::vector<KernelRun>& runs, const KernelSums& sums) {
  std::set<std::string> differ;
  for (const Finding& finding : sums.findings) {
    if (finding.code == "sources-disagree") differ.insert(finding.where);
  }
  std::string text;
  for (const KernelRun& run : runs) {
    for (const KernelTimes& other : run.others) {
      if (other.source == TimesOf::counters || differ.contains(other.file)) continue;
      text += (text.empty() ? "" : ", ") + escape_markdown(file_name(other.file));
    }
  }
  return text.empty() ? text : "Compared, and in agreement: " + text + '.';
}

/// A table with its first rows, without the columns that are hidden or empty all the way down.
Table page_table(Table table, std::size_t top, std::string_view hidden) {
  std::vector<std::size_t> keep;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool empty = std::ranges::all_of(table.rows, [&](const auto& row) {
      return std::holds_alternative<std::monostate>(row[i]);
    });
    if (!empty && hidden.find(table.columns[i].name) == std::string_view::npos) {
      keep.push_back(i);
    }
  }
  Table page{.id = table.id, .caption = table.caption, .columns = {}, .rows = {}};
  for (const std::size_t i : keep) page.columns.push_back(table.columns[i]);
  const std::size_t rows = top == 0 ? table.rows.size() : std::min(top, table.rows.size());
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<Cell> cells;
    for (const std::size_t column : keep) cells.push_back(table.rows[i][column]);
    page.rows.push_back(std::move(cells));
  }
  return page;
}

std::string rest_text(const KernelSums& sums, std::size_t top) {
  if (top == 0 || sums.kernels.size() <= top) return {};
  std::int64_t rest = sums.total_ps;
  for (std::size_t i = 0; i < top; ++i) rest -= std::min(rest, sums.kernels[i].total_ps);
  std::string text =
      fmt::format("The other {} took {}", counted(sums.kernels.size() - top, "kernel"),
                  for_people(rest, Unit::time));
  if (sums.total_ps > 0) {
    const double share = static_cast<double>(rest) / static_cast<double>(sums.total_ps);
    text += fmt::format(", {}", for_people(share, Unit::ratio));
  }
  return text + "; --top shows more of them.";
}

std::string graph_text(const KernelSums& sums) {
  const auto empty = std::ranges::count(sums.graphs, 0, &GraphSumRow::kernels);
  std::int64_t kernels = 0, time = 0;
  for (const GraphSumRow& graph : sums.graphs) {
    kernels += graph.kernels;
    time = std::min(time + std::min(graph.total_ps, sums.total_ps - time), sums.total_ps);
  }
  const auto launches = static_cast<std::int64_t>(sums.graphs.size());
  std::string text = fmt::format("{} graph {} ran {}", for_people(launches, Unit::count),
                                 launches == 1 ? "launch" : "launches", counted(kernels, "kernel"));
  if (sums.total_ps > 0) {
    text += fmt::format(
        ", {} of the kernels' durations",
        for_people(static_cast<double>(time) / static_cast<double>(sums.total_ps), Unit::ratio));
  }
  if (empty > 0) {
    text += fmt::format(
        "; {} of them {} no kernel in the trace, which did not record them or ended "
        "before",
        empty, empty == 1 ? "has" : "have");
  }
  return text + '.';
}

/// Other kernels that the expression for this one finds too.
std::vector<std::string_view> also_found(const KernelSums& sums, const KernelSumRow& kernel) {
  std::vector<std::string_view> found;
  const std::string_view base = base_name(kernel.kernel);
  for (const KernelSumRow& other : sums.kernels) {
    if (other.kernel != kernel.kernel && other.kernel.find(base) != std::string::npos) {
      found.push_back(other.kernel);
    }
  }
  return found;
}

}  // namespace

Report kernels_report(const std::vector<KernelRun>& runs, const KernelSums& sums, std::size_t top) {
  Report report{.title = "Kernels by time", .blocks = {}};
  report.blocks.emplace_back(Prose{intro(runs, sums)});
  if (const std::string text = checked(runs, sums); !text.empty()) {
    report.blocks.emplace_back(Prose{text});
  }
  report.blocks.emplace_back(Fact{"calls", sums.calls});
  report.blocks.emplace_back(Fact{"total_ps", sums.total_ps});
  report.blocks.emplace_back(page_table(kernels_table(sums), top, "grid include_regex"));
  if (const std::string text = rest_text(sums, top); !text.empty()) {
    report.blocks.emplace_back(Prose{text});
  }
  const auto shows_half = [](const DeviceSumRow& row) {
    return row.device.arch.starts_with("gfx950");
  };
  const auto has_registers = [](const KernelSumRow& row) {
    return row.vgprs && row.vgprs->most > 0 && row.accum_vgprs && row.accum_vgprs->most == 0;
  };
  if (std::ranges::any_of(sums.devices, shows_half) &&
      std::ranges::any_of(sums.kernels, has_registers)) {
    report.blocks.emplace_back(
        Prose{"On gfx950 many versions of rocprofv3 write half of the vector registers, and no "
              "accumulation registers; `jaxtrace hotspot` tells by the instructions."});
  }
  if (!sums.devices.empty()) {
    report.blocks.emplace_back(Heading{"GPUs"});
    report.blocks.emplace_back(page_table(devices_table(sums), 0, runs.size() > 1 ? "" : "file"));
  }
  if (!sums.graphs.empty()) {
    constexpr std::size_t kMostGraphs = 10;
    report.blocks.emplace_back(Heading{"Graph launches"});
    report.blocks.emplace_back(Prose{graph_text(sums)});
    report.blocks.emplace_back(page_table(graphs_table(sums), kMostGraphs, ""));
  }
  if (!sums.kernels.empty()) {
    // What the runtime copies and fills with is nobody's to change.
    const auto own = std::ranges::find_if_not(sums.kernels, [](const KernelSumRow& row) {
      return row.kernel.starts_with("__amd_rocclr_");
    });
    const KernelSumRow& first = own == sums.kernels.end() ? sums.kernels.front() : *own;
    const auto place = &first - sums.kernels.data() + 1;
    report.blocks.emplace_back(
        Heading{place == 1 ? "To trace the first" : fmt::format("To trace number {}", place)});
    report.blocks.emplace_back(Prose{fmt::format(
        "{}`kernel_include_regex` for rocprofv3: {}; --att-yaml prints the whole input.yaml.",
        place == 1 ? "" : "It is the first that is no copy or fill of the runtime. ",
        escape_markdown(include_regex(first.kernel)))});
  }
  return report;
}

Report att_report(const KernelSums& sums, const KernelSumRow& kernel) {
  Report report{.title = "A thread trace of one kernel", .blocks = {}};
  const double share =
      sums.total_ps > 0 ? static_cast<double>(kernel.total_ps) / static_cast<double>(sums.total_ps)
                        : 0;
  report.blocks.emplace_back(Prose{fmt::format(
      "{}: {}, {} of the kernels' durations. As input.yaml:", escape_markdown(kernel.kernel),
      counted(kernel.calls, "call"), for_people(share, Unit::ratio))});
  report.blocks.emplace_back(Prose{"```yaml\n" + att_yaml(kernel.kernel) + "```"});
  report.blocks.emplace_back(Fact{"kernel", kernel.kernel});
  report.blocks.emplace_back(Fact{"att_yaml", att_yaml(kernel.kernel)});
  Bullets notes{
      {"Run it: `rocprofv3 -i input.yaml -- COMMAND`, then `jaxtrace hotspot` on the "
       "ui_output_agent_* directory that it makes.",
       "Output empty: the expression matches no kernel name as rocprofv3 shows it, or the "
       "launches of kernel_iteration_range do not happen; try \"[0, [1-2]]\".",
       "No source lines in it: compile with debug information."}};
  const auto others = also_found(sums, kernel);
  if (!others.empty()) {
    constexpr std::size_t kMost = 3;
    std::string text =
        fmt::format("The expression finds {} too, whose launches are counted by themselves: ",
                    counted(others.size(), "other kernel"));
    for (std::size_t i = 0; i < std::min(others.size(), kMost); ++i) {
      text += (i == 0 ? "" : ", ") + escape_markdown(others[i]);
    }
    notes.items.push_back(text + (others.size() > kMost ? ", …" : ""));
  }
  if (kernel.calls < 4) {
    notes.items.push_back(fmt::format(
        "It was launched {} here; kernel_iteration_range asks for the third and fourth launch.",
        kernel.calls == 1 ? "once" : fmt::format("{} times", kernel.calls)));
  }
  report.blocks.emplace_back(std::move(notes));
  return report;
}

}  // namespace jaxtrace
