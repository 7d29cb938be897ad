// One dispatch gets a paragraph and its tables; several get a row each, and tables that hold the
// first few rows of every one.
#include "commands/hotspot/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "att/select.h"
#include "commands/hotspot/sections.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kOfEach = 3;  // Rows for each of several dispatches, if --topk says nothing.

bool has_sources(const HotspotDispatch& dispatch) {
  return std::ranges::any_of(dispatch.totals.lines,
                             [](const LineTotal& line) { return !line.line.empty(); });
}

std::size_t rows_of_each(Dispatches dispatches, const HotspotOptions& options) {
  return dispatches.size() > 1 && !options.topk_given ? kOfEach : options.topk;
}

/// Tables name the dispatch where there are several.
class RowWriter {
 public:
  RowWriter(Table& table, bool several) : table_(table), several_(several) {
    if (several_) table_.columns.insert(table_.columns.begin(), Column{"dispatch"});
  }

  void add(const HotspotDispatch& dispatch, std::vector<Cell> row) {
    if (several_) row.insert(row.begin(), dispatch.label);
    table_.rows.push_back(std::move(row));
  }

 private:
  Table& table_;
  bool several_;
};

Table class_table(Dispatches dispatches, const HotspotOptions& options) {
  Table table{.id = "stalls",
              .caption = "Stall by class of instruction",
              .columns = {{"class"},
                          {"stall_cycles", Unit::cycles, "stall"},
                          {"share_of_stall", Unit::ratio, "of stall"},
                          {"share_of_latency", Unit::ratio, "of latency"},
                          {"share_of_wave_time", Unit::ratio, "of wave time"},
                          {"instructions", Unit::count}},
              .rows = {}};
  const bool several = dispatches.size() > 1;
  if (!several) table.columns.push_back({"why"});
  RowWriter writer(table, several);
  for (const auto& dispatch : dispatches) {
    const Cycles& all = dispatch->totals.all;
    std::size_t left = several ? rows_of_each(dispatches, options) : kStallClasses;
    for (const ClassTotal& total : dispatch->totals.classes) {
      const std::int64_t stall = total.cycles.stall;
      if (stall == 0 || left-- == 0) break;
      std::vector<Cell> row = {
          std::string(name_of(total.stall_class)),     stall,
          optional_cell(ratio(stall, all.stall)),      optional_cell(ratio(stall, all.latency)),
          optional_cell(ratio(stall, all.of_waves())), total.instructions};
      if (!several) row.emplace_back(std::string(cause_of(total.stall_class)));
      writer.add(*dispatch, std::move(row));
    }
  }
  return table;
}

Table line_table(Dispatches dispatches, const HotspotOptions& options) {
  Table table{.id = "lines",
              .caption = "Source hotspots",
              .columns = {{"rank", Unit::none, "#"},
                          {"stall_cycles", Unit::cycles, "stall"},
                          {"share_of_stall", Unit::ratio, "of stall"},
                          {"stall_rate", Unit::ratio, "stall rate"},
                          {"class", Unit::none, "most of it"},
                          {"source", Unit::none, "line"}},
              .rows = {}};
  RowWriter writer(table, dispatches.size() > 1);
  for (const auto& dispatch : dispatches) {
    if (!has_sources(*dispatch)) continue;
    std::int64_t rank = 0;
    for (const LineTotal& line : dispatch->totals.lines) {
      if (line.cycles.stall == 0 ||
          rank == static_cast<std::int64_t>(rows_of_each(dispatches, options))) {
        break;
      }
      writer.add(*dispatch, {++rank, line.cycles.stall,
                             optional_cell(ratio(line.cycles.stall, dispatch->totals.all.stall)),
                             optional_cell(ratio(line.cycles.stall, line.cycles.latency)),
                             std::string(name_of(line.dominant())),
                             line.line.empty() ? std::string("(no line)") : line.line});
    }
  }
  return table;
}

