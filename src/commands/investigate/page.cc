// The page for people, section by section; then the same for machines, in named groups.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "commands/attribute/shown_tables.h"
#include "commands/investigate/sections.h"
#include "commands/investigate/tables.h"
#include "commands/investigate/words.h"
#include "commands/skip_stats/cells.h"
#include "commands/skip_stats/shown_tables.h"
#include "commands/skip_stats/verdict_text.h"
#include "commands/skip_stats/words.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kJsonRows = 200;  // Of tables that grow with the program; CSV has all.

/// What gains most; of all host time the one class that is most of it, which says what to do.
const Proposal* most_to_gain(const Changes& changes) {
  const Picoseconds step = changes.step;
  const Proposal* best = nullptr;
  for (const Proposal& row : changes.causes) {
    if (!row.worth || !row.step) continue;
    if (best == nullptr) {
      best = &row;
    } else if (row.part_of == best->id && (step - *row.step) * 2 >= step - *best->step) {
      return &row;
    }
  }
  return best;
}

/// The line that pays for most time, forward and backward together.
std::pair<std::string, std::int64_t> top_line(const Investigation& all) {
  const std::vector<Cost> costs = cost_by_op(measured(all));
  std::map<std::pair<std::string, std::int32_t>, std::int64_t> lines;
  for (std::size_t i = 0; i < all.ops.rows.size(); ++i) {
    const hlo::Location& at = all.ops.rows[i].source.user;
    if (!at.file.empty()) lines[{at.file, at.line}] += costs[i].total_ps;
  }
  std::pair<std::string, std::int64_t> top;
  for (const auto& [at, time] : lines) {
    if (time > top.second) top = {short_location({at.first, at.second, {}}), time};
  }
  return top;
}

/// The page in a few lines.
Bullets in_short(const Investigation& all) {
  Bullets out;
  if (all.sums.all.kernels == 0) return out;
  out.items.push_back(verdict_text(found(all)));
  const auto fatal = std::ranges::count(all.distrusts, Gravity::fatal, &Distrust::gravity);
  if (const auto [line, time] = top_line(all); time > 0) {
    out.items.push_back(fmt::format("Most {}GPU time: {} ({} of it).",
                                    fatal > 0 ? "of the recorded " : "", escape_markdown(line),
                                    share_text(time, all.sums.all.total_ps)));
  }
  if (const Proposal* const best = most_to_gain(all.changes)) {
    out.items.push_back(fmt::format(
        "Most to gain: without {} a step would take {} instead of {} (estimate, not run).",
        escape_markdown_sentence(best->cause), shown(*best->step), shown(all.changes.step)));
  } else if (all.changes.why_none.empty()) {
    out.items.push_back(nothing_to_gain(all.changes));
  }
  const auto& causes = all.changes.causes;
  const auto work = std::ranges::find(causes, "compute", &Proposal::id);
  if (work != causes.end() && work == causes.begin() && !work->because.empty()) {
    out.items.push_back(fmt::format(
        "Most of the critical path: {}, {} of it ({}).", escape_markdown_sentence(work->cause),
        percent(work->path_share.value_or(0)), escape_markdown_sentence(work->because)));
  }
  std::string doubt = "Not to be trusted: " + counted(all.distrusts.size(), "point");
  if (fatal > 0) {
    doubt += fmt::format(", {} of them so grave that a claim is refused. First: {}, for {}", fatal,
                         escape_markdown_sentence(all.distrusts.front().affects),
                         escape_markdown_sentence(all.distrusts.front().reason));
  }
  out.items.push_back(doubt + '.');
  return out;
}

