// Flags, and the order of work: read, add up, write the table, describe.
#include "commands/pmc_l2/command.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Option.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "analysis/text.h"
#include "commands/pmc_l2/report.h"
#include "counters/l2.h"
#include "jaxtrace/error.h"
#include "report/output_dir.h"

namespace jaxtrace {
namespace {

struct Flags {
  std::string kernel;
  std::string arch;
  std::optional<double> ideal_gb;
  std::optional<double> peak_tbs;
  std::optional<std::int64_t> ea_channels;
};

/// What is wrong with a quantity; empty if nothing is.
std::string quantity_fault(std::string& word) {
  try {
    std::size_t used = 0;
    const double value = std::stod(word, &used);
    constexpr double kLeast = 1e-9;  // A byte
    constexpr double kMost = 1e6;
    if (used == word.size() && value >= kLeast && value <= kMost) return {};
  } catch (const std::exception&) {
    // Said below.
  }
  return '"' + word + "\" is not a number from 1e-9 to 1,000,000";
}

std::string arch_fault(std::string& word) {
  if (word.starts_with("gfx") && word.size() > 4) return {};
  return '"' + word + "\" is not the name of an architecture, such as gfx942";
}

/// Throws if no kernel is left, or nothing can be said of any.
void require_something(const Flags& flags, const Context& context, const CounterData& data,
                       const L2Result& result) {
  const std::string input = context.inputs[0].string();
  if (result.rows.empty()) {
    std::string known;
    constexpr std::size_t kMost = 5;
    constexpr std::size_t kLongest = 60;
    for (std::size_t i = 0; i < std::min(data.kernels.size(), kMost); ++i) {
      known += (i == 0 ? "" : ", ") + beginning(data.kernels[i], kLongest);
    }
    throw InputError(input,
                     fmt::format("no kernel's name holds \"{}\"; kernels with L2 counters "
                                 "are {}{}",
                                 flags.kernel, known, data.kernels.size() > kMost ? ", …" : ""));
  }
  const auto says_something = [](const L2Row& row) {
    return row.hits || row.of_32 || row.read || row.dram || row.written || row.hit_percent;
  };
  if (std::ranges::none_of(result.rows, says_something)) {
    throw InputError(input,
                     "its counters give no figure: hits and misses, or read requests and those of "
                     "32 bytes, have to be there together, and above 0");
  }
}

Outcome run(const Flags& flags, const Context& context) {
  L2Options options;
  options.arch = flags.arch;
  options.kernel = flags.kernel;
  constexpr double kGiga = 1e9;
  constexpr double kTera = 1e12;
  if (flags.ideal_gb) options.ideal_bytes = std::llround(*flags.ideal_gb * kGiga);
  if (flags.peak_tbs) options.peak = *flags.peak_tbs * kTera;
  options.ea_channels = flags.ea_channels;

  const CounterData data = read_counters(context.inputs, context.read);
  const L2Result result = analyse_l2(data, options);
  require_something(flags, context, data, result);

  Outcome outcome;
  outcome.report = l2_report(data, result, options);
  outcome.findings = data.findings;
  outcome.findings.insert(outcome.findings.end(), result.findings.begin(), result.findings.end());
  if (!context.out.empty()) {
    OutputDir directory(context.out, context.inputs);
    const Table table = l2_table(data, result, options);
    write_csv_file(table, directory);
    write_markdown(outcome.report, directory.file("summary.txt"));
    directory.commit();
  }
  return outcome;
}

Run declare(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  app.add_option("--kernel", flags->kernel, "Only kernels whose name holds this")
      ->type_name("TEXT");
  app.add_option("--ideal-gb", flags->ideal_gb,
                 "What one dispatch has to read, in units of 1e9 bytes, for over-fetch")
      ->type_name("GB")
      ->check(CLI::Validator(quantity_fault, ""));
  app.add_option("--peak-tbs", flags->peak_tbs,
                 "Peak of the GPU's memory in 1e12 bytes a second; default: by its product name")
      ->type_name("TB/S")
      ->check(CLI::Validator(quantity_fault, ""));
  app.add_option("--arch", flags->arch,
                 "Architecture, such as gfx942; default: what agent_info.csv says")
      ->type_name("GFX")
      ->check(CLI::Validator(arch_fault, ""));
  app.add_option("--ea-channels", flags->ea_channels,
                 "Also the figure of pmc_l2_analyzer.py with this many channels")
      ->type_name("N")
      ->check(CLI::Range(1, 1024).description(""));
  app.footer(
      "CSV is a *_counter_collection.csv of rocprofv3 --pmc, a pmc_perf.csv of rocprof-compute, "
      "or\n"
      "a directory of them. Several passes of one program go together.\n"
      "\n"
      "Examples:\n"
      "  jaxtrace pmc-l2 out_counter_collection.csv --kernel gemm\n"
      "  jaxtrace pmc-l2 pmc_out/pass_1 pmc_ea_out/pass_1 --kernel pa_decode --ideal-gb 8.59\n"
      "  jaxtrace pmc-l2 pmc_perf.csv --arch gfx90a --peak-tbs 1.6 --out tables\n"
      "\n"
      "With --out it writes l2.csv, with all kernels and columns, and summary.txt.");
  return [flags](const Context& context) { return run(*flags, context); };
}

}  // namespace

Command pmc_l2_command() {
  return {.name = "pmc-l2",
          .summary = "L2 hits, over-fetch and bandwidth of kernels, from hardware counters",
          .input = {.name = "CSV",
                    .help = "Counter files of rocprofv3 or rocprof-compute, or directories of them",
                    .many = true,
                    .runs = false},
          .declare = declare};
}

}  // namespace jaxtrace
