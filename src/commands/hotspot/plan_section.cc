// --plan: Stall Summary, Hotspot Analysis, Priority Order; and --verify, in a sentence.
#include <fmt/format.h>

#include "commands/hotspot/sections.h"

namespace jaxtrace {
namespace {

std::string place(const HotspotDispatch& dispatch, const PlanItem& item) {
  const auto& rows = dispatch.trace.instructions;
  if (!item.source.empty()) return escape_markdown(item.source);
  if (item.rows.empty()) return "whole kernel";
  const std::int64_t first = rows[item.rows.front()].line;
  const std::int64_t last = rows[item.rows.back()].line;
  if (first == last) return fmt::format("instruction {}", first);
  return fmt::format("instructions {} to {}", first, last);
}

void add_item(Report& report, const HotspotDispatch& dispatch, const PlanItem& item,
              std::size_t rank) {
  const Plan& plan = dispatch.plan;
  report.blocks.emplace_back(Prose{fmt::format(
      "**#{}** {}: stall {} ({} of all), {}, stall rate {}", rank, place(dispatch, item),
      count_text(item.stall_cycles), share_text(item.stall_cycles, plan.stall_cycles),
      escape_markdown(item.stall_class), share_text(item.stall_cycles, item.latency_cycles))});
  Bullets bullets;
  bullets.items.push_back("Root cause: " + escape_markdown_sentence(item.cause));
  bullets.items.push_back("Fix: " + escape_markdown_sentence(item.fix));
  if (item.gain_cycles) {
    bullets.items.push_back(fmt::format(
        "Estimated gain: about {} of the waves' cycles (a hypothesis: {}). Check that results stay "
        "right, and time it again.",
        share_text(*item.gain_cycles, plan.wave_cycles),
        escape_markdown_sentence(item.assumption)));
  } else {
    bullets.items.push_back("Estimated gain: not known: " +
                            escape_markdown_sentence(item.assumption));
  }
  bullets.items.push_back("Evidence: " + escape_markdown_sentence(item.evidence));
  report.blocks.emplace_back(std::move(bullets));
}

/// One row for each item, for machines and for those who read no further.
Table overview(Dispatches dispatches) {
  Table table{.id = "plan",
              .caption = "",
              .columns = {{"rank", Unit::none, "#"},
                          {"priority"},
                          {"pattern"},
                          {"source", Unit::none, "line"},
                          {"class"},
                          {"stall_cycles", Unit::cycles, "stall"},
                          {"share_of_stall", Unit::ratio, "of stall"},
                          {"gain_cycles", Unit::cycles, "gain"},
                          {"gain_share", Unit::ratio, "of wave time"},
                          {"effort"}},
              .rows = {}};
  const bool several = dispatches.size() > 1;
  if (several) table.columns.insert(table.columns.begin(), Column{"dispatch"});
  for (const auto& dispatch : dispatches) {
    const Plan& plan = dispatch->plan;
    std::int64_t rank = 0;
    for (const PlanItem& item : plan.items) {
      std::vector<Cell> row = {
          ++rank,
          std::string(name_of(item.priority)),
          item.pattern,
          text_cell(item.source),
          text_cell(item.stall_class),
          item.stall_cycles,
          optional_cell(ratio(item.stall_cycles, plan.stall_cycles)),
          optional_cell(item.gain_cycles),
          item.gain_cycles ? optional_cell(ratio(*item.gain_cycles, plan.wave_cycles)) : Cell(),
          item.effort};
      if (several) row.insert(row.begin(), dispatch->label);
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

void add_priorities(Report& report, const HotspotDispatch& dispatch) {
  const Plan& plan = dispatch.plan;
  std::string text;
  for (std::size_t i = 0; i < plan.items.size(); ++i) {
    const PlanItem& item = plan.items[i];
    text += fmt::format("{}{}. [{}] {} ({} of all stall, {})", i == 0 ? "" : "\n", i + 1,
                        name_of(item.priority), escape_markdown_sentence(item.fix),
                        share_text(item.stall_cycles, plan.stall_cycles), item.effort);
  }
  report.blocks.emplace_back(Heading{"Priority Order"});
  report.blocks.emplace_back(Prose{text});
  if (plan.items.size() > 1) {
    report.blocks.emplace_back(
        Prose{fmt::format("Gains overlap: all together about {}.",
                          share_text(plan.combined_gain_cycles, plan.wave_cycles))});
  }
}

void add_plan_of(Report& report, const HotspotDispatch& dispatch, bool several) {
  const Plan& plan = dispatch.plan;
  const std::string of = several ? ": " + escape_markdown(dispatch.label) : "";
  report.blocks.emplace_back(Heading{"Stall Summary" + of});
  Bullets summary;
  summary.items.push_back(fmt::format("Total stalls: {} cycles ({} of latency, {} of wave time)",
                                      count_text(plan.stall_cycles),
                                      share_text(plan.stall_cycles, plan.latency_cycles),
                                      share_text(plan.stall_cycles, plan.wave_cycles)));
  if (!plan.top_class.empty()) {
    summary.items.push_back(fmt::format("Top stall type: {} ({})", escape_markdown(plan.top_class),
                                        share_text(plan.top_class_cycles, plan.stall_cycles)));
  }
  for (const PlanArtefact& artefact : plan.artefacts) {
    summary.items.push_back(fmt::format("Set aside: {} ({} of stall): {}",
                                        escape_markdown(artefact.source),
                                        share_text(artefact.stall_cycles, plan.stall_cycles),
                                        escape_markdown_sentence(artefact.why)));
  }
  for (const std::string& note : plan.notes) {
    // Written for a terminal: its backticks are no names of the capture.
    std::string plain = note;
    std::erase(plain, '`');
    summary.items.push_back(escape_markdown_sentence(plain));
  }
  report.blocks.emplace_back(std::move(summary));
  if (plan.items.empty()) return;
  report.blocks.emplace_back(Heading{"Hotspot Analysis"});
  for (std::size_t i = 0; i < plan.items.size(); ++i) {
    add_item(report, dispatch, plan.items[i], i + 1);
  }
  add_priorities(report, dispatch);
}

std::string verification_text(const HotspotDispatch& dispatch) {
  const Verification& verification = *dispatch.verification;
  if (verification.waves == 0) return "not verified: there are no wave files.";
  const std::string waves = counted(verification.waves, "wave file");
  if (!verification.wrong.empty()) {
    const VerifiedLine& first = verification.wrong.front();
    return fmt::format(
        "{} and {} contradict each other on {} of {} instructions; the first is number {}, with {} "
        "stall cycles and {} in its waves.",
        dispatch.trace.file, waves, verification.wrong.size(), verification.lines, first.line,
        counted(first.in_code.hits, "hit") + " and " + count_text(first.in_code.stall),
        counted(first.in_waves.hits, "hit") + " and " + count_text(first.in_waves.stall));
  }
  if (!verification.all_waves) {
    return fmt::format("{} of {} are there; none exceeds {}, which is all that can be verified.",
                       count_text(static_cast<std::int64_t>(verification.waves)),
                       counted(dispatch.trace.waves_listed, "wave file"), dispatch.trace.file);
  }
  return fmt::format("{} and all {} agree on every instruction.", dispatch.trace.file, waves);
}

}  // namespace

void add_plan(Report& report, Dispatches dispatches) {
  Table table = overview(dispatches);
  if (!table.rows.empty()) {
    report.blocks.emplace_back(Heading{"What to try"});
    report.blocks.emplace_back(std::move(table));
  }
  for (const auto& dispatch : dispatches) add_plan_of(report, *dispatch, dispatches.size() > 1);
}

void add_verification(Report& report, Dispatches dispatches) {
  Bullets bullets;
  for (const auto& dispatch : dispatches) {
    if (!dispatch->verification) continue;
    bullets.items.push_back(escape_markdown(dispatch->label) + ": " + verification_text(*dispatch));
  }
  if (bullets.items.empty()) return;
  report.blocks.emplace_back(Prose{"Verification against the wave files:"});
  report.blocks.emplace_back(std::move(bullets));
}

}  // namespace jaxtrace
