// Flags, and the order of work: read every input, add up, write the tables, describe.
#include "commands/kernels/command.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Option.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "analysis/kernel_pattern.h"
#include "analysis/text.h"
#include "commands/kernels/att_yaml.h"
#include "commands/kernels/report.h"
#include "commands/kernels/sums.h"
#include "commands/kernels/trace_times.h"
#include "jaxtrace/error.h"
#include "report/output_dir.h"

namespace jaxtrace {
namespace {

struct Flags {
  std::int64_t skip_first = 0;
  std::size_t top = 20;
  std::string att_yaml;
};

std::vector<KernelRun> read_all(const Context& context, std::vector<Finding>& findings) {
  KernelRuns read = read_kernel_runs(context.inputs, context.read);
  findings = std::move(read.findings);
  std::vector<KernelRun> runs = std::move(read.runs);
  ReadOptions options = context.read;
  options.json = true;
  for (const std::filesystem::path& capture : read.captures) {
    KernelRun run;
    run.times = kernel_times(read_capture(capture, options), capture.string());
    if (run.times.dispatches.empty()) {
      throw InputError(capture.string(),
                       "holds no kernel: nothing ran on a GPU while it was "
                       "recorded, or the tracer lost it");
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

/// By its whole name, else the only one that begins with the text, else the only one that holds it.
const KernelSumRow& chosen(const KernelSums& sums, const std::string& text,
                           const Context& context) {
  const auto exact = std::ranges::find(sums.kernels, text, &KernelSumRow::kernel);
  if (exact != sums.kernels.end()) return *exact;
  const auto is_base = [&](const KernelSumRow& row) { return base_name(row.kernel) == text; };
  const auto begins = [&](const KernelSumRow& row) { return row.kernel.starts_with(text); };
  const auto holds = [&](const KernelSumRow& row) {
    return row.kernel.find(text) != std::string::npos;
  };
  if (std::ranges::count_if(sums.kernels, is_base) == 1) {
    return *std::ranges::find_if(sums.kernels, is_base);
  }
  if (std::ranges::count_if(sums.kernels, begins) == 1) {
    return *std::ranges::find_if(sums.kernels, begins);
  }
  const auto count = std::ranges::count_if(sums.kernels, holds);
  if (count == 1) return *std::ranges::find_if(sums.kernels, holds);

  std::string names;
  std::size_t listed = 0;
  for (const KernelSumRow& row : sums.kernels) {
    constexpr std::size_t kMost = 5;
    constexpr std::size_t kLongest = 60;
    if ((count > 0 && !holds(row)) || listed == kMost) continue;
    names += (listed++ == 0 ? "" : ", ") + beginning(row.kernel, kLongest);
  }
  throw InputError(context.inputs[0].string(),
                   count == 0 ? fmt::format("no kernel is called \"{}\"; those with the most time "
                                            "are {}",
                                            text, names)
                              : fmt::format("{} kernels hold \"{}\", and --att-yaml takes one: {}",
                                            count, text, names));
}

void require_dispatches(const Flags& flags, const std::vector<KernelRun>& runs,
                        const KernelSums& sums) {
  if (flags.skip_first <= 0) return;
  for (const KernelRun& run : runs) {
    if (!run.times.sums.empty()) {
      throw InputError(run.times.file,
                       "has only sums, from which --skip-first cannot take single launches; give "
                       "the *_kernel_trace.csv or results.db of the run");
    }
  }
  if (sums.calls == 0) {
    throw InputError(
        runs[0].times.file,
        fmt::format("no kernel was launched more than {} times, so --skip-first leaves "
                    "nothing",
                    flags.skip_first));
  }
}

Outcome run(const Flags& flags, const Context& context) {
  Outcome outcome;
  const std::vector<KernelRun> runs = read_all(context, outcome.findings);
  const KernelSums sums = add_up(runs, flags.skip_first);
  require_dispatches(flags, runs, sums);
  for (const KernelRun& run : runs) {
    for (const std::string& note : run.times.notes) {
      outcome.findings.push_back({Severity::note, "source-chosen", note, "", 1});
    }
    outcome.findings.insert(outcome.findings.end(), run.times.findings.begin(),
                            run.times.findings.end());
  }
  outcome.findings.insert(outcome.findings.end(), sums.findings.begin(), sums.findings.end());

  const KernelSumRow* const kernel =
      flags.att_yaml.empty() ? nullptr : &chosen(sums, flags.att_yaml, context);
  outcome.report =
      kernel != nullptr ? att_report(sums, *kernel) : kernels_report(runs, sums, flags.top);
  if (!context.out.empty()) {
    OutputDir directory(context.out, context.inputs);
    for (const Table& table : {kernels_table(sums), devices_table(sums), graphs_table(sums)}) {
      if (!table.rows.empty()) write_csv_file(table, directory);
    }
    if (kernel != nullptr) directory.write("input.yaml", att_yaml(kernel->kernel));
    write_markdown(outcome.report, directory.file("summary.txt"));
    directory.commit();
  }
  return outcome;
}

Run declare(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  app.add_option("--top", flags->top, "How many kernels to list, 0 for all; default 20")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}).description(""));
  app.add_option("--skip-first", flags->skip_first,
                 "Leave out so many launches of each kernel, which warm up")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}).description(""));
  app.add_option("--att-yaml", flags->att_yaml,
                 "Print rocprofv3's input.yaml for a thread trace of this kernel")
      ->type_name("KERNEL");
  app.footer(
      "INPUT is a results.db, *_results.json, *_kernel_trace.csv or *_kernel_stats.csv of "
      "rocprofv3,\n"
      "a directory of them, or a capture of the JAX profiler (*.xplane.pb, trace.json.gz, a log\n"
      "directory). Files of one run are compared, not added up: results.db is believed first.\n"
      "\n"
      "Examples:\n"
      "  jaxtrace kernels out_results.db\n"
      "  jaxtrace kernels out_kernel_trace.csv --skip-first 2 --top 5\n"
      "  jaxtrace kernels /tmp/jax-trace --format json\n"
      "  jaxtrace kernels out_kernel_stats.csv --att-yaml gemm --out trace\n"
      "\n"
      "With --out it writes kernels.csv, devices.csv, graphs.csv, summary.txt and input.yaml, as\n"
      "far as there is something to write.");
  return [flags](const Context& context) { return run(*flags, context); };
}

}  // namespace

Command kernels_command() {
  return {.name = "kernels",
          .summary = "Kernels by time, from any recording that has their times",
          .input = {.name = "INPUT",
                    .help = "Results of rocprofv3, captures of the JAX profiler, or directories",
                    .many = true,
                    .runs = true},
          .declare = declare};
}

}  // namespace jaxtrace
