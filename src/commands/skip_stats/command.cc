// Flags, and the order of work: read, compute, write the files, describe.
#include "commands/skip_stats/command.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/skip_stats/files.h"
#include "commands/skip_stats/json_side.h"
#include "commands/skip_stats/step_function.h"
#include "commands/skip_stats/summary.h"
#include "commands/skip_stats/sweep.h"
#include "report/output_dir.h"

namespace jaxtrace {
namespace {

constexpr const char* kDefaultDirectory = "skip-stats";

struct Flags {
  bool full = false;
  std::string step_function;
  std::vector<std::string> sweep;
  double short_gap_us = 5;
  Thresholds thresholds;
};

SkipOptions options_of(const Flags& flags) {
  SkipOptions options;
  options.steps.function = flags.step_function;
  options.thresholds = flags.thresholds;
  constexpr double kPicosecondsPerMicrosecond = 1e6;
  options.short_gap =
      Picoseconds{static_cast<std::int64_t>(flags.short_gap_us * kPicosecondsPerMicrosecond)};
  return options;
}

/// CLI::Range lets "nan" pass, which compares with nothing.
CLI::Validator between(double least, double most) {
  CLI::Validator range = CLI::Range(least, most);
  return range & CLI::Validator(
                     [](const std::string& given) {
                       return std::isnan(std::strtod(given.c_str(), nullptr))
                                  ? given + " is not a number"
                                  : std::string();
                     },
                     "");
}

Outcome run(const Flags& flags, const Context& context) {
  ReadOptions read = context.read;
  read.json = true;
  const Trace trace = read_capture(context.capture(), read);
  require_function(flags.step_function, context.capture(), trace);
  const JsonSide json = read_json_side(context, trace);
  SkipOptions options = options_of(flags);
  options.json = json.totals ? &*json.totals : nullptr;
  options.json_problem = json.problem;
  const SkipStats stats = skip_stats(trace, options);
  const Found all = found(trace, stats);

  std::vector<std::filesystem::path> inputs = json.files;
  for (const Host& host : trace.hosts) inputs.emplace_back(trace.strings[host.file]);
  OutputDir directory(context.out.empty() ? kDefaultDirectory : context.out, inputs);
  write_files(all, directory);

  Outcome outcome;
  outcome.report = summary(all, flags.full);
  outcome.findings = trace.findings;
  outcome.doubts = strict_failures(stats);
  if (!flags.sweep.empty()) {
    std::vector<std::filesystem::path> captures = {context.capture()};
    captures.insert(captures.end(), flags.sweep.begin(), flags.sweep.end());
    const std::vector<std::string> names = names_apart(captures);
    std::vector<SweepPoint> points = {sweep_point(names[0], stats, trace)};
    for (std::size_t i = 1; i < captures.size(); ++i) {
      const Trace other = read_capture(captures[i], read);
      const SkipStats of_other = skip_stats(other, options_of(flags));
      points.push_back(sweep_point(names[i], of_other, other));
      outcome.findings.insert(outcome.findings.end(), other.findings.begin(), other.findings.end());
      for (const std::string& doubt : strict_failures(of_other)) {
        outcome.doubts.push_back(names[i] + ": " + doubt);
      }
    }
    Table table = sweep_table(points);
    write_csv_file(table, directory);
    outcome.report.blocks.emplace_back(std::move(table));
  }
  write_json(outcome.report, directory.file("summary.json"));
  directory.commit();
  return outcome;
}

Run declare(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  app.add_flag("--full", flags->full, "Print every check, step and estimate, and the top kernels");
  declare_step_function(app, flags->step_function);
  app.add_option(
         "--sweep", flags->sweep,
         "More captures of the same program, by growing batch: where launches begin to queue")
      ->type_name("CAPTURE");
  app.add_option("--short-gap-us", flags->short_gap_us,
                 "Up to this long, a gap before work that was asked for in time is dispatch")
      ->type_name("TIME")
      ->check(between(0, 1e9))
      ->capture_default_str();
  const auto share = [&](const char* name, double& value, const char* help) {
    app.add_option(name, value, help)
        ->type_name("SHARE")
        ->check(between(0, 1))
        ->capture_default_str();
  };
  share("--high", flags->thresholds.high,
        "A loss of this share of the window holds the program back");
  share("--gpu-bound", flags->thresholds.gpu_bound, "Compute of this share is GPU-bound");
  share("--margin", flags->thresholds.margin, "Losses that differ by less are named together");
  app.footer(
      "Examples:\n"
      "  jaxtrace skip-stats /tmp/jax-trace\n"
      "  jaxtrace skip-stats host.trace.json.gz --full\n"
      "  jaxtrace skip-stats logdir --step-fn train_step --format json\n"
      "  jaxtrace skip-stats batch1 --sweep batch2 batch4 batch8\n"
      "\n"
      "Writes rows.csv, steps.csv, streams.csv, devices.csv, gaps.csv, causes.csv, kernels.csv,\n"
      "chains.csv, checks.csv, sweep.csv (with --sweep) and summary.json into ./skip-stats or the\n"
      "directory of --out.");
  return [flags](const Context& context) { return run(*flags, context); };
}

}  // namespace

Command skip_stats_command() {
  return {.name = "skip-stats",
          .summary = "Host-bound or GPU-bound, where the time goes, and what the host was doing",
          .input = {.help = "A *.xplane.pb or *.trace.json.gz, a directory of them, or a JAX log "
                            "directory"},
          .declare = declare};
}

}  // namespace jaxtrace
