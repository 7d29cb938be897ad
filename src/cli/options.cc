// Shared options are declared on each subcommand rather than on the program, so that
// `jaxtrace attribute --help` shows all that can follow it, and in one place here.
#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <numeric>

#include "cli/version.h"

namespace jaxtrace {
namespace {

constexpr const char* kFooter =
    R"(investigate, skip-stats and attribute read what jax.profiler.trace wrote: a *.xplane.pb, a
directory that holds some (one a host), or a JAX log directory (plugins/profile/<run>/), of which
the newest run is read.
hotspot and pmc-l2 read what rocprofv3 recorded, kernels reads either.
`jaxtrace SUBCOMMAND --help` says what each takes.

Examples:
  jaxtrace investigate /tmp/jax-trace
  jaxtrace skip-stats /tmp/jax-trace
  jaxtrace attribute /tmp/jax-trace --out /tmp/attribution
  jaxtrace hotspot ui_output_agent_6426_dispatch_608 --plan
  jaxtrace kernels out_results.db --top 5
  jaxtrace pmc-l2 out_counter_collection.csv --kernel gemm

Exit codes:
  0   a report was written, whatever it says
  1   --strict was given, and something cannot be trusted
  2   the command line cannot be understood
  3   the input is missing or cannot be read
  4   the input is corrupt, of another kind, or lacks what is needed
  70  no room to write, or a mistake in jaxtrace)";

/// Turns the word after --format into the number that CLI11 makes a Format of; returns what is
/// wrong with it.
std::string format_number(std::string& word) {
  constexpr std::string_view kWords[] = {"md", "json", "csv"};  // In the order of Format.
  const auto* const found = std::ranges::find(kWords, word);
  if (found == std::end(kWords)) return "'" + word + "' is none of md, json and csv";
  word = std::to_string(found - std::begin(kWords));
  return "";
}

void declare_shared(CLI::App& app, const Input& input, Options& options) {
  const auto shared = [](CLI::Option* option) { option->group("Shared options"); };

  app.add_option(std::string(input.name), options.context.inputs, std::string(input.help))
      ->required()
      ->expected(1, input.many ? CLI::detail::expected_max_vector_size : 1);
  shared(app.add_option("-f,--format", options.format, "Of the report on stdout: md, json or csv")
             ->transform(CLI::Validator(format_number, ""))
             ->type_name("md|json|csv"));
  shared(app.add_option("-o,--out", options.context.out, "Where to write files")->type_name("DIR"));
  if (input.runs) {
    shared(app.add_option("--run", options.context.read.run,
                          "Which runs of a log directory: a name or a shell pattern")
               ->type_name("NAME"));
  }
  shared(app.add_flag("--strict", options.strict,
                      "Exit with 1 if part of the capture is lost, damaged or contradicts itself"));
  shared(app.add_flag("-q,--quiet", options.quiet, "No warnings and no progress bar on stderr"));
}

/// Letters to insert, delete or replace to get from `a` to `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::vector<Declared> declare(CLI::App& app, Options& options) {
  app.name("jaxtrace");
  app.description(
      "Why a JAX program is slow on its GPUs, and which line of Python pays for each kernel: from "
      "saved profiles, without a GPU");
  app.footer(kFooter);
  app.set_version_flag("--version", "jaxtrace " + std::string(version()));
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);

  std::vector<Declared> result;
  for (const Command& command : commands()) {
    CLI::App* const sub =
        app.add_subcommand(std::string(command.name), std::string(command.summary));
    declare_shared(*sub, command.input, options);
    result.push_back({sub, command.declare(*sub)});
  }

  // An empty group hides it: it is for the build, which installs what it prints.
  CLI::App* const completion = app.add_subcommand("completion", "Prints a shell completion script");
  completion->group("");
  completion->add_option("SHELL", options.shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  return result;
}

std::string wrong_subcommand(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty()) return "";
  if (words[0].starts_with('-')) {
    const bool known = app.get_option_no_throw(words[0]) != nullptr;
    return known ? ""
                 : "options go after a subcommand, as in `jaxtrace attribute CAPTURE " + words[0] +
                       "`";
  }
  std::string closest;
  std::size_t least = words[0].size() / 2;  // More mistakes than that is another word.
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_name() == words[0]) return "";
    const std::size_t distance = edit_distance(words[0], sub->get_name());
    if (!sub->get_group().empty() && distance <= least) {
      least = distance;
      closest = sub->get_name();
    }
  }
  if (!closest.empty()) {
    return fmt::format("'{}' is not a subcommand; did you mean '{}'?", words[0], closest);
  }
  std::error_code ignored;
  if (std::filesystem::exists(words[0], ignored)) {
    return fmt::format("a subcommand goes before the capture, as in `jaxtrace attribute {}`",
                       words[0]);
  }
  return fmt::format("'{}' is not a subcommand; `jaxtrace --help` lists them", words[0]);
}

}  // namespace jaxtrace