Table instruction_table(Dispatches dispatches, const HotspotOptions& options) {
  Table table{.id = "instructions",
              .caption = "Instruction hotspots",
              .columns = {{"rank", Unit::none, "#"},
                          {"stall_cycles", Unit::cycles, "stall"},
                          {"share_of_stall", Unit::ratio, "of stall"},
                          {"stall_rate", Unit::ratio, "stall rate"},
                          {"hits", Unit::count},
                          {"class"},
                          {"line_number", Unit::none, "no."},
                          {"instruction"},
                          {"source", Unit::none, "line"}},
              .rows = {}};
  const bool any_source =
      std::ranges::any_of(dispatches, [](const auto& dispatch) { return has_sources(*dispatch); });
  if (!any_source) table.columns.pop_back();
  RowWriter writer(table, dispatches.size() > 1);
  for (const auto& dispatch : dispatches) {
    const auto& stalled = dispatch->totals.stalled;
    const std::size_t most = std::min(stalled.size(), rows_of_each(dispatches, options));
    for (std::size_t i = 0; i < most; ++i) {
      const Instruction& row = dispatch->trace.instructions[stalled[i]];
      std::vector<Cell> cells = {static_cast<std::int64_t>(i + 1),
                                 row.stall_cycles,
                                 optional_cell(ratio(row.stall_cycles, dispatch->totals.all.stall)),
                                 optional_cell(ratio(row.stall_cycles, row.latency_cycles)),
                                 row.hits,
                                 std::string(name_of(dispatch->totals.class_of[stalled[i]])),
                                 row.line,
                                 row.text};
      if (any_source) cells.push_back(text_cell(line_of(row.source, options.which)));
      writer.add(*dispatch, std::move(cells));
    }
  }
  return table;
}

