// The list is put together from all sources and each fact kept once.
#include "investigation/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "investigation/investigated.h"
#include "investigation/remedies.h"
#include "investigation/roofline.h"
#include "investigation/shares.h"

namespace jaxtrace {
namespace {

bool has_failed(const CheckResult& check) {
  return check.state == CheckState::warn || check.state == CheckState::fatal;
}

/// Findings that a failed check says too, with more reason.
struct SaidBy {
  std::string_view finding, check;
};
constexpr SaidBy kSaidBy[] = {
    {"at-annotation-limit", "buffer-limits"},
    {"at-event-limit", "buffer-limits"},
    {"corrupt-timing", "timing"},
    {"graph-with-one-kernel", "graph-fan-out"},
    {"launches-without-work", "launches"},
    {"nested-work", "overlap"},
    {"no-device-events", "recorded"},
    {"runs-without-kernels", "coverage"},
    {"runs-without-kernels", "recorded"},
    {"unreadable-hlo", "hlo"},
};

/// Failures that leave out a share and say so, or that concern what is not computed here.
constexpr std::array<std::string_view, 5> kPartial = {"gpus", "host-clocks", "occupancy",
                                                      "registers", "streams"};

/// What a check's `found` is about, where it goes without saying beside the check's name.
std::string subject_of(std::string_view check) {
  struct Subject {
    std::string_view check, text;
  };
  constexpr Subject kSubjects[] = {
      {"classified", "of no known kind: "},
      {"device-of-call", "on another GPU than the launch says: "},
      {"join", "events with a launch of their own: "},
      {"kernels-per-step", "as many kernels as most: "},
      {"launches", "launches without work: "},
      {"overlap", "events of one stream at once: "},
      {"python-tracer", "the Python tracer: "},
  };
  const auto* const at = std::ranges::find(kSubjects, check, &Subject::check);
  return at == std::end(kSubjects) ? std::string() : std::string(at->text);
}

/// Whether work of other GPUs' launches makes up for all launches without work: then none is lost,
/// and `device-of-call` has said so.
bool launches_are_elsewhere(const Investigated& in) {
  std::set<std::pair<std::uint32_t, DeviceId>> astray;
  for (const Lane& lane : in.trace.lanes) {
    if (lane.kind != LaneKind::stream) continue;
    for (std::size_t i = lane.first; i < lane.first + lane.count; ++i) {
      if (in.skip.works.join[i] != Join::ambiguous) continue;
      astray.emplace(in.skip.works.launches.call[i], lane.device);
    }
  }
  return in.skip.works.calls_without_work <= astray.size();
}

void add_checks(const Investigated& in, const std::vector<CheckResult>& checks,
                std::vector<Distrust>& out) {
  const bool elsewhere = launches_are_elsewhere(in);
  for (const CheckResult& check : checks) {
    // `complete` only lists findings, which are here themselves.
    if (!has_failed(check) || check.id == "complete") continue;
    if (check.id == "launches" && elsewhere) continue;
    Distrust entry = distrust(in, check.id);
    // What to do about it has a place of its own here.
    if (entry.affects.empty()) {
      entry.affects = check.affects.substr(0, check.affects.find("; record"));
    }
    entry.reason = subject_of(check.id) + check.found;
    if (check.id == "device-of-call" && elsewhere && in.skip.works.calls_without_work > 0) {
      entry.reason += fmt::format("; so {} launches seem to have no work, but none is lost",
                                  in.skip.works.calls_without_work);
    }
    if (check.part) {
      entry.count = check.part->count;
      entry.share = check.part->share;
      if (entry.share) entry.share_of = check.part->share_of;
    }
    const bool partial = std::ranges::find(kPartial, check.id) != kPartial.end();
    entry.gravity = check.state == CheckState::fatal ? Gravity::fatal
                    : partial                        ? Gravity::partial
                                                     : Gravity::serious;
    out.push_back(std::move(entry));
  }
}

/// Losses and errors, those of one code together.
void add_findings(const Investigated& in, const std::vector<CheckResult>& checks,
                  const Roofline* roofline, std::vector<Distrust>& out) {
  std::map<std::string_view, std::vector<const Finding*>> by_code;
  const auto add = [&](const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
      if (finding.severity == Severity::note) continue;
      const bool said = std::ranges::any_of(kSaidBy, [&](const SaidBy& by) {
        return by.finding == finding.code &&
               std::ranges::any_of(checks, [&](const CheckResult& check) {
                 return check.id == by.check && has_failed(check);
               });
      });
      if (!said) by_code[finding.code].push_back(&finding);
    }
  };
  add(in.trace.findings);
  add(in.attribution.findings);
  if (roofline != nullptr) add(roofline->findings);
  for (auto& [code, findings] : by_code) {
    const auto key = [](const Finding* f) { return std::tie(f->where, f->message); };
    std::ranges::sort(findings, {}, key);
    std::int64_t count = 0;
    for (const Finding* finding : findings) count += static_cast<std::int64_t>(finding->count);
    Distrust entry = distrust(in, std::string(code));
    const Finding& first = *findings.front();
    entry.reason = (first.where.empty() ? "" : first.where + ": ") + first.message;
    if (findings.size() > 1) entry.reason += fmt::format("; {} more", findings.size() - 1);
    entry.count = count;
    entry.gravity = code == "json-event-limit" ? Gravity::fatal : Gravity::serious;
    out.push_back(std::move(entry));
  }
}

void add_verdict(const Investigated& in, const std::vector<CheckResult>& checks,
                 std::vector<Distrust>& out) {
  const Verdict& verdict = in.skip.verdict;
  Distrust entry = distrust(in, "verdict");
  if (!verdict.why_inconclusive.empty()) {
    const auto fatal = std::ranges::find(in.skip.checks, CheckState::fatal, &CheckResult::state);
    if (fatal == in.skip.checks.end()) {
      entry.reason = "inconclusive: " + verdict.why_inconclusive;
    } else {
      entry.reason = fmt::format("inconclusive, since check {} failed", fatal->id);
      entry.remedy = remedy_for(advice_on(fatal->id), in.trace);
    }
    entry.gravity = Gravity::fatal;
    out.push_back(std::move(entry));
    return;
  }
  // Its own checks know nothing of those made here.
  const auto fatal = std::ranges::find(checks, CheckState::fatal, &CheckResult::state);
  if (fatal != checks.end()) {
    entry.reason = fmt::format("made although check {} failed", fatal->id);
    entry.remedy = remedy_for(advice_on(fatal->id), in.trace);
    entry.gravity = Gravity::fatal;
    out.push_back(std::move(entry));
    return;
  }
  if (verdict.confidence == Confidence::high) return;
  entry.affects = fmt::format("the verdict, of {} confidence, and the estimates made from it",
                              verdict.confidence == Confidence::low ? "low" : "medium");
  // Doubts that are failed checks stand in the list by themselves.
  std::size_t failed = 0;
  std::string others;
  for (const std::string& doubt : verdict.doubts) {
    if (doubt.starts_with("check ")) {
      ++failed;
    } else {
      others += (others.empty() ? "" : "; ") + doubt;
    }
  }
  entry.reason = others;
  if (failed > 0) {
    if (!others.empty()) entry.reason += "; ";
    entry.reason += failed == 1 ? "a failed check" : fmt::format("{} failed checks", failed);
  }
  entry.count = static_cast<std::int64_t>(verdict.doubts.size());
  out.push_back(std::move(entry));
}

}  // namespace

std::string_view name_of(Gravity gravity) {
  constexpr std::string_view kNames[] = {"fatal", "serious", "partial"};
  return kNames[static_cast<std::size_t>(gravity)];
}

std::vector<Distrust> cannot_trust(const Investigated& in, const std::vector<CheckResult>& checks,
                                   const Roofline* roofline) {
  std::vector<Distrust> out;
  add_checks(in, checks, out);
  add_findings(in, checks, roofline, out);
  const bool no_hlo_said = std::ranges::any_of(
      checks, [](const CheckResult& check) { return check.id == "hlo" && has_failed(check); });
  for (Distrust& entry : attribution_shares(in, no_hlo_said)) out.push_back(std::move(entry));
  for (Distrust& entry : budget_shares(in, checks)) out.push_back(std::move(entry));
  if (roofline != nullptr) {
    for (Distrust& entry : roofline_shares(in, *roofline, no_hlo_said))
      out.push_back(std::move(entry));
  }
  add_verdict(in, checks, out);
  std::ranges::sort(out, {}, [](const Distrust& entry) {
    return std::tuple(entry.gravity, -entry.share.value_or(-1), std::string_view(entry.code),
                      std::string_view(entry.reason));
  });
  return out;
}

}  // namespace jaxtrace
