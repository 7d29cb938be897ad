// Flags, and the order of work: read, attribute, add up, write the files, describe.
#include "commands/attribute/command.h"

#include <CLI/App.hpp>
#include <CLI/Option.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attribution/attribution.h"
#include "commands/attribute/check.h"
#include "commands/attribute/files.h"
#include "commands/attribute/summary.h"
#include "commands/attribute/trust.h"
#include "commands/attribute/user_frames.h"
#include "commands/attribute/write_trace.h"
#include "commands/attribute/write_xplane.h"
#include "report/output_dir.h"

namespace jaxtrace {
namespace {

constexpr const char* kDefaultDirectory = "attribution";

struct Flags {
  std::optional<std::int64_t> program;
  std::string user_re;
  std::string check;
  bool hlo_bare = false;
  bool stacks = false;
  WriteXplaneFlags xplane;
  TraceFlags trace;
};

std::vector<std::filesystem::path> files_of(const Trace& trace) {
  std::vector<std::filesystem::path> files;
  for (const Host& host : trace.hosts) files.emplace_back(trace.strings[host.file]);
  return files;
}

Outcome run(const Flags& flags, const Context& context) {
  const Trace trace = read_capture(context.capture(), context.read);
  const AttributeOptions options{.program = flags.program};
  const Attribution attribution = attribute(trace, options);
  require_program(options, context.capture(), attribution, trace);

  const hlo::UserTest user = user_test(flags.user_re);
  const Ops ops = find_ops(trace, attribution, user);
  const Counted counted = counted_labels(attribution, options);
  const Sums sums = add_up(trace, attribution, ops, counted);
  const Measured measured{trace, attribution, ops, sums};

  std::optional<Trace> other_trace;
  if (!flags.check.empty()) other_trace = read_capture(flags.check);
  std::vector<std::filesystem::path> inputs = files_of(trace);
  if (other_trace) {
    for (std::filesystem::path& file : files_of(*other_trace)) inputs.push_back(std::move(file));
  }
  OutputDir directory(context.out.empty() ? kDefaultDirectory : context.out, inputs);

  std::optional<Check> checked;
  if (other_trace) {
    const Attribution other = attribute(*other_trace);
    const Side here{trace, attribution};
    const Side there{*other_trace, other};
    checked = check(here, there, options);
    write_check_csv(*checked, here, there, directory.file("check.csv"));
  }
  other_trace.reset();

  std::optional<WrittenTrace> written;
  if (!flags.trace.file.empty()) {
    written = write_trace(flags.trace, context.capture(), inputs, trace, attribution, ops, user);
  }

  write_files(measured, options, {.hlo_bare = flags.hlo_bare, .stacks = flags.stacks}, counted,
              directory);

  std::optional<XplaneFiles> xplane;
  if (!flags.xplane.directory.empty()) {
    xplane = write_xplane_files(trace, attribution, context.capture(), inputs, flags.xplane);
  }

  Outcome outcome;
  outcome.report = summary(measured, options, checked);
  if (xplane) describe(*xplane, measured, counted, outcome.report);
  if (written) describe(*written, outcome.report);
  outcome.doubts = doubts(measured, checked);
  outcome.findings = trace.findings;
  outcome.findings.insert(outcome.findings.end(), attribution.findings.begin(),
                          attribution.findings.end());
  write_markdown(outcome.report, directory.file("summary.txt"));
  if (written) require_apart(flags.trace, directory);
  if (xplane) xplane->commit();
  if (written) written->directory->commit();
  directory.commit();
  return outcome;
}

Run declare(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  app.add_option("--program", flags->program, "Only the program with this id")->type_name("ID");
  declare_user_re(app, flags->user_re);
  app.add_option("--check", flags->check,
                 "Compare with a capture of the same program with command buffers off")
      ->type_name("CAPTURE");
  app.add_flag("--hlo-bare", flags->hlo_bare, "HLO text without metadata and backend_config");
  app.add_flag("--stacks", flags->stacks, "kernels.csv gets a column with whole Python stacks");
  declare_xplane_flags(app, flags->xplane);
  declare_trace_flags(app, flags->trace);
  app.footer(
      "Examples:\n"
      "  jaxtrace attribute host.xplane.pb\n"
      "  jaxtrace attribute logdir --out tables --format json\n"
      "  jaxtrace attribute logdir --user-re 'my_model/.*'\n"
      "  jaxtrace attribute graphs.xplane.pb --check direct.xplane.pb --strict\n"
      "  jaxtrace attribute logdir --write-xplane seen && xprof --logdir seen\n"
      "  jaxtrace attribute logdir --write-trace step.json.gz --steps 3:5 --device 0\n"
      "\n"
      "Writes kernels.csv, ops.csv, lines.csv, scopes.csv, fusions.csv, how.csv, summary.txt and\n"
      "the HLO text of every program into ./attribution or the directory of --out.");
  return [flags](const Context& context) { return run(*flags, context); };
}

}  // namespace

Command attribute_command() {
  return {.name = "attribute",
          .summary = "GPU kernels → HLO instructions → Python lines",
          .declare = declare};
}

}  // namespace jaxtrace
