// Findings are quoted as their readers worded them; everything else is counted here.
#include "commands/attribute/trust.h"

#include <fmt/format.h>

#include <algorithm>

#include "commands/attribute/words.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kMostLosses = 3;
constexpr std::size_t kMostDoubts = 5;
constexpr std::uint16_t kUnsure = 700;  // Thousandths: below it an answer is marked as doubtful.

std::string finding_text(const Finding& finding) {
  std::string text = finding.where.empty() ? "" : escape_markdown(finding.where) + ": ";
  text += escape_markdown_sentence(finding.message);
  if (finding.count > 1) {
    text += fmt::format(" ({} times)", count_text(static_cast<std::int64_t>(finding.count)));
  }
  return text;
}

/// Losses, or everything but losses; worst first.
std::vector<const Finding*> findings_of(const Measured& measured, bool losses) {
  std::vector<const Finding*> findings;
  for (const auto* list : {&measured.attribution.findings, &measured.trace.findings}) {
    for (const Finding& finding : *list) {
      if ((finding.severity == Severity::data_loss) == losses) findings.push_back(&finding);
    }
  }
  std::ranges::stable_sort(findings, std::greater{},
                           [](const Finding* finding) { return finding->severity; });
  return findings;
}

}  // namespace

void add_losses(Report& report, const Measured& measured) {
  const std::vector<const Finding*> losses = findings_of(measured, true);
  if (losses.empty()) return;
  report.blocks.emplace_back(Prose{"The capture is incomplete: every total is a lower bound."});
  Bullets bullets;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (i == kMostLosses - 1 && losses.size() - i > 1) {
      bullets.items.push_back(fmt::format("{} more losses, on stderr.", losses.size() - i));
      break;
    }
    bullets.items.push_back(finding_text(*losses[i]));
  }
  report.blocks.emplace_back(std::move(bullets));
}

Bullets not_trusted(const Measured& measured, const AttributeOptions& options) {
  const Sums& sums = measured.sums;
  std::vector<std::string> items;
  if (options.program) {
    items.push_back(fmt::format("{} ({}) of other programs left out by --program {}.",
                                counted(sums.other_programs.kernels, "event"),
                                time_text(sums.other_programs.total_ps), *options.program));
  }
  std::int64_t unsure = 0;
  for (std::size_t i = 0; i < measured.attribution.labels.size(); ++i) {
    const Label& label = measured.attribution.labels[i];
    if (label.match != Match::none && label.confidence < kUnsure) {
      unsure += sums.label[i].total_ps;
    }
  }
  if (unsure > 0) {
    items.push_back(fmt::format("{} of the time has an instruction with confidence below 0.7.",
                                share_text(unsure, sums.all.total_ps)));
  }
  const std::vector<const Finding*> findings = findings_of(measured, false);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (items.size() == kMostDoubts - 1 && findings.size() - i > 1) {
      items.push_back(fmt::format("{} more warnings and notes, on stderr.", findings.size() - i));
      break;
    }
    items.push_back(finding_text(*findings[i]));
  }
  return {std::move(items)};
}

std::vector<std::string> doubts(const Measured& measured, const std::optional<Check>& check) {
  std::vector<std::string> result;
  if (measured.sums.all.kernels == 0) result.emplace_back("no device event was counted");
  if (measured.sums.damaged.kernels > 0) {
    result.push_back(
        fmt::format("{} with corrupt timing", counted(measured.sums.damaged.kernels, "event")));
  }
  std::int64_t without_hlo = 0;
  for (std::size_t i = 0; i < measured.attribution.labels.size(); ++i) {
    const Rule rule = measured.attribution.labels[i].rule;
    if (rule == Rule::no_hlo || rule == Rule::tracer_text) {
      without_hlo += measured.sums.label[i].kernels;
    }
  }
  if (without_hlo > 0) {
    result.push_back(fmt::format("{} of programs whose HLO the capture does not carry",
                                 counted(without_hlo, "device event")));
  }
  if (check && !check->clean()) {
    result.push_back("the other capture differs: " + check_line(*check));
  }
  return result;
}

std::string check_line(const Check& check) {
  return fmt::format("{} of {} agree", count_text(check.agree), counted(check.kernels, "kernel"));
}

}  // namespace jaxtrace
