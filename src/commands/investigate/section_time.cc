// Steps 1 to 3: the verdict, whether records agree, and what one step looks like.
#include <fmt/format.h>

#include <algorithm>

#include "commands/investigate/sections.h"
#include "commands/investigate/tables.h"
#include "commands/investigate/words.h"
#include "commands/skip_stats/shown_tables.h"
#include "commands/skip_stats/summary.h"
#include "commands/skip_stats/verdict_text.h"
#include "commands/skip_stats/words.h"

namespace jaxtrace {
namespace {

/// The checks that the page shows whatever they found: if one of them fails, no number holds.
bool is_first(std::string_view id) {
  constexpr std::string_view kFirst[] = {"json", "join", "kernels-per-step", "same-work", "sums"};
  return std::ranges::find(kFirst, id) != std::end(kFirst);
}

std::string listed(const Investigation& all, CheckState state) {
  std::string out;
  for (const CheckResult& check : all.checks) {
    if (check.state != state || is_first(check.id)) continue;
    out += (out.empty() ? "" : ", ") + check.id;
  }
  return out;
}

/// "$api.py:3105 block_until_ready (sync, 67.01 µs)"
std::string path_causes_text(const Investigation& all) {
  constexpr std::size_t kMost = 3;
  std::string out;
  for (std::size_t i = 0; i < std::min(kMost, all.path_causes.size()); ++i) {
    const PathCause& cause = all.path_causes[i];
    out += fmt::format("{}{} ({}, {})", out.empty() ? "" : "; ", escape_markdown(cause.event),
                       name_of(cause.cls), shown(cause.time));
  }
  return out;
}

}  // namespace

void add_verdict(Report& report, const Investigation& all) {
  const Found of_skip = found(all);
  report.blocks.emplace_back(Heading{"1. Verdict and host causes"});
  report.blocks.emplace_back(Prose{opening(of_skip)});
  report.blocks.emplace_back(Prose{verdict_text(of_skip)});
  if (all.trace.device_events == 0) return;
  report.blocks.emplace_back(evidence(of_skip));
  show(report, budget_table(of_skip, false));
  show(report, idle_table(of_skip));
  show(report, top_causes(of_skip, false));
}

void add_integrity(Report& report, const Investigation& all) {
  const auto number = [&](CheckState state) {
    return std::ranges::count(all.checks, state, &CheckResult::state);
  };
  const auto failed = number(CheckState::warn) + number(CheckState::fatal);
  report.blocks.emplace_back(Heading{"2. Integrity: do independent records agree?"});
  report.blocks.emplace_back(Prose{fmt::format(
      "{} hold, {} fail{}, {} do not apply.", counted(number(CheckState::pass), "check"), failed,
      failed > 0 ? " (each is on the list of step 7)" : "", number(CheckState::not_applicable))});
  const Table whole = integrity_table(all);
  Table table = excerpt(whole, {"id", "state", "found", "affects"}, whole.rows.size());
  std::size_t row = 0;
  std::erase_if(table.rows, [&](const auto&) {
    const CheckResult& check = all.checks[row++];
    return !is_first(check.id) && check.state != CheckState::warn &&
           check.state != CheckState::fatal;
  });
  show(report, std::move(table));
  std::string rest;
  if (const std::string pass = listed(all, CheckState::pass); !pass.empty()) {
    rest = "Also hold: " + pass + ". ";
  }
  if (const std::string none = listed(all, CheckState::not_applicable); !none.empty()) {
    rest += "Do not apply: " + none + ".";
  }
  if (!rest.empty()) report.blocks.emplace_back(Prose{rest});
}

void add_swimlane(Report& report, const Investigation& all) {
  report.blocks.emplace_back(Heading{"3. Swimlane and critical path"});
  if (!all.path) {
    report.blocks.emplace_back(
        Prose{"Nothing to draw: no GPU work with a length belongs to a step."});
    return;
  }
  report.blocks.emplace_back(
      Prose{escape_markdown_sentence(all.swimlane.title) + " (swimlane.svg is the same, larger):"});
  report.blocks.emplace_back(Preformatted{ascii(all.swimlane)});
  Bullets captions;
  for (const std::string& line : all.swimlane.caption) {
    captions.items.push_back(escape_markdown_sentence(line));
  }
  if (const std::string causes = path_causes_text(all); !causes.empty()) {
    captions.items.push_back("The host's part of the path: " + causes + ".");
  }
  if (!captions.items.empty()) report.blocks.emplace_back(std::move(captions));
  Table path = path_table(all);
  path.caption = fmt::format("The critical path, {}, which its parts sum to:",
                             shown(all.path->window.length()));
  show(report, std::move(path));
}

}  // namespace jaxtrace
