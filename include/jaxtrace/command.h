// A subcommand as data: a name, a line of help, and a function that declares its flags.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jaxtrace/finding.h"
#include "jaxtrace/readers.h"
#include "jaxtrace/report.h"

namespace CLI {
class App;
}

namespace jaxtrace {

/// What main gives to every subcommand.
struct Context {
  std::vector<std::filesystem::path> inputs;  ///< As typed; at least one, just one unless many.
  std::filesystem::path out;                  ///< --out, or empty: the command's own directory.
  ReadOptions read;                           ///< Progress bar and --run.
  std::string_view version;  ///< "0.1.0": without the commit, so that a report depends on neither.

  const std::filesystem::path& capture() const { return inputs.front(); }
};

/// What a subcommand reads: its positional argument.
struct Input {
  std::string_view name = "CAPTURE";
  std::string_view help = "A *.xplane.pb, a directory of them, or a JAX log directory";
  bool many = false;  ///< One or more of them.
  bool runs = true;   ///< May be a JAX log directory, so that --run applies.
};

/// What every subcommand gives back to main, which prints the report in the format asked for.
struct Outcome {
  Report report;

  /// The report is for machines: JSON, whatever --format says.
  bool json = false;

  /// Of the trace and of the analysis, in the order to print them on stderr.  Under --strict those
  /// of severity data_loss and error make the exit code 1.
  std::vector<Finding> findings;

  /// What else --strict turns into exit code 1: one sentence for each failed check.
  std::vector<std::string> doubts;
};

using Run = std::function<Outcome(const Context&)>;

struct Command {
  std::string_view name;
  std::string_view summary;
  Input input{};

  /// Adds the flags of this command alone, and its examples as the footer; what it returns runs
  /// after parsing.  The input and the options of Context are
  /// declared already.
  Run (*declare)(CLI::App& app);
};

/// Every subcommand, in the order of --help.  One row each in src/commands/commands.cc.
std::span<const Command> commands();

}  // namespace jaxtrace
