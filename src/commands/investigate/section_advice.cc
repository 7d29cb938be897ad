// Steps 6 and 7: what to change, what not to trust, and which capture would tell more.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/text.h"
#include "commands/investigate/sections.h"
#include "commands/investigate/tables.h"
#include "commands/investigate/words.h"
#include "commands/skip_stats/words.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kMostChanges = 10;
constexpr std::size_t kMostExplained = 5;
constexpr std::size_t kMostDistrusts = 20;

std::string explained(const Proposal& change) {
  std::string out = fmt::format("**{}**", escape_markdown_sentence(change.cause));
  if (!change.because.empty())
    out += fmt::format(" ({})", escape_markdown_sentence(change.because));
  out += ':';
  if (!change.assumption.empty()) out += fmt::format(" assumes that {}.", change.assumption);
  if (!change.knob.empty()) out += fmt::format(" Hypothesis: {}.", change.knob);
  if (!change.confirm.empty()) out += fmt::format(" To confirm: {}.", change.confirm);
  return out;
}

/// What gains something, and kernels that hold much of the path.
bool is_worth_words(const Proposal& change) {
  constexpr double kMuch = 0.1;
  return change.worth || (change.id == "compute" && change.path_share.value_or(0) >= kMuch);
}

/// Rows that would only fill the page; changes.csv has them.
bool is_noise(const Proposal& change) {
  constexpr double kLittle = 0.005;
  return !change.worth && change.path_share.value_or(0) < kLittle;
}

}  // namespace

std::string nothing_to_gain(const Changes& changes) {
  constexpr double kWorth = 0.03;
  for (const Proposal& change : changes.causes) {
    if (change.id == "compute" || change.path_share.value_or(0) < kWorth) continue;
    return fmt::format(
        "Most to gain: {} ({} of the critical path), of which no estimate tells; then in the "
        "kernels themselves.",
        change.cause, percent(*change.path_share));
  }
  return "Most to gain: in the kernels themselves; no other loss is worth 3 % of the step.";
}

void add_changes(Report& report, const Investigation& all) {
  report.blocks.emplace_back(Heading{"6. What to change"});
  const Changes& changes = all.changes;
  if (!changes.why_none.empty()) {
    report.blocks.emplace_back(
        Prose{fmt::format("No estimate: {}.", escape_markdown_sentence(changes.why_none))});
    return;
  }
  Table table =
      excerpt(changes_table(all), {"id", "cause", "path_share", "step_ps", "speedup", "part_of"},
              changes.causes.size());
  std::size_t place = 0;
  std::erase_if(table.rows, [&](const auto&) { return is_noise(changes.causes[place++]); });
  if (table.rows.size() > kMostChanges) table.rows.resize(kMostChanges);
  for (auto& row : table.rows) {
    Cell& speedup = row[4];
    if (const auto* value = std::get_if<double>(&speedup)) speedup = fmt::format("{:.2f}", *value);
  }
  table.caption = fmt::format(
      "Causes by their share of the critical path ({}), and how long the step of {} on {} would be "
      "without them: estimates, not run, each an upper bound of the gain; a part counts in its "
      "whole again, and the path may cross GPUs where the step does not:",
      shown(changes.window), shown(changes.step),
      escape_markdown(gpu_name(all, all.skip.verdict.device)));
  show(report, std::move(table));

  Bullets bullets;
  for (const Proposal& change : changes.causes) {
    if (bullets.items.size() == kMostExplained) break;
    if (is_worth_words(change)) bullets.items.push_back(explained(change));
  }
  if (bullets.items.empty()) {
    report.blocks.emplace_back(Prose{nothing_to_gain(changes)});
  } else {
    report.blocks.emplace_back(std::move(bullets));
  }
  Bullets joint;
  for (const Proposal& change : changes.joint) {
    if (!change.step) continue;
    joint.items.push_back(fmt::format("Without {}: {}, if {}.", change.cause, shown(*change.step),
                                      change.assumption));
  }
  report.blocks.emplace_back(std::move(joint));
}

void add_trust(Report& report, const Investigation& all) {
  report.blocks.emplace_back(Heading{"7. What this trace cannot be trusted for"});
  if (all.distrusts.empty()) {
    report.blocks.emplace_back(Prose{"Nothing is known against it."});
  }
  Table table =
      excerpt(distrust_table(all), {"affects", "count", "share", "share_of", "reason", "remedy"},
              kMostDistrusts);
  for (auto& row : table.rows) {
    for (Cell& cell : row) {
      if (auto* words = std::get_if<std::string>(&cell)) *words = plain(*words);
    }
  }
  if (all.distrusts.size() > kMostDistrusts) {
    table.caption = fmt::format("The first {} of {} (cannot_trust.csv has all):", kMostDistrusts,
                                all.distrusts.size());
  }
  show(report, std::move(table));

  if (all.new_captures.empty()) return;
  report.blocks.emplace_back(Prose{"New captures needed, each with what it would answer:"});
  Bullets bullets;
  for (const NewCapture& row : all.new_captures) {
    const bool code = contains(row.capture, "COMMAND") || contains(row.capture, "start_trace(NEW");
    bullets.items.push_back(fmt::format(
        "{} Record {}. Then `{}`.", escape_markdown_sentence(row.question),
        code ? "`" + plain(row.capture) + "`" : escaped_but_code(row.capture), plain(row.command)));
  }
  report.blocks.emplace_back(std::move(bullets));
}

}  // namespace jaxtrace
