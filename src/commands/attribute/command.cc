// Flags, and the order of work: read, attribute, add up, write the files, describe.
#include "commands/attribute/command.h"

#include <CLI/App.hpp>
#include <CLI/Option.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <regex>
#include <string>

#include "attribution/attribution.h"
#include "commands/attribute/check.h"
#include "commands/attribute/hlo_files.h"
#include "commands/attribute/kernels_csv.h"
#include "commands/attribute/scopes.h"
#include "commands/attribute/summary.h"
#include "commands/attribute/tables.h"
#include "commands/attribute/trust.h"
#include "jaxtrace/error.h"
#include "report/output_dir.h"

namespace jaxtrace {
namespace {

constexpr const char* kDefaultDirectory = "attribution";
constexpr std::size_t kLongestSubject = 4096;

struct Flags {
  std::optional<std::int64_t> program;
  std::string user_re;
  std::string check;
  bool hlo_bare = false;
  bool stacks = false;
};

/// Neither backtracks nor recurses along the subject, whatever the pattern: libstdc++'s own flag.
std::regex compiled(const std::string& pattern) {
  return std::regex(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
}

/// What a pattern's counted repetitions, `{3,20}`, multiply to if nested: the states of the
/// automaton, through which libstdc++ recurses.
double repetitions(const std::string& pattern) {
  double product = 1;
  for (std::size_t at = pattern.find('{'); at != std::string::npos;
       at = pattern.find('{', at + 1)) {
    double most = 1, number = 0;
    for (std::size_t i = at + 1; i < pattern.size() && pattern[i] != '}'; ++i) {
      const bool digit = pattern[i] >= '0' && pattern[i] <= '9';
      number = digit ? number * 10 + (pattern[i] - '0') : 0;
      most = std::max(most, number);
    }
    product *= most;
  }
  return product;
}

/// What is wrong with a regular expression; empty if nothing is.
std::string regex_fault(const std::string& pattern) {
  constexpr std::size_t kLongest = 1000;
  constexpr double kMostRepetitions = 1000;
  if (pattern.size() > kLongest) return "is longer than 1,000 characters";
  if (repetitions(pattern) > kMostRepetitions) {
    return '"' + pattern + "\" repeats more than 1,000 times";
  }
  try {
    const std::regex tried = compiled(pattern);
    return {};
  } catch (const std::regex_error& error) {
    return '"' + pattern + "\" is not a regular expression (" + error.what() + ')';
  }
}

hlo::UserTest user_test(const std::string& pattern) {
  if (pattern.empty()) return hlo::is_user_code;
  return [regex = compiled(pattern)](const hlo::Location& frame) {
    const std::string subject = frame.file + ':' + frame.function;
    if (subject.size() > kLongestSubject) return false;
    try {
      return std::regex_search(subject, regex);
    } catch (const std::regex_error&) {
      return false;  // The expression took too many steps on this frame.
    }
  };
}

/// Throws if the program asked for is not in the capture: an empty report would look like an
/// answer.
void require_program(const Flags& flags, const Context& context, const Attribution& attribution,
                     const Trace& trace) {
  if (!flags.program) return;
  std::string known;
  std::size_t listed = 0;
  for (const AttributedProgram& program : attribution.programs) {
    if (program.program_id == *flags.program) return;
    if (program.program_id == kNoProgram || ++listed > 10) continue;
    known += known.empty() ? "" : ", ";
    known += std::to_string(program.program_id) + " (" +
             std::string(trace.strings[program.module]) + ')';
  }
  throw InputError(
      context.capture().string(),
      "has no program " + std::to_string(*flags.program) +
          (known.empty() ? "; it names none"
                         : "; its programs are " + known + (listed > 10 ? ", …" : "")));
}

void write_table(const Table& table, OutputDir& directory) {
  write_csv(table, directory.file(table.id + ".csv"));
}

Outcome run(const Flags& flags, const Context& context) {
  const Trace trace = read_capture(context.capture(), context.read);
  const AttributeOptions options{.program = flags.program};
  const Attribution attribution = attribute(trace, options);
  require_program(flags, context, attribution, trace);

  const Ops ops = find_ops(trace, attribution, user_test(flags.user_re));
  const Counted counted = counted_labels(attribution, options);
  const Sums sums = add_up(trace, attribution, ops, counted);
  const Measured measured{trace, attribution, ops, sums};

  std::vector<std::filesystem::path> inputs;
  for (const Host& host : trace.hosts) inputs.emplace_back(trace.strings[host.file]);
  OutputDir directory(context.out.empty() ? kDefaultDirectory : context.out, inputs);

  std::optional<Check> checked;
  if (!flags.check.empty()) {
    const Trace other_trace = read_capture(flags.check);
    const Attribution other = attribute(other_trace);
    const Side here{trace, attribution};
    const Side there{other_trace, other};
    checked = check(here, there, options);
    write_check_csv(*checked, here, there, directory.file("check.csv"));
  }

  write_kernels_csv(trace, attribution, ops, counted, flags.stacks, directory.file("kernels.csv"));
  write_table(ops_table(measured), directory);
  write_table(lines_table(measured), directory);
  write_table(scopes_table(measured), directory);
  write_table(fusions_table(measured), directory);
  write_table(how_table(measured), directory);
  write_hlo_files(trace, options, flags.hlo_bare, directory);

  Outcome outcome;
  outcome.report = summary(measured, options, checked);
  outcome.doubts = doubts(measured, checked);
  outcome.findings = trace.findings;
  outcome.findings.insert(outcome.findings.end(), attribution.findings.begin(),
                          attribution.findings.end());
  write_markdown(outcome.report, directory.file("summary.txt"));
  directory.commit();
  return outcome;
}

Run declare(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  app.add_option("--program", flags->program, "Only the program with this id")->type_name("ID");
  app.add_option("--user-re", flags->user_re,
                 "Frames whose \"file:function\" matches are user code; default: outside "
                 "site-packages, dist-packages and jax")
      ->type_name("REGEX")
      ->check(CLI::Validator(regex_fault, ""));
  app.add_option("--check", flags->check,
                 "Compare with a capture of the same program with command buffers off")
      ->type_name("CAPTURE");
  app.add_flag("--hlo-bare", flags->hlo_bare, "HLO text without metadata and backend_config");
  app.add_flag("--stacks", flags->stacks, "kernels.csv gets a column with whole Python stacks");
  app.footer(
      "Examples:\n"
      "  jaxtrace attribute host.xplane.pb\n"
      "  jaxtrace attribute logdir --out tables --format json\n"
      "  jaxtrace attribute logdir --user-re 'my_model/.*'\n"
      "  jaxtrace attribute graphs.xplane.pb --check direct.xplane.pb --strict\n"
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
