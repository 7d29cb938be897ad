// Every share names its window, which is the steady window of the device it is of.
#include "commands/skip_stats/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "commands/skip_stats/cells.h"
#include "commands/skip_stats/shown_tables.h"
#include "commands/skip_stats/verdict_text.h"
#include "commands/skip_stats/words.h"

namespace jaxtrace {
namespace {

constexpr std::size_t kMostJsonSteps = 1000;  // steps.csv has all.

// ---- What was read

std::string steps_text(const Steps& steps) {
  if (steps.rule == StepRule::none) return "no steps were found, so the capture counts as one";
  std::string what;
  switch (steps.rule) {
    case StepRule::annotation:
      what = fmt::format("step annotations \"{}\"", escape_markdown(steps.name));
      break;
    case StepRule::function:
      what = fmt::format("calls of {}", escape_markdown(steps.name));
      break;
    case StepRule::module_run:
      what = fmt::format("runs of {}", escape_markdown(steps.name));
      break;
    default:
      what = escape_markdown(steps.name);
      break;
  }
  std::string text =
      fmt::format("{} by {} ({}), {} kept", counted(steps.steps.size(), "step", "steps"), what,
                  name_of(steps.rule), steps.kept);
  if (steps.median) {
    const Step& median = steps.steps[*steps.median];
    text += fmt::format(", median step {} of {}", median.number, shown(median.period));
  }
  return text;
}

// ---- Checks

void add_checks(Report& report, const Found& found, bool full) {
  std::size_t passed = 0, failed = 0;
  Table table{
      .id = "failed_checks",
      .caption = "",
      .columns = {{"check"}, {"state"}, {"found"}, {"affects", Unit::none, "not to be trusted"}},
      .rows = {}};
  for (const CheckResult& check : found.stats.checks) {
    if (check.state == CheckState::not_applicable && !full) continue;
    if (check.state == CheckState::pass) ++passed;
    if (check.state == CheckState::warn || check.state == CheckState::fatal) ++failed;
    if (check.state == CheckState::pass && !full) continue;
    table.rows.push_back(
        {check.id, std::string(name_of(check.state)), text(check.found), text(check.affects)});
  }
  report.blocks.emplace_back(
      Prose{fmt::format("Checks: {} pass, {} fail{}", passed, failed, failed > 0 ? ":" : ".")});
  if (!table.rows.empty()) report.blocks.emplace_back(std::move(table));
}

// ---- SKIP metrics

std::string median_latency_text(const Found& found) {
  std::vector<Picoseconds> latencies, paper, gpu_idle, cpu_idle;
  const Steps& steps = found.stats.steps;
  for (std::size_t s = 0; s < steps.steps.size(); ++s) {
    if (steps.steps[s].fate != StepFate::kept) continue;
    const StepLatency& latency = verdict_stats(found).latencies[s];
    if (!latency.il) continue;
    latencies.push_back(*latency.il);
    paper.push_back(*latency.idle_paper);
    gpu_idle.push_back(*latency.idle_union);
    if (latency.cpu_idle) cpu_idle.push_back(*latency.cpu_idle);
  }
  const Spread il = spread(latencies);
  if (il.count == 0) return "IL –: the steps have no first host event.";
  return fmt::format(
      "IL (first parent op to last kernel) {} median, {} to {}; GPU idle in it {} by union, {} as "
      "the paper sums it{}; CPU idle {} (jaxtrace's definition).",
      shown(il.median), shown(il.min), shown(il.max), shown(spread(gpu_idle).median),
      shown(spread(paper).median),
      spread(paper).min < Picoseconds{0} ? " (negative: streams ran at once)" : "",
      shown(spread(cpu_idle).median));
}

Bullets metrics(const Found& found) {
  const LatencyStats& latency = verdict_stats(found).steady_latency;
  Bullets out;
  std::string line;
  if (latency.used > 0) {
    line = fmt::format(
        "TKLQT {} over {} ({} each{}), a sum of latencies and no share of time",
        shown(latency.tklqt), counted(latency.used, "launch", "launches"),
        shown(latency.tklqt / static_cast<std::int64_t>(latency.used)),
        latency.floor ? fmt::format("; {} where nothing queued", shown(*latency.floor)) : "");
    if (latency.clamped + latency.dropped > 0) {
      line += fmt::format("; {} clamped, {} dropped", latency.clamped, latency.dropped);
    }
  } else {
    line = "TKLQT –: no launch is known";
  }
  if (latency.kernels > 0) {
    line += fmt::format("; AKD {} over {}.",
                        shown(latency.kernel_time / static_cast<std::int64_t>(latency.kernels)),
                        counted(latency.kernels, "kernel", "kernels"));
  } else {
    line += "; AKD –.";
  }
  out.items.push_back(std::move(line));
  out.items.push_back(median_latency_text(found));
  line.clear();
  if (latency.launches > 0) {
    line = fmt::format("{:.2f} events a launch",
                       static_cast<double>(latency.events - latency.unjoined) /
                           static_cast<double>(latency.launches));
    if (latency.graph_launches > 0) {
      line += fmt::format(
          ", {} with {} of the kernel time",
          counted(latency.graph_launches, "graph launch", "graph launches"),
          percent(static_cast<double>(latency.graph_kernel_time.count()) /
                  static_cast<double>(std::max<std::int64_t>(1, latency.kernel_time.count()))));
    }
    line += "; ";
  }
  const Chains& chains = found.stats.chains;
  // Of a graph many kernels are one launch, and fusing them saves none.
  const auto number = [](std::uint64_t n) {
    return for_people(static_cast<std::int64_t>(n), Unit::count);
  };
  if (chains.launches_fused == chains.launches) {
    line += "no chain of kernels that always recurs could be fused";
  } else {
    line += fmt::format("fusing chains that always recur would take {} from {} to {}",
                        latency.graph_launches > 0 ? "device events" : "launches",
                        number(chains.launches), number(chains.launches_fused));
  }
  if (const auto hdbi = found.stats.dispatch.hdbi_proxy()) {
    line +=
        fmt::format("; hdbi_proxy {:.3f} (0 host-bound, 1 device-bound; not the paper's)", *hdbi);
  }
  out.items.push_back(line + ".");
  return out;
}

void add_what_ifs(Report& report, const Found& found, bool full) {
  if (found.stats.what_ifs.empty()) return;
  const Picoseconds step = verdict_stats(found).steps[*found.stats.steps.median].step;
  Bullets rows;
  std::size_t skipped = 0;
  for (const WhatIf& row : found.stats.what_ifs) {
    if (!full && (!row.worth || rows.items.size() == kFewRows + 1)) {
      ++skipped;
      continue;
    }
    const double speedup = static_cast<double>(step.count()) /
                           static_cast<double>(std::max<std::int64_t>(1, row.step.count()));
    std::string line = fmt::format("{}, without {}: {} ({:.2f} times as fast), if {}.", row.id,
                                   row.without, shown(row.step), speedup, row.assumption);
    if (!row.knob.empty()) line += fmt::format(" Hypothesis: {}.", row.knob);
    if (!row.confirm.empty()) line += fmt::format(" To confirm: {}.", row.confirm);
    rows.items.push_back(std::move(line));
  }
  std::string opening = fmt::format("Estimates, not run, of the median step ({}", shown(step));
  if (devices_with_events(found.stats.timelines) > 1) {
    opening +=
        fmt::format(" on {}", escape_markdown(device_name(found, found.stats.verdict.device)));
  }
  opening += ")";
  if (skipped > 0) opening += fmt::format("; {} more with --full", skipped);
  report.blocks.emplace_back(Prose{opening + ":"});
  report.blocks.emplace_back(std::move(rows));
}

void add_facts(Report& report, const Found& found) {
  const auto add = [&](std::string key, Cell value) {
    report.blocks.emplace_back(Fact{std::move(key), std::move(value)});
  };
  const SkipStats& stats = found.stats;
  const Verdict& verdict = stats.verdict;
  add("verdict",
      verdict.why_inconclusive.empty() ? in_words(verdict.decision) : std::string("inconclusive"));
  add("why_inconclusive", text(verdict.why_inconclusive));
  const bool judged = verdict.why_inconclusive.empty();
  add("confidence", judged ? text(in_words(verdict.confidence)) : Cell{});
  add("host_kind", text(in_words(verdict.host)));
  add("step_rule", std::string(name_of(stats.steps.rule)));
  add("step_name", text(stats.steps.name));
  add("steps_found", count(stats.steps.steps.size()));
  add("steps_kept", count(stats.steps.kept));
  add("median_step",
      stats.steps.median ? Cell{stats.steps.steps[*stats.steps.median].number} : Cell{});
  add("median_period_ps",
      stats.steps.median ? time(stats.steps.steps[*stats.steps.median].period) : Cell{});
  add("device_events", count(found.trace.device_events));
  if (stats.devices.empty()) return;
  add("device", device_name(found, verdict.device));
  add("compute_share", verdict.shares.compute);
  constexpr std::string_view kKeys[] = {"compile_share",       "input_share",  "host_share",
                                        "communication_share", "memcpy_share", "device_wait_share",
                                        "unknown_share"};
  for (std::size_t i = 0; i < kLosses; ++i) {
    add(std::string(kKeys[i]), verdict.shares.loss[i]);
  }
  add("straggler",
      stats.stragglers.device ? text(device_name(found, *stats.stragglers.device)) : Cell{});
  add("straggler_persistence",
      stats.stragglers.device ? Cell{stats.stragglers.persistence} : Cell{});
  add("hdbi_proxy", number(stats.dispatch.hdbi_proxy()));
  add("hdbi_device_ps", time(stats.dispatch.device));
  add("hdbi_dispatch_ps", time(stats.dispatch.dispatch));
  add("hdbi_framework_ps", time(stats.dispatch.framework));
  add("hdbi_launch_ps", time(stats.dispatch.launch));
  add("chain_events", count(stats.chains.launches));
  add("chain_events_fused", count(stats.chains.launches_fused));
  add("python_tracer", text(stats.causes.python_tracer ? "on" : "off"));
  add("host_events_cut", count(stats.causes.cut_events));
  add("gil_hints", count(stats.causes.gil_hints));
  add("refuted_by", text(verdict.refuted_by));
}

}  // namespace

std::string opening(const Found& found) {
  const SkipStats& stats = found.stats;
  return fmt::format(
      "{} on {}; {}.", counted(found.trace.device_events, "device event", "device events"),
      counted(devices_with_events(found.stats.timelines), "GPU", "GPUs"), steps_text(stats.steps));
}

Report summary(const Found& found, bool full) {
  Report report{.title = "Where the time goes, and what holds the program back", .blocks = {}};
  std::string notes;
  for (const std::string& note : found.trace.notes) {
    notes += notes.empty() ? "" : " ";
    notes += escape_markdown_sentence(note);
  }
  if (!notes.empty()) report.blocks.emplace_back(Prose{notes});
  report.blocks.emplace_back(Prose{opening(found)});
  add_checks(report, found, full);
  report.blocks.emplace_back(Prose{verdict_text(found)});
  const auto add_table = [&](Table table) {
    if (!table.rows.empty()) report.blocks.emplace_back(std::move(table));
  };
  if (found.trace.device_events > 0) {
    report.blocks.emplace_back(evidence(found));
    add_table(budget_table(found, full));
    add_table(idle_table(found));
    add_table(top_causes(found, full));
    report.blocks.emplace_back(metrics(found));
    add_what_ifs(report, found, full);
    if (full) {
      if (found.stats.steps.rule != StepRule::none) add_table(steps_shown(found));
      add_table(kernels_shown(found));
    }
  }
  add_facts(report, found);
  for (Table table : {checks_table(found), steps_table(found, 0, kMostJsonSteps),
                      devices_table(found), streams_table(found), causes_table(found),
                      kernels_table(found), chains_table(found), what_ifs_table(found)}) {
    report.blocks.emplace_back(Annex{std::move(table)});
  }
  return report;
}

std::vector<std::string> strict_failures(const SkipStats& stats) {
  std::vector<std::string> out;
  for (const CheckResult& check : stats.checks) {
    if (check.state != CheckState::warn && check.state != CheckState::fatal) continue;
    out.push_back(fmt::format("check {} failed: {}", check.id, check.found));
  }
  return out;
}

}  // namespace jaxtrace
