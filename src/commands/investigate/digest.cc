// Rows are taken from the same tables as everywhere, as many as fit.
#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "commands/attribute/shown_tables.h"
#include "commands/investigate/sections.h"
#include "commands/investigate/tables.h"
#include "commands/investigate/words.h"
#include "commands/skip_stats/cells.h"
#include "commands/skip_stats/shown_tables.h"
#include "commands/skip_stats/verdict_text.h"
#include "report/text.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kMostBytes = 4096;
constexpr std::size_t kMostRows = 6;

/// Long names and sentences, shortened until the whole fits.
void shorten(Table& table, std::size_t most) {
  for (auto& row : table.rows) {
    for (Cell& cell : row) {
      if (auto* words = std::get_if<std::string>(&cell)) *words = shortened(one_line(*words), most);
    }
  }
}

Table failed_checks(const Investigation& all) {
  Table table = excerpt(integrity_table(all), {"id", "state", "found"}, all.checks.size());
  table.id = "failed_checks";
  std::size_t row = 0;
  std::erase_if(table.rows, [&](const auto&) {
    const CheckState state = all.checks[row++].state;
    return state != CheckState::warn && state != CheckState::fatal;
  });
  return table;
}

Table commands_table() {
  Table table{.id = "commands", .caption = "", .columns = {{"for"}, {"run"}}, .rows = {}};
  table.rows = {{"failed_checks, changes, cannot_trust, new_captures: all of each",
                 "jaxtrace investigate CAPTURE --format json"},
                {"verdict, budget, host causes", "jaxtrace skip-stats CAPTURE --full"},
                {"top_lines: every line, instruction and kernel", "jaxtrace attribute CAPTURE"}};
  return table;
}

Report digest_of(const Investigation& all, std::string_view version, std::size_t rows,
                 std::size_t letters) {
  const Verdict& verdict = all.skip.verdict;
  const bool judged = verdict.why_inconclusive.empty();
  const Steps& steps = all.skip.steps;
  const std::int64_t total = all.sums.all.total_ps;
  Report report{.title = "digest", .blocks = {}};
  const auto add = [&](std::string key, Cell value) {
    report.blocks.emplace_back(Fact{std::move(key), std::move(value)});
  };
  add("version", std::string(version));
  add("verdict", judged ? in_words(verdict.decision) : std::string("inconclusive"));
  add("why_inconclusive", text(shortened(one_line(verdict.why_inconclusive), letters)));
  add("confidence", judged ? text(in_words(verdict.confidence)) : Cell());
  add("device", all.skip.devices.empty()
                    ? Cell()
                    : Cell(shortened(one_line(gpu_name(all, verdict.device)), letters)));
  add("median_step_ps", steps.median ? time(steps.steps[*steps.median].period) : Cell());
  add("estimates_from_ps", all.changes.why_none.empty() ? time(all.changes.step) : Cell());
  add("attributed_share", share(total - all.sums.all.of(Match::none), total));
  add("rooflined_share", share(all.roofline.rooflined.count(), all.roofline.all.count()));

  std::vector<Table> tables;
  if (all.trace.device_events > 0) {
    Table budget = budget_table(found(all), true);
    std::erase_if(budget.rows, [](const auto& row) {  // Streams
      return for_people(row.front(), Unit::none).starts_with("·");
    });
    tables.push_back(excerpt(
        budget, {"device", "compute", "exposed_communication", "exposed_copies", "idle"}, rows));
  }
  const Table failed = failed_checks(all);
  tables.push_back(excerpt(failed, {"id", "state", "found"}, rows));
  tables.push_back(excerpt(top_lines(measured(all), rows), {"line", "phase", "share"}, rows));
  tables.push_back(excerpt(changes_table(all), {"id", "cause", "path_share", "step_ps"}, rows));
  tables.push_back(
      excerpt(distrust_table(all), {"code", "gravity", "count", "share", "share_of"}, rows));
  tables.push_back(excerpt(new_captures_table(all), {"question"}, rows));
  for (Table& table : tables) {
    shorten(table, letters);
    report.blocks.emplace_back(Annex{std::move(table)});
  }
  add("failed_checks_in_all", static_cast<std::int64_t>(failed.rows.size()));
  add("changes_in_all", static_cast<std::int64_t>(all.changes.causes.size()));
  add("distrusts_in_all", static_cast<std::int64_t>(all.distrusts.size()));
  report.blocks.emplace_back(Annex{commands_table()});
  return report;
}

std::size_t bytes_of(const Report& report) {
  std::ostringstream out;
  write_json(report, out);
  return std::move(out).str().size();
}

}  // namespace

Report digest(const Investigation& all, std::string_view version) {
  for (std::size_t rows = kMostRows; rows > 1; --rows) {
    for (const std::size_t letters : {120U, 80U, 48U}) {
      Report report = digest_of(all, version, rows, letters);
      if (bytes_of(report) <= kMostBytes) return report;
    }
  }
  return digest_of(all, version, 1, 24);
}

}  // namespace jaxtrace