Bundle verdict_group(const Investigation& all) {
  const Verdict& verdict = all.skip.verdict;
  const bool judged = verdict.why_inconclusive.empty();
  const Steps& steps = all.skip.steps;
  Bundle group{.key = "verdict", .facts = {}, .tables = {}};
  const auto add = [&](std::string key, Cell value) {
    group.facts.push_back({std::move(key), std::move(value)});
  };
  add("bound", judged ? in_words(verdict.decision) : std::string("inconclusive"));
  add("why_inconclusive", text(verdict.why_inconclusive));
  add("confidence", judged ? text(in_words(verdict.confidence)) : Cell());
  add("host_kind", text(in_words(verdict.host)));
  add("device", all.skip.devices.empty() ? Cell() : Cell(gpu_name(all, verdict.device)));
  add("straggler",
      all.skip.stragglers.device ? Cell(gpu_name(all, *all.skip.stragglers.device)) : Cell());
  add("step_rule", std::string(name_of(steps.rule)));
  add("steps_kept", count(steps.kept));
  add("median_step", steps.median ? Cell(steps.steps[*steps.median].number) : Cell());
  add("median_step_ps", steps.median ? time(steps.steps[*steps.median].period) : Cell());
  add("refuted_by", text(verdict.refuted_by));
  return group;
}

Bundle budget_group(const Investigation& all) {
  Bundle group{.key = "budget", .facts = {}, .tables = {}};
  const Found of_skip = found(all);
  group.tables = {devices_table(of_skip), streams_table(of_skip), path_table(all)};
  Table causes = causes_table(of_skip);
  if (causes.rows.size() > kJsonRows) causes.rows.resize(kJsonRows);
  group.tables.push_back(std::move(causes));
  return group;
}

Bundle attribution_group(const Investigation& all) {
  const Measured of_attribute = measured(all);
  const std::vector<Cost> costs = cost_by_op(of_attribute);
  const std::int64_t total = all.sums.all.total_ps;
  Bundle group{.key = "attribution", .facts = {}, .tables = {}};
  group.facts = {{"device_events", all.sums.all.kernels},
                 {"total_ps", total},
                 {"attributed_share", share(total - all.sums.all.of(Match::none), total)},
                 {"line_share", share(time_with_a_line(of_attribute, costs), total)},
                 {"tracer_share", share(all.sums.tracer_ps, total)}};
  group.tables = {match_table(of_attribute),
                  unexplained_table(of_attribute),
                  top_lines(of_attribute, kJsonRows),
                  top_ops(of_attribute, costs, kJsonRows),
                  phases_table(all),
                  collectives_table(all)};
  return group;
}

Bundle roofline_group(const Investigation& all) {
  const Roofline& roofline = all.roofline;
  Bundle group{.key = "roofline", .facts = {}, .tables = {}};
  group.facts = {{"machine", roofline.machine ? text(roofline.machine->name) : Cell()},
                 {"source", roofline.machine ? text(roofline.machine->source) : Cell()},
                 {"why_no_machine", text(roofline.no_machine)},
                 {"rooflined_ps", time(roofline.rooflined)},
                 {"all_ps", time(roofline.all)},
                 {"rooflined_share", share(roofline.rooflined.count(), roofline.all.count())}};
  Table rows = roofline_table(all);
  rows.id = "instructions";
  if (rows.rows.size() > kJsonRows) rows.rows.resize(kJsonRows);
  group.tables = {not_rooflined_table(all), std::move(rows)};
  return group;
}

}  // namespace

Report page(const Investigation& all, std::string_view version) {
  Report report{
      .title = "Why this program is slow, what to change, and what this trace cannot tell",
      .blocks = {}};
  std::string notes;
  for (const std::string& note : all.trace.notes) {
    notes += notes.empty() ? "" : " ";
    notes += escape_markdown_sentence(note);
  }
  if (!notes.empty()) report.blocks.emplace_back(Prose{notes});
  if (Bullets brief = in_short(all); !brief.items.empty()) {
    report.blocks.emplace_back(std::move(brief));
  }
  add_verdict(report, all);
  add_integrity(report, all);
  add_swimlane(report, all);
  add_attribution(report, all);
  add_roofline(report, all);
  add_changes(report, all);
  add_trust(report, all);

  report.blocks.emplace_back(Fact{"version", std::string(version)});
  report.blocks.emplace_back(verdict_group(all));
  report.blocks.emplace_back(Annex{integrity_table(all)});
  report.blocks.emplace_back(budget_group(all));
  report.blocks.emplace_back(attribution_group(all));
  report.blocks.emplace_back(roofline_group(all));
  for (Table table : {changes_table(all), distrust_table(all), new_captures_table(all)}) {
    report.blocks.emplace_back(Annex{std::move(table)});
  }
  return report;
}

}  // namespace jaxtrace