Table dispatch_table(Dispatches dispatches) {
  Table table{.id = "dispatches",
              .caption = "",
              .columns = {{"dispatch"},
                          {"kernel"},
                          {"arch", Unit::none, "GPU"},
                          {"waves", Unit::count, "waves traced"},
                          {"instructions", Unit::count},
                          {"latency_cycles", Unit::cycles, "latency"},
                          {"stall_cycles", Unit::cycles, "stall"},
                          {"stall_share", Unit::ratio, "of latency"},
                          {"idle_cycles", Unit::cycles, "idle"},
                          {"top_class", Unit::none, "most stall"},
                          {"top_class_share", Unit::ratio, "of stall"}},
              .rows = {}};
  for (const auto& dispatch : dispatches) {
    const Totals& totals = dispatch->totals;
    std::vector<Cell> row = {dispatch->label,
                             text_cell(main_kernel(*dispatch)),
                             text_cell(dispatch->occupancy.arch.name),
                             optional_cell(traced_waves(*dispatch)),
                             static_cast<std::int64_t>(totals.class_of.size()),
                             totals.all.latency,
                             totals.all.stall,
                             optional_cell(ratio(totals.all.stall, totals.all.latency)),
                             totals.all.idle};
    if (totals.all.stall > 0) {
      const ClassTotal& top = totals.classes.front();
      row.emplace_back(std::string(name_of(top.stall_class)));
      row.push_back(optional_cell(ratio(top.cycles.stall, totals.all.stall)));
    } else {
      row.resize(row.size() + 2);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table kernel_table(Dispatches dispatches) {
  Table table{.id = "kernels",
              .caption = "Kernels and functions in the same trace",
              .columns = {{"kernel"},
                          {"instructions", Unit::count},
                          {"hits", Unit::count},
                          {"latency_cycles", Unit::cycles, "latency"},
                          {"stall_cycles", Unit::cycles, "stall"},
                          {"stall_share", Unit::ratio, "of stall"}},
              .rows = {}};
  RowWriter writer(table, dispatches.size() > 1);
  for (const auto& dispatch : dispatches) {
    if (dispatch->totals.kernels.size() < 2) continue;
    for (const KernelTotal& total : dispatch->totals.kernels) {
      const std::string_view name = name_of(dispatch->trace.kernels[total.kernel]);
      writer.add(*dispatch,
                 {name.empty() ? std::string("(no name)") : std::string(name), total.instructions,
                  total.cycles.hits, total.cycles.latency, total.cycles.stall,
                  optional_cell(ratio(total.cycles.stall, dispatch->totals.all.stall))});
    }
  }
  return table;
}

/// How much of the stall other work of the same SIMD covered.
std::string hidden_text(const HotspotDispatch& dispatch) {
  if (!dispatch.hidden) return "";
  std::int64_t stall = 0, hidden = 0;
  for (const std::int64_t cycles : dispatch.hidden->stall_cycles) stall += cycles;
  for (const std::int64_t cycles : dispatch.hidden->hidden_cycles) hidden += cycles;
  return fmt::format(
      " For {} of the stall the SIMD's matrix or vector units were busy all the same.",
      share_text(hidden, stall));
}

/// "micro_tk(micro_globals), dispatch 608, on gfx942 (by …): 672 instructions, …"
std::string opening(const HotspotDispatch& dispatch, const HotspotOptions& options) {
  const Totals& totals = dispatch.totals;
  const std::string_view kernel = main_kernel(dispatch);
  std::string text =
      kernel.empty() ? "A kernel without a name" : "**" + escape_markdown(kernel) + "**";
  if (options.merge && totals.kernels.size() > 1) {
    text += fmt::format(
        " and {}", counted(static_cast<std::int64_t>(totals.kernels.size()) - 1, "other kernel"));
  }
  text += " in " + escape_markdown(dispatch.label);
  if (const DetectedArch& arch = dispatch.occupancy.arch; !arch.name.empty()) {
    text += ", on " + escape_markdown(arch.name);
    if (!arch.evidence.empty()) {
      text += fmt::format(" ({}{})", arch.evidence.starts_with("no ") ? "" : "by ",
                          escape_markdown_sentence(arch.evidence));
    }
  }
  text += fmt::format(": {}", counted(totals.class_of.size(), "instruction"));
  if (const auto waves = traced_waves(dispatch)) text += ", " + counted(*waves, "wave") + " traced";
  text += fmt::format(
      ".\n\n{} cycles of latency: {} of stall ({}) and {} of issue. {} idle cycles between "
      "instructions come on top.",
      count_text(totals.all.latency), count_text(totals.all.stall),
      share_text(totals.all.stall, totals.all.latency), count_text(totals.all.issue()),
      count_text(totals.all.idle));
  text += hidden_text(dispatch);
  text +=
      " Cycles are sums over the traced waves of one CU: they say where waves waited, not how long "
      "the kernel ran.";
  return text;
}

/// The row of the one dispatch, for machines.
void add_facts(Report& report, Dispatches dispatches) {
  const Table table = dispatch_table(dispatches);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    report.blocks.emplace_back(Fact{table.columns[i].name, table.rows.front()[i]});
  }
  report.blocks.emplace_back(Fact{"divided_cycles", dispatches.front()->totals.divided_cycles});
}

/// What was lost or is wrong, before any number.
void add_losses(Report& report, Dispatches dispatches) {
  Bullets bullets;
  for (const auto& dispatch : dispatches) {
    for (const Finding& finding : dispatch->findings) {
      if (finding.severity == Severity::note) continue;
      bullets.items.push_back(escape_markdown(finding.where) + ": " +
                              escape_markdown_sentence(finding.message));
    }
  }
  if (bullets.items.empty()) return;
  report.blocks.emplace_back(Prose{"What is lost or wrong in this recording:"});
  report.blocks.emplace_back(std::move(bullets));
}

void add_table(Report& report, Table table) {
  if (!table.rows.empty()) report.blocks.emplace_back(std::move(table));
}

/// Each sentence once, with the dispatches that it is true of unless that is all of them.
void add_remedies(Report& report, Dispatches dispatches) {
  std::vector<std::pair<std::string, std::vector<std::string>>> sentences;
  for (const auto& dispatch : dispatches) {
    for (const std::string& sentence : remedies(*dispatch)) {
      auto same =
          std::ranges::find_if(sentences, [&](const auto& s) { return s.first == sentence; });
      if (same == sentences.end()) same = sentences.insert(same, {sentence, {}});
      same->second.push_back(dispatch->label);
    }
  }
  if (sentences.empty()) return;
  Bullets bullets;
  for (const auto& [sentence, labels] : sentences) {
    std::string where;
    for (const std::string& label : labels) {
      where += (where.empty() ? "" : ", ") + escape_markdown(label);
    }
    bullets.items.push_back(labels.size() == dispatches.size() ? sentence
                                                               : where + ": " + sentence);
  }
  report.blocks.emplace_back(Prose{"About the recording:"});
  report.blocks.emplace_back(std::move(bullets));
}

}  // namespace

Report hotspot_report(Dispatches dispatches, const HotspotOptions& options) {
  const bool several = dispatches.size() > 1;
  Report report{.title = several ? "Where the kernels stall" : "Where the kernel stalls",
                .blocks = {}};
  add_losses(report, dispatches);
  if (several) {
    Table table = dispatch_table(dispatches);
    table.caption =
        "Cycles are sums over the traced waves of one CU: they say where waves waited, not how "
        "long "
        "a kernel ran.";
    report.blocks.emplace_back(std::move(table));
  } else {
    report.blocks.emplace_back(Prose{opening(*dispatches.front(), options)});
    add_facts(report, dispatches);
  }
  add_verification(report, dispatches);
  add_remedies(report, dispatches);
  add_table(report, kernel_table(dispatches));
  add_table(report, class_table(dispatches, options));
  if (options.by_source) {
    add_table(report, line_table(dispatches, options));
    if (options.detail) {
      for (const auto& dispatch : dispatches) add_details(report, *dispatch, options, several);
    }
  }
  if (options.by_instruction) add_table(report, instruction_table(dispatches, options));
  if (!several) {
    add_waits(report, *dispatches.front());
    add_loops(report, *dispatches.front());
  }
  add_occupancy(report, dispatches);
  if (options.plan) add_plan(report, dispatches);
  return report;
}

}  // namespace jaxtrace
