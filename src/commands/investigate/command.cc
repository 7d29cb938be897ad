// Flags, and the order of work: read, find, write the files, describe.
#include "commands/investigate/command.h"

#include <CLI/App.hpp>
#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/attribute/files.h"
#include "commands/attribute/summary.h"
#include "commands/attribute/trust.h"
#include "commands/attribute/user_frames.h"
#include "commands/investigate/roofline_svg.h"
#include "commands/investigate/sections.h"
#include "commands/investigate/tables.h"
#include "commands/skip_stats/files.h"
#include "commands/skip_stats/json_side.h"
#include "commands/skip_stats/step_function.h"
#include "commands/skip_stats/summary.h"
#include "report/output_dir.h"

namespace jaxtrace {
namespace {

constexpr const char* kDefaultDirectory = "investigation";

struct Flags {
  std::string machine;
  std::string user_re;
  std::string step_function;
  std::optional<std::int64_t> program;
  bool digest = false;
};

/// The files of skip-stats, of attribute, and of this command, each in a folder of its own but the
/// last.
void write_everything(const Investigation& all, const Report& report,
                      const InvestigateOptions& options, OutputDir& directory) {
  write_markdown(report, directory.file("report.md"));
  write_json(report, directory.file("report.json"));
  if (all.path) directory.file("swimlane.svg") << svg(all.swimlane);
  directory.file("roofline.svg") << roofline_svg(all.trace, all.ops, all.roofline);
  for (const Table& table :
       {integrity_table(all), path_table(all), phases_table(all), collectives_table(all),
        roofline_table(all), changes_table(all), distrust_table(all), new_captures_table(all)}) {
    write_csv_file(table, directory);
  }

  directory.enter("skip-stats");
  write_files(found(all), directory);
  write_json(summary(found(all), false), directory.file("summary.json"));

  directory.enter("attribution");
  write_files(measured(all), options.attribute, {}, all.counted, directory);
  write_markdown(summary(measured(all), options.attribute, std::nullopt),
                 directory.file("summary.txt"));
}

Outcome run(const Flags& flags, const Context& context) {
  ReadOptions read = context.read;
  read.json = true;
  const Trace trace = read_capture(context.capture(), read);
  require_function(flags.step_function, context.capture(), trace);
  const JsonSide json = read_json_side(context, trace);

  InvestigateOptions options;
  options.attribute.program = flags.program;
  options.roofline.machine = machine_named(flags.machine);
  options.skip.steps.function = flags.step_function;
  options.skip.json = json.totals ? &*json.totals : nullptr;
  options.skip.json_problem = json.problem;
  options.user = user_test(flags.user_re);
  const Investigation all = investigate(trace, options);
  require_program(options.attribute, context.capture(), all.attribution, trace);

  std::vector<std::filesystem::path> inputs = json.files;
  for (const Host& host : trace.hosts) inputs.emplace_back(trace.strings[host.file]);
  OutputDir directory(context.out.empty() ? kDefaultDirectory : context.out, inputs);
  Outcome outcome;
  outcome.report = page(all, context.version);
  write_everything(all, outcome.report, options, directory);
  directory.commit();

  for (const auto* findings :
       {&trace.findings, &all.attribution.findings, &all.roofline.findings}) {
    outcome.findings.insert(outcome.findings.end(), findings->begin(), findings->end());
  }
  for (const CheckResult& check : all.checks) {
    if (check.state != CheckState::warn && check.state != CheckState::fatal) continue;
    outcome.doubts.push_back("check " + check.id + " failed: " + check.found);
  }
  for (std::string& doubt : doubts(measured(all), std::nullopt)) {
    outcome.doubts.push_back(std::move(doubt));
  }
  if (flags.digest) {
    outcome.report = digest(all, context.version);
    outcome.json = true;
  }
  return outcome;
}

/// What is wrong with the name of a machine; empty if nothing is.
std::string machine_fault(const std::string& name) {
  if (machine_named(name)) return {};
  const auto listed = [](const std::vector<std::string_view>& names) {
    std::string list;
    for (const std::string_view machine : names)
      list += (list.empty() ? "" : ", ") + std::string(machine);
    return list;
  };
  const std::vector<std::string_view> like = machines_like(name);
  return '"' + name + "\" is no machine of the table" +
         (like.empty() ? ": " + listed(machine_names()) : "; it has " + listed(like));
}

Run declare(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  app.add_option("--machine", flags->machine,
                 "Peaks of this GPU; default: the one that the capture names")
      ->type_name("NAME")
      ->check(CLI::Validator(machine_fault, ""));
  app.add_option("--program", flags->program, "Attribute only the program with this id")
      ->type_name("ID");
  declare_user_re(app, flags->user_re);
  declare_step_function(app, flags->step_function);
  app.add_flag("--digest", flags->digest,
               "Print at most 4 KB of JSON, whatever --format says, for an agent to begin with");
  app.footer(
      "Examples:\n"
      "  jaxtrace investigate /tmp/jax-trace\n"
      "  jaxtrace investigate logdir --out report --machine MI355X\n"
      "  jaxtrace investigate logdir --format json\n"
      "  jaxtrace investigate host.xplane.pb --digest\n"
      "\n"
      "Writes report.md, report.json, swimlane.svg, roofline.svg, checks.csv, critical_path.csv,\n"
      "phases.csv, collectives.csv, roofline.csv, changes.csv, cannot_trust.csv,\n"
      "new_captures.csv, and everything that skip-stats and attribute write, in folders of\n"
      "their own, into ./investigation or the directory of --out.");
  return [flags](const Context& context) { return run(*flags, context); };
}

}  // namespace

Command investigate_command() {
  return {.name = "investigate",
          .summary = "Everything about one capture in a report of seven steps",
          .input = {.help = "A *.xplane.pb or *.trace.json.gz, a directory of them, or a JAX log "
                            "directory"},
          .declare = declare};
}

}  // namespace jaxtrace
